import {
  inMemory,
  type Matrix,
  NumericError,
  outerGram,
  rowSquares,
  semidefiniteFactor,
  type TallMatrix,
} from '../base/index.js';
import type { Problem } from '../topic/index.js';
import type { Balance } from './balance.js';
import { loaded } from './loaded.js';
import { reduceToFeatures } from './reduce-to-features.js';
import { reduceToShots } from './reduce-to-shots.js';
import type { CvsKnobs } from './types.js';

/*
 * Eq. 5 in small matrices. Up to a constant its smooth part has two halves of one shape, ½s tr ZᵀGZ − tr BᵀZ:
 *     own      s = w,     G = XᵀX (or XᵀT²X, balance.ts),   B = w(G − λd D)
 *     shared   s = w̃α,    G = XᵀX,                          B̃ = w̃(αXᵀX̃ − λd D̃)
 * Rotating the columns of B and Z together changes nothing that counts, so any B with the same BBᵀ will do;
 * likewise B̃, which therefore never needs more than n columns however many other shots there are.
 */

/** One half of the problem, on the rows that may be chosen (pinned.ts). */
export type Half = {
  /** s */
  readonly scale: number;
  /** ‖B_i‖ for every row. */
  readonly targetNorms: Float64Array;
  /** Value at Z = 0, constant included: ½w‖X‖² or ½w̃α‖X̃‖², less what the pinned shots rebuild. */
  readonly atZero: number;
  /** A bound of tr Bᵀ(sG)⁺B, for the dual; `null` where B leaves the span of the features. */
  readonly dualTrace: number | null;
  /** The named rows of B (n × m): what Z must meet, columns rotated together; no columns when there is nothing to meet. */
  targets(rows: readonly number[]): Matrix;
  /** Z = (sG + diag L)⁻¹ B. */
  solve(L: Float64Array): Solved;
  /** sG between the rows named. */
  gramAmong(rows: readonly number[]): Matrix;
  /** sGZ − B (n × m), for a Z that is zero outside the rows named. */
  gradient(rows: readonly number[], Z: Matrix): Matrix;
  /** The rows of the pinned shots that go with those of the candidates, given in order, some at a time; zero where s is. */
  pinned(Z: Iterable<Matrix>): Matrix;
};

/** The Z of one half for one choice of L. */
export type Solved = {
  /** ⟨B,Z⟩ */
  readonly linear: number;
  /** The rows of Z in order, some at a time: Z may be larger than everything else. */
  rows(): Iterable<Matrix>;
  /** diag sG(sG + diag L)⁻¹, between 0 and 1: how much of its own row each row decides. */
  leverages(): Float64Array;
};

/** The problem reduced to what a solver needs, in one of two forms that give the same numbers. */
export type Reduced = {
  readonly form: 'shots' | 'features';
  /** The shots that may be chosen: row i of both halves is shot candidates[i]. */
  readonly candidates: readonly number[];
  readonly own: Half;
  readonly shared: Half;
  /** α */
  readonly alpha: number;
  /** There are others, and they count. */
  readonly hasContext: boolean;
  /** max_i ‖x_iᵀX‖ over all shots. */
  readonly lambdaZero: number;
  /** Share of ‖X‖² kept by the basis; below 1 only when a rank was asked for. */
  readonly kept: number;
};

/** The rows of a problem with wishes: those already chosen, and those that may be. */
export type Rows = { readonly pinned: readonly number[]; readonly candidates: readonly number[] };

/**
 * Reduces the problem to the cheaper form, or to the one asked for. What does not depend on the balance is done once, so
 * that a caller can try many; `isPlain` promises that none discounts features whose similarity is no inner product.
 */
export function reduce(problem: Problem<TallMatrix>, knobs: CvsKnobs, isPlain: boolean): (balance: Balance) => Reduced {
  const { features } = problem;
  const rows = rowsOf(problem);
  const blocked = whyNotFeatures(problem, knobs, isPlain);
  const asked = knobs.form === 'features' || (knobs.rank !== null && knobs.form === 'auto');
  if (asked && blocked !== null) throw new NumericError('needs-shots-form', blocked);
  if (asked) return reduceToFeatures(problem, rows, knobs);
  if (knobs.form === 'shots' || blocked !== null) return reduceToShots(loaded(problem), rows, knobs);
  if (features.rows > features.cols) return reduceToFeatures(problem, rows, knobs);
  const G = outerGram(inMemory(features));
  // The rank is only a guide to the cheaper form here, so a rough tolerance will do.
  return features.rows > PROBE_FROM && 2 * semidefiniteFactor(G, 1e-12).cols < features.rows
    ? reduceToFeatures(problem, rows, knobs)
    : reduceToShots(loaded(problem), rows, knobs, G);
}

function rowsOf({ features, pinned = [], vetoed = [] }: Problem<TallMatrix>): Rows {
  const out = new Set([...pinned, ...vetoed]);
  return { pinned, candidates: Array.from({ length: features.rows }, (_, i) => i).filter((i) => !out.has(i)) };
}

/** Videos shorter than this are not worth looking for a rank far below their number of shots. */
const PROBE_FROM = 64;

/** The r × r form needs B and B̃ to be inner products of features: with D a multiple of G, or without D. */
function whyNotFeatures({ features, context }: Problem<TallMatrix>, knobs: CvsKnobs, isPlain: boolean): string | null {
  if (knobs.diversity === 0 || knobs.similarity === 'inner') return null;
  const unit = (square: number): boolean => square === 0 || Math.abs(square - 1) <= 1e-12;
  const isUnit = (context === null || context.unitRows) && rowSquares(features).every(unit);
  if (knobs.similarity === 'cosine' && isUnit && isPlain) return null;
  return (
    `Similarity "${knobs.similarity}" on these features needs the n × n form. ` +
    'Use form "auto" without a rank, similarity "inner", or features of unit length with "cosine".'
  );
}
