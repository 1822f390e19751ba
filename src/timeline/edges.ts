import { rescale, toSeconds, type Rational, type Rounding } from '../base/index.js';
import type { Clip, VideoSummary } from '../summary/index.js';
import { firstLabel } from './conform.js';
import type { EditedClip } from './edited.js';
import { frameBase, isSameRate } from './rates.js';
import type { TimelineSource } from './types.js';

/** A frame of a video and the tick it begins at. */
type Edge = { readonly frame: number; readonly tick: number };

/** Finds the frames and ticks of edited clips of one video. */
export type Edges = {
  /** The clip in frames and ticks of the video; `null` if it is outside of it. */
  resolve(clip: EditedClip): Clip | null;
  /** What was moved on the way. */
  notes(): string[];
};

/**
 * At a steady rate, every frame has a known tick. At a varying one, the summary knows only the ticks of shot boundaries:
 * a cut elsewhere is moved to the nearest of them, so that frames and ticks always agree.
 */
export function openEdges(video: VideoSummary, source: TimelineSource): Edges {
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
