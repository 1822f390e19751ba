import { type TimeRange, UsageError } from '../base/index.js';
import type { FrameClock } from './shots-from.js';

/** What lies between two real cuts: frames `[startFrame, endFrame)`, and the same stretch in exact time. */
export type Take = {
  readonly index: number;
  readonly startFrame: number;
  readonly endFrame: number;
  readonly range: TimeRange;
};

/** A stretch of a take: what is ranked and chosen. */
export type Shot = Take & {
  /** Index of its take. */
  readonly take: number;
  /** Number of its view, counted through the video: between shots of one view, nothing changes but the time. */
  readonly view: number;
  /** A take too short to stand alone: it is not chosen while others are left. Absent if not. */
  readonly isShort?: boolean | undefined;
};

/** The shots of a video, and the takes they are stretches of. Both are in order. */
export type Segments = { readonly takes: readonly Take[]; readonly shots: readonly Shot[] };

/** Divides a stream of small pictures into shots. Pictures are pushed in film order; `end` is called once. */
export type Segmenter = {
  readonly name: string;
  /** Changes when the same pictures would be divided differently: part of the cache key. */
  readonly version: string;
  /** The next picture and its time; only differences of times count. */
  push(picture: Uint8Array, seconds: number): void;
  /** Shots and takes that cover every frame of the clock, which has one tick for each picture pushed. */
  end(clock: FrameClock): Segments;
};

/** The shortest and longest shot, both in seconds or both in frames. */
export type ShotBounds = { readonly by: 'seconds' | 'frames'; readonly min: number; readonly max: number };

/** Bounds that may be left out. */
export type BoundsAskedFor = { readonly [K in keyof ShotBounds]?: ShotBounds[K] | undefined };

/** In seconds about what the paper's 32 to 96 frames last, rounded; in frames the paper's. */
export const DEFAULT_BOUNDS = { seconds: { min: 1, max: 4 }, frames: { min: 32, max: 96 } } as const;

/** The bounds asked for, or the default; throws unless they divide every take that is longer than `max`. */
export function boundsOf({ by = 'seconds', min, max }: BoundsAskedFor): ShotBounds {
  const bounds = { by, min: min ?? DEFAULT_BOUNDS[by].min, max: max ?? DEFAULT_BOUNDS[by].max };
  const isWhole = by === 'seconds' || (Number.isInteger(bounds.min) && Number.isInteger(bounds.max));
  if (!isWhole || !(bounds.min > 0) || !(bounds.max >= 2 * bounds.min) || bounds.max === Infinity) {
    throw new UsageError(
      'bad-shot-bounds',
      `Expected ${by === 'frames' ? 'whole ' : ''}shot bounds in ${by} with 0 < min and 2·min ≤ max, found min ${bounds.min} and ` +
        `max ${bounds.max}. Raise the longest or lower the shortest shot, so that every take can be divided.`,
    );
  }
  return bounds;
}

/** The shortest and longest shot in frames. */
export type FrameBounds = { readonly minFrames: number; readonly maxFrames: number };

/** Frames of the shortest shot that may be chosen; `undefined` if that depends on a rate that is not known. */
export function shortestFrames(knobs: BoundsAskedFor, rate: number | undefined): number | undefined {
  const bounds = boundsOf(knobs);
  return bounds.by === 'frames' || rate !== undefined ? inFrames(bounds, rate ?? 0).minFrames : undefined;
}

/** The bounds in frames, at a rate in frames per second. */
export function inFrames({ by, min, max }: ShotBounds, rate: number): FrameBounds {
  if (by === 'frames') return { minFrames: min, maxFrames: max };
  const minFrames = Math.max(1, Math.round(min * rate));
  return { minFrames, maxFrames: Math.max(2 * minFrames, Math.round(max * rate)) };
}
