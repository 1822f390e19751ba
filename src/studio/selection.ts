import { toSeconds } from '../base/index.js';
import { strongestOf } from '../render/index.js';
import type { RankedTopic } from '../pipeline/index.js';
import type { Analysis } from '../pipeline/index.js';
import { findFlaws } from '../shots/index.js';
import { counterpartsOf, reasonAgainst, reasonFor, sayFlaws } from '../summary/index.js';
import type { Remark, Selection, TopicFilm, Track, Video, Why } from './contract.js';

/** A ranking as the page shows it: times from the first frame, scores relative to the strongest shot of the video. */
export function selectionOf({ options, videos, concept }: RankedTopic): Selection {
  const { length, shared, method, concept: wanted = null } = options;
  const { pin = [], veto = [], sequence = [], topicSequence = [] } = options;
  return {
    steering: { length, shared, method, concept: wanted, pin, veto, sequence, topicSequence, leftOut: [] },
    film: concept && filmOf(concept, videos),
    videos: videos.map((video): Video => {
      const { start, end, timeBase, frameCount } = video.analysis;
      const strongest = strongestOf(video.shots) || 1;
      const seconds = (tick: number): number => toSeconds(tick - start, timeBase);
      return {
        ...{ id: video.id, name: video.name, seconds: seconds(end), remarks: remarksOf(video) },
        frameRate: frameCount / seconds(end),
        chosenSeconds: video.seconds,
        belonging: video.belonging?.rank ?? null,
        doubleOf: video.standing?.doubleOf ?? null,
        shots: video.shots.map(({ index, range, rank, score, own, shared: common, chosen, pinned, vetoed, flaws }) => ({
          ...{ index, from: seconds(range.start), to: seconds(range.end), rank, chosen },
          ...partsOf({ score, own, shared: common }, Math.max(strongest, score)),
          ...{ pinned: pinned === true, vetoed: vetoed === true, bad: badOf(flaws) },
        })),
        clips: video.clips.flatMap(({ range, startFrame, endFrame }) => {
          const shots = video.shots.filter((shot) => shot.startFrame < endFrame && shot.endFrame > startFrame);
          const own = shots.filter(({ chosen }) => chosen);
          const clip = { from: seconds(range.start), to: seconds(range.end) };
          return splitAtPins(clip, video.name, pin).map(({ from, to }) => {
            const inside = shots.filter((shot) => seconds(shot.range.start) < to && seconds(shot.range.end) > from);
            const chosen = inside.filter((shot) => own.includes(shot));
            return { from, to, shots: (chosen.length > 0 ? chosen : inside).map(({ index }) => index) };
          });
        }),
      };
    }),
  };
}

/** Where one pinned stretch of time ends and the next begins: half a millisecond is the precision of a pin. */
const SAME_S = 0.0006;

/** A clip in the parts into which it was split: pinned stretches that meet play as one clip, but are edited apart. */
function splitAtPins(clip: { from: number; to: number }, name: string, pins: readonly string[]) {
  const ranges = pins.flatMap((pin) => {
    const range = pin.startsWith(`${name}@`) ? /^([\d.]+)-([\d.]+)$/.exec(pin.slice(name.length + 1)) : null;
    return range ? [{ from: Number(range[1]), to: Number(range[2]) }] : [];
  });
  const cuts = ranges
    .map(({ to }) => to)
    .filter((end) => end > clip.from + SAME_S && end < clip.to - SAME_S)
    .filter((end) => ranges.some(({ from }) => Math.abs(from - end) < SAME_S))
    .toSorted((a, b) => a - b);
  const edges = [clip.from, ...cuts, clip.to];
  return edges.slice(1).map((to, at) => ({ from: edges[at]!, to }));
}

function filmOf({ shots }: NonNullable<RankedTopic['concept']>, videos: RankedTopic['videos']): TopicFilm {
  const starts = new Map(videos.map(({ id, analysis }) => [id, analysis.start]));
  const played = shots.map(({ video, shot, range: { start, end, base }, reason }) => {
    const from = (tick: number): number => toSeconds(tick - starts.get(video)!, base);
    return { video, shot, from: from(start), to: from(end), reason };
  });
  return { seconds: played.reduce((sum, { from, to }) => sum + to - from, 0), shots: played };
}

