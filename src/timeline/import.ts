import { type Rational, rescale, type Rounding, toSeconds, UsageError } from '../base/index.js';
import {
  type Clip,
  clipsOf,
  largestPart,
  type SummaryDocument,
  type SummaryShot,
  type VideoSummary,
} from '../summary/index.js';
import { type PickedClip, shotsIn, timelineOfTopic, type TimelineOptions, videoOf } from './build.js';
import { firstLabel, type Counting, frameBase, isSameRate, timelineRateFor } from './rates.js';
import { badTimeline, type CutList, type EditedClip, parseJson, sourceMatcher } from './edited.js';
import { readEdl } from './edl.js';
import { readSummaryJson, readTimelineJson } from './json.js';
import { readOtio } from './otio-read.js';
import { nameOf, sourcesOf, sameFolder } from './sources.js';
import type { Timeline, TimelineSource } from './types.js';

/** Far more than anyone edits; a file with more is damaged or malicious. */
const MAX_CLIPS = 20_000;

/**
 * Reads a cut list against the summary its videos come from: EDL, OpenTimelineIO, `timeline.1` or an edited
 * `summary.json`, recognised by content. Videos without a clip in it keep theirs. `file` names it in messages.
 */
export function importTimeline(
  text: string,
  document: SummaryDocument,
  { file, counting }: { file: string } & Pick<TimelineOptions, 'counting'>,
): {
  /** The clips in the order the list plays them. */
  readonly timeline: Timeline;
  /** The summary with those clips: in film order for each video, every stretch once. */
  readonly document: SummaryDocument;
  /** What makes the film of the topic play these clips: options of a run, as a configuration file has them. */
  readonly film: {
    readonly pin: readonly string[];
    readonly concept: string;
    readonly topicSequence: readonly string[];
  };
  /** What of that differs from the list. */
  readonly filmNotes: readonly string[];
  /** What was changed or left out. */
  readonly notes: readonly string[];
  /** Clips that could not be used, with the reason and their place: no source in the summary, or outside of it. */
  readonly leftOut: readonly string[];
} {
  const sources = sourcesOf(document, document.videos, { locate: sameFolder }, []).map(([, source]) => source);
  if (sources.length === 0) {
    throw new UsageError(
      'no-clips',
      'Expected a summary with videos, found none. Give the summary that the list was made from.',
    );
  }
  const list = readList(text.replace(/^\uFEFF/, ''), file, { asked: counting, usual: usualCounting(sources) });
  if (list.clips.length > MAX_CLIPS) {
    throw badTimeline(file, list.clips[MAX_CLIPS]!.where, `it has more than ${MAX_CLIPS} clips`);
  }
  const videos = new Map(document.videos.map((video) => [video.id, video]));
  const edges = new Map(sources.map((source) => [source.id, openEdges(videos.get(source.id)!, source)]));
  const matchOf = sourceMatcher(sources);
  const picks: (PickedClip & { where: string })[] = [];
  const leftOut: string[] = [];
  for (const clip of list.clips) {
    const match = matchOf(clip.clue);
    const found = 'source' in match ? edges.get(match.source.id)!.resolve(clip) : null;
    if (found !== null && 'source' in match) picks.push({ video: match.source.id, clip: found, where: clip.where });
    else
      leftOut.push(
        'problem' in match
          ? `${match.problem} (${clip.where})`
          : `the clip at ${clip.where} lies outside of its source`,
      );
  }
  if (picks.length === 0) {
    throw new UsageError(
      'no-clips',
      `Expected clips of the summary’s videos in "${file}", found none (${leftOut[0] ?? 'it is empty'}). Give the summary that the list was made from.`,
    );
  }
  const moved = [...edges.values()].flatMap((edge) => edge.notes());
  const clipsOfVideo = groupClips(picks);
  const rest = document.videos.filter(({ id }) => !clipsOfVideo.has(id));
  const kept = rest.length > 0 ? [`Not in the list, so their clips stay as they were: ${rest.map(({ path }) => path).join(', ')}.`] : []; // prettier-ignore
  const film = document.concept ? ['The list was read as the summaries of its videos; the film of the topic stays as it was. To read it as that film: --film.'] : []; // prettier-ignore
  const reordered = isFilmOrder(picks) ? [] : ['A summary plays each stretch of a video once, in film order: clips were sorted, and joined where they overlap.']; // prettier-ignore
  const { wishes, notes: filmNotes } = filmWishes(document, picks);
  return {
    film: wishes,
    filmNotes: [...list.notes, ...moved, ...filmNotes],
    timeline: timelineOfTopic(document, picks, {
      title: list.title ?? undefined,
      counting: counting ?? list.counting ?? undefined,
    }),
    document: withClips(document, clipsOfVideo, file),
    notes: [...list.notes, ...moved, ...kept, ...film, ...reordered],
    leftOut,
  };
}

