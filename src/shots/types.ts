import type { TimeRange } from '../base/index.js';
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