/** Why a shot is in the summary of its video, or why not, and who else shows it. */
export function whyOf(judged: RankedTopic, video: RankedTopic['videos'][number], index: number): Why {
  const { options, videos } = judged;
  const shot = video.shots[index]!;
  const shown = video.shownOf([index])[0];
  const names = { method: options.method, nameOf: (id: string) => videos.find((other) => other.id === id)?.name ?? id };
  const record = { id: video.id, shots: [...video.shots] };
  const reason = shot.chosen ? reasonFor({ ...shot, shown }, names) : reasonAgainst(shot, record, names);
  const { own, shared } = shot;
  const alternatives = alternativesOf(judged, video, index);
  return { reason, alternatives, own, shared, support: video.supportOf(index) };
}

/** Alternatives of one shot. */
const MAX_ALTERNATIVES = 12;

/**
 * Shots that show the same as this one, or something like it where there are none: in other videos, in the same view of its own, and those that the film left out as too
 * similar. Usable ones first, then by their rank in their own video.
 */
function alternativesOf(
  { videos, concept }: RankedTopic,
  video: RankedTopic['videos'][number],
  index: number,
): Why['alternatives'] {
  const inFilm = concept?.shots.find((shot) => shot.video === video.id && shot.shot === index);
  const sameView = video.shots.filter((shot) => video.views[shot.index] === video.views[index]);
  const places = [
    ...counterpartsOf(inFilm?.shown ?? video.shownOf([index])[0]),
    ...(inFilm?.alike ?? []),
    ...sameView.map((shot) => ({ video: video.id, shot: shot.index })),
  ];
  const found = new Map<string, { video: string; shot: number; isBad: boolean; rank: number }>();
  for (const place of places) {
    const source = videos.find(({ id }) => id === place.video);
    const shot = source?.shots[place.shot];
    if (!source || !shot || shot.vetoed === true || (source === video && shot.index === index)) continue;
    const rank = (shot.rank + 0.5) / source.shots.length;
    found.set(`${source.id}#${shot.index}`, {
      video: source.id,
      shot: shot.index,
      isBad: shot.flaws !== undefined,
      rank,
    });
  }
  return [...found.values()]
    .toSorted((a, b) => Number(a.isBad) - Number(b.isBad) || a.rank - b.rank)
    .slice(0, MAX_ALTERNATIVES)
    .map(({ video: id, shot }) => ({ video: id, shot }));
}

function remarksOf({ name, remarks = [], analysis: { warning } }: RankedTopic['videos'][number]): Remark[] {
  const said = remarks.map(({ code, message }): Remark => ({ kind: code, sentence: message }));
  return warning === null ? said : [...said, { kind: 'damaged', sentence: `"${name}" ${warning}` }];
}

/** The most values of a curve: about as many as a wide screen has pixels. */
const MAX_VALUES = 2000;
/** Loudness in half decibels above −96 dB that counts as nothing, and as full. */
const [QUIET, LOUD] = [60, 180];

/** What is known of a video by itself; loudness is thinned to what can be drawn: the loudest value of each piece. */
export async function trackOf({ sound, measures, shots: found, start, timeBase }: Analysis): Promise<Track> {
  const seconds = (tick: number): number => toSeconds(tick - start, timeBase);
  const flaws = findFlaws(found, await measures());
  const shots = found.map(({ range }, index) => {
    return { from: seconds(range.start), to: seconds(range.end), bad: badOf(flaws[index]!) };
  });
  const heard = await sound();
  if (!heard) return { shots, loudness: [], speech: [] };
  const step = Math.max(1, Math.ceil(heard.loudness.length / MAX_VALUES));
  const pieces = Array.from({ length: Math.ceil(heard.loudness.length / step) }, (_, at) =>
    heard.loudness.subarray(at * step, (at + 1) * step),
  );
  const level = (value: number): number => Math.min(1, Math.max(0, (value - QUIET) / (LOUD - QUIET)));
  return {
    shots,
    loudness: pieces.map((piece) => Math.round(100 * level(Math.max(...piece))) / 100),
    speech: heard.speech.map((span) => ({ from: seconds(span.start), to: seconds(span.end) })),
  };
}

/** What is wrong with the pictures of a shot; `null` if nothing is. */
function badOf(flaws: Parameters<typeof sayFlaws>[0] = []): string | null {
  return flaws.length === 0 ? null : sayFlaws(flaws).join(', ');
}

function partsOf<T extends Record<string, number>>(numbers: T, whole: number): T {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, value / whole])) as T;
}