function readList(text: string, file: string, rates: { asked: Counting | undefined; usual: Counting }): CutList {
  if (text.trimStart().startsWith('<')) {
    throw new UsageError(
      'unknown-format',
      `Expected an EDL, OTIO or JSON file, found XML in "${file}", which can be written but not read back. Export one of those.`,
    );
  }
  if (!text.trimStart().startsWith('{')) return readEdl(text, { file, ...rates });
  const raw = parseJson(text, file) as Record<string, unknown>;
  if (typeof raw['OTIO_SCHEMA'] === 'string') return readOtio(raw, file);
  return raw['schema'] === 'timeline.1' ? readTimelineJson(raw, file) : readSummaryJson(text, file);
}

/** What a list without a stated rate most likely counts in: the rate of the longest source. */
function usualCounting(sources: readonly TimelineSource[]): Counting {
  const seconds = ({ frames, rate }: TimelineSource): number => (frames * rate.den) / rate.num;
  const longest = sources.reduce((best, source) => (seconds(source) > seconds(best) ? source : best));
  return { rate: timelineRateFor(longest.rate), dropFrame: false };
}

function groupClips(picks: readonly PickedClip[]): Map<string, Clip[]> {
  const groups = new Map<string, Clip[]>();
  for (const { video, clip } of picks) {
    const group = groups.get(video);
    if (group) group.push(clip);
    else groups.set(video, [clip]);
  }
  return groups;
}

function isFilmOrder(picks: readonly PickedClip[]): boolean {
  const ends = new Map<string, number>();
  return picks.every(({ video, clip }) => {
    const isAfter = clip.startFrame >= (ends.get(video) ?? 0);
    ends.set(video, clip.endFrame);
    return isAfter;
  });
}

/** The summary with other clips. A shot counts as chosen when at least half of its frames play. */
function withClips(
  document: SummaryDocument,
  clipsOfVideo: ReadonlyMap<string, readonly Clip[]>,
  file: string,
): SummaryDocument {
  const videos = document.videos.map((video): VideoSummary => {
    const own = clipsOfVideo.get(video.id);
    if (own === undefined) return video;
    const clips = joinClips(own);
    if (JSON.stringify(clips) === JSON.stringify(joinClips(video.clips))) return video;
    const played = playedFrames(video, clips);
    const shots = video.shots.map((shot) => {
      const chosen = 2 * (played.get(shot) ?? 0) >= shot.endFrame - shot.startFrame;
      return { ...shot, chosen, support: chosen ? shot.support : [] };
    });
    // The film and the storyboard next to the record show the old cut.
    return { ...video, shots, clips, film: null, storyboard: null };
  });
  const isChanged = videos.some((video, at) => video !== document.videos[at]);
  return {
    ...document,
    videos,
    notes: [...document.notes, ...(isChanged ? [`Clips were taken from "${file}".`] : [])],
  };
}

/** Film order, every frame once. */
function joinClips(clips: readonly Clip[]): Clip[] {
  const apart: Clip[] = [];
  for (const clip of clips.toSorted((a, b) => a.startFrame - b.startFrame || a.endFrame - b.endFrame)) {
    const last = apart.at(-1);
    if (last === undefined || clip.startFrame >= last.endFrame) apart.push(clip);
    else if (clip.endFrame > last.endFrame) {
      apart[apart.length - 1] = { ...last, endFrame: clip.endFrame, range: { ...last.range, end: clip.range.end } };
    }
  }
  return clipsOf(apart);
}

/** How many frames of each shot play; shots of which none plays are left out. */
function playedFrames({ shots }: VideoSummary, clips: readonly Clip[]): Map<SummaryShot, number> {
  const played = new Map<SummaryShot, number>();
  for (const clip of clips) {
    for (const shot of shotsIn(shots, clip)) {
      const frames = Math.min(clip.endFrame, shot.endFrame) - Math.max(clip.startFrame, shot.startFrame);
      played.set(shot, (played.get(shot) ?? 0) + frames);
    }
  }
  return played;
}

