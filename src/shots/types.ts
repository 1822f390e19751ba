import type { TimeRange } from '../base/index.js';

/** A stretch of one video: frames `[startFrame, endFrame)`, and the same stretch in exact time. */
export type Shot = {
  readonly index: number;
  readonly startFrame: number;
  readonly endFrame: number;
  readonly range: TimeRange;
};

/** Divides a stream of small pictures into shots. Pictures are pushed in film order; `end` is called once. */
export type Segmenter = {
  readonly name: string;
  /** Changes when the same pictures would be divided differently: part of the cache key. */
  readonly version: string;
  push(picture: Uint8Array): void;
  /** The first frame of each shot, ascending, beginning with 0; empty if nothing was pushed. */
  end(): readonly number[];
};
