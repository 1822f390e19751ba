import type { Matrix, TallMatrix } from '../base/index.js';

/**
 * The second moment of a set of shots: matrix = Σ w·x·xᵀ over their feature vectors x (docs/method.md).
 * It is all that a topic needs to remember of its videos, whatever their number.
 */
export type Moment = {
  /** Length of a feature vector. */
  readonly dim: number;
  readonly videoCount: number;
  readonly shotCount: number;
  /** True while every shot counted has a vector of length one (or zero): then the cosine similarity needs only the moment. */
  readonly unitRows: boolean;
  /** dim × dim, symmetric. */
  readonly matrix: Matrix;
  /** Σ w over the videos, and Σ w·(mean vector of the video): what the videos look like on average. */
  readonly weight: number;
  readonly means: Float64Array;
};

/** Shots of one other video, one row each. A weight of w counts the video as if it were there w times. */
export type Neighbor<M extends TallMatrix = Matrix> = { readonly features: M; readonly weight?: number };

/** How much the videos of a topic count for each other, by their places. */
export type Votes = {
  /** The weight of each video; usually 1. */
  readonly common: readonly number[];
  /** For videos that weigh the others differently: their weights, in place of the common ones. */
  readonly special?: readonly (readonly number[] | null)[];
};

/**
 * What every selector gets: the shots to rank, and what is known about the other videos. Nothing about time.
 * `Problem<TallMatrix>` is one whose shots need not all be in memory.
 */
export type Problem<M extends TallMatrix = Matrix> = {
  /** One row per shot. The paper stores shots as columns; this is the only place where the two differ. */
  readonly features: M;
  /** Second moment of the other videos' shots; `null` when there are none. */
  readonly context: Moment | null;
  /** Weight with which these shots themselves are counted in `context`, to be taken out again; 0 = they are not in it. */
  readonly ownWeight: number;
  /** The other videos' shots themselves, for methods that compare shot with shot. */
  readonly neighbors?: readonly Neighbor<M>[];
  /** One number per shot, standardised: the higher, the more worth showing whatever it rebuilds. Only cvs uses it. */
  readonly evidence?: Float64Array;
  /** Shots that are in the summary already: what they show needs no other shot. */
  readonly pinned?: readonly number[];
  /** Shots that must not be chosen; what they show still has to be shown by others. */
  readonly vetoed?: readonly number[];
};
