import {
  cholesky,
  type Matrix,
  outerGram,
  rowSquares,
  semidefiniteFactor,
  solveCholesky,
  zeros,
} from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { ownSimilarity, sharedTargets } from './similarity.js';
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
  /** n × m̃: what Z̃ must meet, columns rotated together; no columns when there is no context. */
  readonly Bt: Matrix;
  /** α */
  readonly alpha: number;
  readonly hasContext: boolean;
  /** F(0, 0) = ½‖X‖² + (α/2)‖X̃‖². */
  readonly objectiveAtZero: number;
  /** tr of B and B̃ against the pseudo-inverse of G, for the dual; `null` where they leave the span of the features. */
  readonly dualTraces: { readonly own: number; readonly shared: number } | null;
  /** max_i ‖x_iᵀX‖. */
  readonly lambdaZero: number;
  /** Z = (G + diag L)⁻¹ B */
  solveOwn(L: Float64Array): Matrix;
  /** Z̃ = (αG + diag L̃)⁻¹ B̃ */
  solveShared(Lt: Float64Array): Matrix;
};

/** Chooses the cheaper form and reduces the problem to it. */
export function reduce(problem: Problem, knobs: CvsKnobs): Reduced {
  return reduceToShots(problem, knobs);
}

/** The n × n form: cost of an iteration O(n³), whatever the length of a feature vector. */
function reduceToShots(problem: Problem, knobs: CvsKnobs): Reduced {
  const { features, context } = problem;
  const [alpha, lambdaD] = [knobs.contextWeight, knobs.diversity];
  const G = outerGram(features);
  const D = ownSimilarity(G, knobs);
  const B = zeros(G.rows, G.cols);
  for (let at = 0; at < B.data.length; at++) B.data[at] = G.data[at]! - lambdaD * D.data[at]!;
  const S = context === null ? null : sharedTargets(problem, G, knobs);
  const [ownEnergy, contextEnergy] = [
    trace(G),
    context === null ? 0 : trace(context.matrix) - problem.ownWeight * trace(G),
  ];
  const inSpan = lambdaD === 0 || knobs.similarity === 'inner';
  return {
    form: 'shots',
    shotCount: G.rows,
    B,
    Bt: S === null ? zeros(G.rows, 0) : semidefiniteFactor(S),
    alpha,
    hasContext: S !== null,
    objectiveAtZero: ownEnergy / 2 + (alpha / 2) * contextEnergy,
    dualTraces:
      inSpan && (alpha > 0 || S === null || lambdaD === 0)
        ? {
            own: (1 - lambdaD) ** 2 * ownEnergy,
            shared: alpha > 0 ? ((alpha - lambdaD) ** 2 / alpha) * contextEnergy : 0,
          }
        : null,
    lambdaZero: Math.sqrt(rowSquares(G).reduce((most, square) => Math.max(most, square), 0)),
    solveOwn: (L) => solveShifted(G, 1, L, B),
    solveShared(Lt) {
      return solveShifted(G, alpha, Lt, this.Bt);
    },
  };
}

/** (scale·G + diag L)⁻¹ B */
function solveShifted(G: Matrix, scale: number, L: Float64Array, B: Matrix): Matrix {
  const A = zeros(G.rows, G.cols);
  for (let at = 0; at < A.data.length; at++) A.data[at] = scale * G.data[at]!;
  for (let i = 0; i < G.rows; i++) A.data[i * G.cols + i]! += L[i]!;
  return solveCholesky(cholesky(A), B);
}

export function trace(A: Matrix): number {
  let sum = 0;
  for (let i = 0; i < A.rows; i++) sum += A.data[i * A.cols + i]!;
  return sum;
}