/** A frame of a video and the tick it begins at. */
type Edge = { readonly frame: number; readonly tick: number };

/** Finds the frames and ticks of edited clips of one video. */
type Edges = {
  /** The clip in frames and ticks of the video; `null` if it is outside of it. */
  resolve(clip: EditedClip): Clip | null;
  /** What was moved on the way. */
  notes(): string[];
};

/**
 * At a steady rate, every frame has a known tick. At a varying one, the summary knows only the ticks of shot boundaries:
 * a cut elsewhere is moved to the nearest of them, so that frames and ticks always agree.
 */
function openEdges(video: VideoSummary, source: TimelineSource): Edges {
  const known = knownEdges(video);
  const tickOf = source.isConformed ? null : steadyClock(video, video.frameRate ?? source.rate, known);
  const { start: first, base } = video.range;
  const frames = known.map(({ frame }) => frame);
  const positions = known.map(({ tick }) => rescale(tick - first, base, frameBase(source.rate)));
  let [moved, farthest] = [0, 0];
  return {
    resolve(clip) {
      const place = placeIn(source, clip);
      const length = clip.origin === 'decoded' ? video.frames : source.frames;
      const [from, to] = [Math.max(0, place.from), Math.min(length, place.to)];
      if (from >= to) return null;
      if (tickOf) return clipBetween({ frame: from, tick: tickOf(from) }, { frame: to, tick: tickOf(to) }, base);
      const places = clip.origin === 'decoded' ? frames : positions;
      const [start, end] = nearestPair(places, from, to);
      const off = [Math.abs(places[start]! - from), Math.abs(places[end]! - to)];
      // A clip shorter than a frame was written with one, so its end may be off by one.
      moved += off.filter((distance) => distance > (to - from === 1 ? 1 : 0)).length;
      farthest = Math.max(farthest, ...off);
      return clipBetween(known[start]!, known[end]!, base);
    },
    notes() {
      if (moved === 0) return [];
      const seconds = toSeconds(farthest, frameBase(source.rate)).toFixed(2);
      return [
        `${source.name} has a varying frame rate, so only its shot boundaries are known exactly. Cuts moved to the nearest one, by ${seconds} s at most: ${moved}.`,
      ];
    },
  };
}

/** A clip in frames of the source's own rate, from its first picture (or as decoded). */
function placeIn(
  source: TimelineSource,
  { origin, from, to, counting, exact }: EditedClip,
): { from: number; to: number } {
  if (exact) return exact;
  if (counting === null) return { from, to };
  const first = origin === 'timecode' ? firstLabel(source, counting) : 0;
  // Systems that do not read a file's timecode count from zero.
  const zero = from < first ? 0 : first;
  const inSource = (frames: number): number =>
    isSameRate(counting.rate, source.rate)
      ? frames
      : rescale(frames, frameBase(counting.rate), frameBase(source.rate), 'nearest');
  const start = inSource(from - zero);
  return { from: start, to: Math.max(start + 1, inSource(to - zero)) };
}

/** Boundaries of shots and clips, and both ends, by frame. */
function knownEdges({ shots, clips, frames, range }: VideoSummary): Edge[] {
  const ticks = new Map([
    [0, range.start],
    [frames, range.end],
  ]);
  for (const stretch of [...shots, ...clips]) {
    ticks.set(stretch.startFrame, stretch.range.start);
    ticks.set(stretch.endFrame, stretch.range.end);
  }
  return [...ticks].map(([frame, tick]) => ({ frame, tick })).toSorted((a, b) => a.frame - b.frame);
}

function clipBetween(start: Edge, end: Edge, base: Rational): Clip {
  return { startFrame: start.frame, endFrame: end.frame, range: { start: start.tick, end: end.tick, base } };
}

/** The two of ascending places that are nearest to the ends of a stretch; never the same one twice. */
function nearestPair(places: readonly number[], from: number, to: number): [number, number] {
  const start = nearestPlace(places, from, 0, places.length - 2);
  return [start, nearestPlace(places, to, start + 1, places.length - 1)];
}

function nearestPlace(places: readonly number[], asked: number, lowest: number, highest: number): number {
  let [low, high] = [lowest, highest];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! < asked) low = middle + 1;
    else high = middle;
  }
  return low > lowest && asked - places[low - 1]! < places[low]! - asked ? low - 1 : low;
}

/**
 * The tick of a frame at a steady rate: as the summary has it, else computed from the rate and rounded as the known ones
 * are. If they follow no rounding, one tick early: that is still after the frame before, and keeps the frame.
 */
