import { toSeconds } from '../base/index.js';
import { strongestOf } from '../export/index.js';
import type { Judged } from '../index.js';
import type { Analysis } from '../analyse/index.js';
import { reasonAgainst, reasonFor, type Shown } from '../summary/index.js';
import type { Remark, Selection, TopicFilm, Track, Video, Why } from './contract.js';

/** A ranking as the page shows it: times from the first frame, scores relative to the strongest shot of the video. */
export function selectionOf({ options, videos, concept }: Judged): Selection {
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
          ...{ pinned: pinned === true, vetoed: vetoed === true, bad: flaws ? sayFlaws(flaws) : null },
        })),
        clips: video.clips.map(({ range, startFrame, endFrame }) => {
          const shots = video.shots.filter((shot) => shot.startFrame < endFrame && shot.endFrame > startFrame);
          const own = shots.filter(({ chosen }) => chosen);
          const indices = (own.length > 0 ? own : shots).map(({ index }) => index);
          return { from: seconds(range.start), to: seconds(range.end), shots: indices };
        }),
      };
    }),
  };
}

function filmOf({ shots }: NonNullable<Judged['concept']>, videos: Judged['videos']): TopicFilm {
  const starts = new Map(videos.map(({ id, analysis }) => [id, analysis.start]));
  const played = shots.map(({ video, shot, range: { start, end, base }, reason, shown }) => {
    const from = (tick: number): number => toSeconds(tick - starts.get(video)!, base);
    return { video, shot, from: from(start), to: from(end), reason, counterparts: placesOf(shown) };
  });
  return { seconds: played.reduce((sum, { from, to }) => sum + to - from, 0), shots: played };
}

/** Why a shot is in the summary of its video, or why not, and who else shows it. */
export function whyOf({ options, videos }: Judged, video: Judged['videos'][number], index: number): Why {
  const shot = video.shots[index]!;
  const shown = video.shownOf([index])[0];
  const names = { method: options.method, nameOf: (id: string) => videos.find((other) => other.id === id)?.name ?? id };
  const record = { id: video.id, shots: [...video.shots] };
  const reason = shot.chosen ? reasonFor({ ...shot, shown }, names) : reasonAgainst(shot, record, names);
  const { own, shared } = shot;
  return { reason, counterparts: placesOf(shown), own, shared, support: video.supportOf(index) };
}

function placesOf(shown: Shown | undefined): { video: string; shot: number }[] {
  return (shown?.by ?? []).map(({ video, shot }) => ({ video, shot }));
}

function remarksOf({ name, remarks = [], analysis: { warning } }: Judged['videos'][number]): Remark[] {
  const said = remarks.map(({ code, message }): Remark => ({ kind: code, sentence: message }));
  return warning === null ? said : [...said, { kind: 'damaged', sentence: `"${name}" ${warning}` }];
}

/** The most values of a curve: about as many as a wide screen has pixels. */
const MAX_VALUES = 2000;
/** Loudness in half decibels above −96 dB that counts as nothing, and as full. */
const [QUIET, LOUD] = [60, 180];

/** What is heard in a video, thinned to what can be drawn: the loudest value of each piece. */
export async function trackOf({ sound, start, timeBase }: Analysis): Promise<Track> {
  const heard = await sound();
  if (!heard) return { loudness: [], speech: [] };
  const step = Math.max(1, Math.ceil(heard.loudness.length / MAX_VALUES));
  const pieces = Array.from({ length: Math.ceil(heard.loudness.length / step) }, (_, at) =>
    heard.loudness.subarray(at * step, (at + 1) * step),
  );
  const level = (value: number): number => Math.min(1, Math.max(0, (value - QUIET) / (LOUD - QUIET)));
  const seconds = (tick: number): number => toSeconds(tick - start, timeBase);
  return {
    loudness: pieces.map((piece) => Math.round(100 * level(Math.max(...piece))) / 100),
    speech: heard.speech.map((span) => ({ from: seconds(span.start), to: seconds(span.end) })),
  };
}

/** In words, as the reasons say it. */
const FLAWS: Readonly<Record<string, string>> = {
  ...{ flat: 'one colour', bars: 'test bars', blurred: 'out of focus', exposed: 'badly exposed', text: 'mostly text' },
  short: 'too short',
};

function sayFlaws(flaws: readonly { readonly kind: string }[]): string {
  return flaws.map(({ kind }) => FLAWS[kind] ?? kind).join(', ');
}

function partsOf<T extends Record<string, number>>(numbers: T, whole: number): T {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, value / whole])) as T;
}
