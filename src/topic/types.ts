import { type Matrix, type TallMatrix, NumericError, requireFinite } from '../base/index.js';

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

/** Solvers take eighth powers of sizes and sum them over many shots: up to here, these and their inverses are still finite. */
const LARGEST = 1e30;

/** Throws unless the features are finite numbers whose largest is of a size that solvers can work with, or all zero. */
export function requireUsable(features: TallMatrix, what: string): void {
  const largest = requireFinite(features, what);
  if (largest === 0 || (largest <= LARGEST && largest >= 1 / LARGEST)) return;
  throw new NumericError(
    'bad-scale',
    `Expected numbers of sizes between ${1 / LARGEST} and ${LARGEST} in ${what}, found ${largest} as the largest. Scale them all by the same number.`,
  );
}

/** The largest entry of a second moment: a sum of 10¹⁰ products of the largest features. */
const LARGEST_ENTRY = 1e10 * LARGEST ** 2;
/** Taking videos out leaves roundings: by this share of its largest entry a moment may be off from any sum of w·x·xᵀ. */
const ROUNDINGS = 1e-6;

/** Contexts without a flaw: every video of a topic may come with the same one. */
const checked = new WeakSet<Moment>();

/** Throws unless the context could be a second moment: finite, and no count or square below zero. Reads each entry once. */
export function requireContext(context: Moment): void {
  if (checked.has(context)) return;
  const flaw = flawOf(context);
  if (flaw === null) return void checked.add(context);
  throw new NumericError('bad-context', `Expected a topic context that was built from shots, found ${flaw}. Build it again.`); // prettier-ignore
}

/** What a second moment cannot have: impossible counts, entries that are not finite or far too large, S_ii < 0. */
function flawOf({ dim, videoCount, shotCount, weight, means, matrix: { data } }: Moment): string | null {
  if (![videoCount, shotCount].every((count) => count >= 0 && Number.isSafeInteger(count)))
    return 'counts that are none';
  if (data.length !== dim * dim || means.length !== dim) return 'a matrix of another size';
  if (!(weight < Infinity)) return `a weight of ${weight}`;
  for (const value of means) if (!(Math.abs(value) <= LARGEST_ENTRY)) return `a mean of ${value}`;
  let largest = 0;
  for (let at = 0; at < data.length; at++) {
    const size = Math.abs(data[at]!);
    if (size > largest) largest = size;
    // Written as a negation so that NaN fails too.
    if (!(size <= LARGEST_ENTRY)) return `an entry of ${data[at]!}`;
  }
  const floor = -ROUNDINGS * largest;
  for (let i = 0; i < dim; i++) if (data[i * dim + i]! < floor) return `${data[i * dim + i]!} on its diagonal`;
  return null;
}

/** The same, and |S_ij| > √(S_ii·S_jj), for moments from outside. */
export function deepFlawOf(moment: Moment): string | null {
  const { dim, matrix: { data } } = moment; // prettier-ignore
  const flaw = flawOf(moment);
  if (flaw !== null) return flaw;
  const roots = Float64Array.from({ length: dim }, (_, i) => Math.sqrt(Math.max(0, data[i * dim + i]!)));
  const slack = ROUNDINGS * roots.reduce((most, root) => Math.max(most, root), 0) ** 2;
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j < i; j++) {
      const value = data[i * dim + j]!;
      if (Math.abs(value) > roots[i]! * roots[j]! + slack) return `${value} between two of its features`;
    }
  }
  return null;
}