function steadyClock(video: VideoSummary, rate: Rational, known: readonly Edge[]): (frame: number) => number {
  const ticks = new Map(known.map(({ frame, tick }) => [frame, tick]));
  const { start, base } = video.range;
  const nominal = (frame: number, rounding: Rounding): number =>
    start + rescale(frame, frameBase(rate), base, rounding);
  // The last frame may last longer or shorter than the others, so the end says nothing about the clock.
  const inside = known.filter(({ frame }) => frame < video.frames);
  const rounding = (['nearest', 'floor', 'ceil'] as const).find((candidate) =>
    inside.every(({ frame, tick }) => nominal(frame, candidate) === tick),
  );
  return (frame) => ticks.get(frame) ?? (rounding ? nominal(frame, rounding) : nominal(frame, 'floor') - 1);
}

/** Options of a run whose film of the topic plays certain clips and nothing else. */
type FilmWishes = {
  readonly pin: readonly string[];
  readonly concept: string;
  readonly topicSequence: readonly string[];
};

/**
 * Clips as wishes for the film of the topic: their stretches pinned, a length that they use up, and an order of shots. A film
 * plays each stretch once: what a clip repeats of an earlier one is left out.
 */
function filmWishes(
  document: SummaryDocument,
  picks: readonly (PickedClip & { readonly where: string })[],
): { wishes: FilmWishes; notes: string[] } {
  const notes: string[] = [];
  const [pin, order] = [[] as string[], [] as string[]];
  const played = new Map<string, Clip[]>();
  let seconds = 0;
  for (const { video: id, clip, where } of picks) {
    const video = videoOf(document, id);
    const before = played.get(id) ?? [];
    const rest = before.reduce((left, other) => left.flatMap((part) => without(part, other)), [clip]);
    const name = `the clip of ${nameOf(video.path)} at ${where}`;
    if (rest.length === 0)
      notes.push(`A film plays each stretch once, so ${name}, which repeats others, was left out.`);
    else if (rest[0] !== clip) notes.push(`A film plays each stretch once: ${name} plays only what others do not.`);
    for (const part of rest) {
      const { base } = part.range;
      const [from, to] = [part.range.start, part.range.end].map((tick) => toSeconds(tick - video.range.start, base));
      pin.push(`${video.path}@${from!.toFixed(3)}-${to!.toFixed(3)}`);
      seconds += to! - from!;
      const shots = shotsOf(video, part).map((index) => `${video.path}#${index + 1}`);
      if (shots.every((shot) => order.includes(shot)) && shots.length > 0)
        notes.push(`The order of a film is one of shots: ${name} plays beside the other part of ${shots.join(', ')}.`);
      order.push(...shots.filter((shot) => !order.includes(shot)));
    }
    played.set(id, [...before, ...rest]);
  }
  // Clips that fade into each other take less time, which nothing else is to fill.
  const fade = Number(document.options['fade'] ?? 0) || 0;
  const length = Math.max(0.001, seconds - fade * Math.max(0, pin.length - 1));
  return { wishes: { pin, concept: `${length.toFixed(3)}s`, topicSequence: order }, notes };
}

/** The shots of a clip that count as pinned by it: at least half of each, and the one with its largest part. */
function shotsOf({ shots }: VideoSummary, clip: Clip): number[] {
  const near = shotsIn(shots, clip);
  const halves = near.filter((shot) => {
    const frames = Math.min(shot.endFrame, clip.endFrame) - Math.max(shot.startFrame, clip.startFrame);
    return 2 * frames >= shot.endFrame - shot.startFrame;
  });
  return [...new Set([...halves.map(({ index }) => index), ...largestPart(clip, near)])].sort((a, b) => a - b);
}

/** What is left of a clip without the frames of another. */
function without(clip: Clip, other: Clip): Clip[] {
  if (other.startFrame >= clip.endFrame || other.endFrame <= clip.startFrame) return [clip];
  const { start, end, base } = clip.range;
  const parts: Clip[] = [];
  if (clip.startFrame < other.startFrame)
    parts.push({
      startFrame: clip.startFrame,
      endFrame: other.startFrame,
      range: { start, end: other.range.start, base },
    });
  if (other.endFrame < clip.endFrame)
    parts.push({ startFrame: other.endFrame, endFrame: clip.endFrame, range: { start: other.range.end, end, base } });
  return parts;
}
