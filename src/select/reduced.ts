import { type Matrix, NumericError, outerGram, rowSquares, semidefiniteFactor } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { reduceToFeatures } from './reduce-to-features.js';
import { reduceToShots } from './reduce-to-shots.js';
import type { CvsKnobs } from './types.js';

/*
 * Eq. 5 in small matrices. Up to a constant its smooth part is
 *     ½ tr ZᵀGZ − tr BᵀZ + (α/2) tr Z̃ᵀGZ̃ − tr B̃ᵀZ̃,    G = XᵀX,  B = G − λd D,  B̃ = αXᵀX̃ − λd D̃.
 * Rotating the columns of B and Z together changes nothing that counts, so any B with the same BBᵀ will do;
 * likewise B̃, which therefore never needs more than n columns however many other shots there are.
 */

/** The problem reduced to what a solver needs, in one of two forms that give the same numbers. */
export type Reduced = {
  readonly form: 'shots' | 'features';
  readonly shotCount: number;
  /** n × m: what Z must meet, columns rotated together. */
  readonly B: Matrix;
  /** n × m̃: what Z̃ must meet, columns rotated together; no columns when there is nothing to meet. */
  readonly Bt: Matrix;
  /** α */
  readonly alpha: number;
  readonly hasContext: boolean;
  /** F(0, 0) = ½‖X‖² + (α/2)‖X̃‖². */
  readonly objectiveAtZero: number;
  /** Bounds of tr BᵀG⁺B and tr B̃ᵀ(αG)⁺B̃, for the dual; `null` where B or B̃ leaves the span of the features. */
  readonly dualTraces: { readonly own: number; readonly shared: number } | null;
  /** max_i ‖x_iᵀX‖. */
  readonly lambdaZero: number;
  /** Share of ‖X‖² kept by the basis; below 1 only when a rank was asked for. */
  readonly kept: number;
  /** Z = (G + diag L)⁻¹ B */
  solveOwn(L: Float64Array): Matrix;
  /** Z̃ = (αG + diag L̃)⁻¹ B̃ */
  solveShared(Lt: Float64Array): Matrix;
  /** G between the shots named. */
  gramAmong(shots: readonly number[]): Matrix;
  /** GZ − B (n × m), for a Z that is zero outside the rows named. */
  gradientOwn(shots: readonly number[], Z: Matrix): Matrix;
  /** αGZ̃ − B̃ (n × m̃), likewise. */
  gradientShared(shots: readonly number[], Zt: Matrix): Matrix;
};

/** Reduces the problem to the cheaper form, or to the one asked for. */
export function reduce(problem: Problem, knobs: CvsKnobs): Reduced {
  const { features } = problem;
  const blocked = whyNotFeatures(problem, knobs);
  const asked = knobs.form === 'features' || (knobs.rank !== null && knobs.form === 'auto');
  if (asked && blocked !== null) throw new NumericError('needs-shots-form', blocked);
  if (asked) return reduceToFeatures(problem, knobs);
  if (knobs.form === 'shots' || blocked !== null) return reduceToShots(problem, knobs);
  if (features.rows > features.cols) return reduceToFeatures(problem, knobs);
  const G = outerGram(features);
  // The rank is only a guide to the cheaper form here, so a rough tolerance will do.
  return features.rows > PROBE_FROM && 2 * semidefiniteFactor(G, 1e-12).cols < features.rows
    ? reduceToFeatures(problem, knobs)
    : reduceToShots(problem, knobs, G);
}

/** Videos shorter than this are not worth looking for a rank far below their number of shots. */
const PROBE_FROM = 64;

/** The r × r form needs B and B̃ to be inner products of features: with D a multiple of G, or without D. */
function whyNotFeatures({ features, context }: Problem, knobs: CvsKnobs): string | null {
  if (knobs.diversity === 0 || knobs.similarity === 'inner') return null;
  const unit = (square: number): boolean => square === 0 || Math.abs(square - 1) <= 1e-12;
  if (knobs.similarity === 'cosine' && (context === null || context.unitRows) && rowSquares(features).every(unit))
    return null;
  return (
    `Similarity "${knobs.similarity}" on these features needs the n × n form. ` +
    'Use form "auto" without a rank, similarity "inner", or features of unit length with "cosine".'
  );
}
