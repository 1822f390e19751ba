import {
  cholesky,
  type Matrix,
  mirrorLower,
  multiply,
  outerGram,
  rowSquares,
  semidefiniteFactor,
  solveCholesky,
  takeRows,
  transpose,
  zeros,
} from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { energies } from './reduce-to-shots.js';
import type { Reduced } from './reduced.js';
import { spanOf } from './span.js';
import type { CvsKnobs } from './types.js';

/**
 * The r × r form (docs/method.md). F (n × r) holds the shots in an orthonormal basis of their span, so G = FFᵀ:
 *   FᵀF = KKᵀ,  B = (1−λd) F K,         Z = (1−λd) L⁻¹ F H⁻¹ K,     H = I + Fᵀ L⁻¹ F
 *   M̃ = K̃K̃ᵀ,    B̃ = (α−λd) F K̃,         Z̃ = (α−λd) L̃⁻¹ F H̃⁻¹ K̃,    H̃ = I + α Fᵀ L̃⁻¹ F
 * An iteration costs O(nr² + r³): linear in the number of shots.
 */
export function reduceToFeatures(problem: Problem, knobs: CvsKnobs): Reduced {
  const { features, context, ownWeight } = problem;
  const [alpha, lambdaD] = [knobs.contextWeight, knobs.diversity];
  const { F, basis, kept } = spanOf(features, knobs.rank);
  const Ft = transpose(F);
  const P = multiply(Ft, F);
  const K = semidefiniteFactor(P);
  const FK = multiply(F, K);
  const Mt = context === null ? zeros(F.cols, F.cols) : inBasis(context.matrix, basis);
  for (let at = 0; at < Mt.data.length && ownWeight !== 0; at++) Mt.data[at]! -= ownWeight * P.data[at]!;
  mirrorLower(Mt);
  const Kt = semidefiniteFactor(Mt);
  const [scale, scaleShared] = [1 - lambdaD, alpha - lambdaD];
  const own = rowSquares(features).reduce((sum, square) => sum + square, 0);
  return {
    form: 'features',
    shotCount: F.rows,
    B: scaled(FK, scale),
    Bt: scaled(multiply(F, Kt), scaleShared),
    alpha,
    ...energies(problem, own, knobs),
    lambdaZero: Math.sqrt(rowSquares(FK).reduce((most, square) => Math.max(most, square), 0)),
    kept,
    solveOwn: (L) => pushThrough(F, 1, L, K, scale),
    solveShared: (Lt) => pushThrough(F, alpha, Lt, Kt, scaleShared),
    gramAmong: (shots) => outerGram(takeRows(F, shots)),
    gradientOwn: (shots, Z) => gradient(F, 1, shots, Z, K, scale),
    gradientShared: (shots, Zt) => gradient(F, alpha, shots, Zt, Kt, scaleShared),
  };
}

/** scale · L⁻¹ F (I + weight·Fᵀ L⁻¹ F)⁻¹ K */
function pushThrough(F: Matrix, weight: number, L: Float64Array, K: Matrix, scale: number): Matrix {
  const W = zeros(F.rows, F.cols);
  for (let i = 0; i < F.rows; i++) {
    const inverse = 1 / L[i]!;
    for (let at = i * F.cols; at < (i + 1) * F.cols; at++) W.data[at] = inverse * F.data[at]!;
  }
  const H = multiply(transpose(W), F);
  for (let at = 0; at < H.data.length; at++) H.data[at]! *= weight;
  for (let k = 0; k < H.rows; k++) H.data[k * H.cols + k]! += 1;
  return scaled(multiply(W, solveCholesky(cholesky(H), K)), scale);
}

/** weight·G·Z − B = F (weight·Fᵀ Z − scale·K) with Z zero outside the rows named. */
function gradient(F: Matrix, weight: number, shots: readonly number[], Z: Matrix, K: Matrix, scale: number): Matrix {
  const E = multiply(transpose(takeRows(F, shots)), Z);
  for (let at = 0; at < E.data.length; at++) E.data[at] = weight * E.data[at]! - scale * K.data[at]!;
  return multiply(F, E);
}

/** Uᵀ M U; `null` stands for the identity. */
function inBasis(M: Matrix, basis: Matrix | null): Matrix {
  if (basis === null) return { ...M, data: Float64Array.from(M.data) };
  return multiply(multiply(basis, M), transpose(basis));
}

function scaled(A: Matrix, factor: number): Matrix {
  for (let at = 0; at < A.data.length; at++) A.data[at]! *= factor;
  return A;
}
