import {
  meanOfRows,
  cholesky,
  type Matrix,
  multiply,
  outerGram,
  solveCholesky,
  takeRows,
  transpose,
  unitRows,
  zeros,
} from '../../base/index.js';

/** Shots of the background that `sameness` compares with: the mean and deviation of so many are settled. */
const UNRELATED = 400;

/** What shots of varied, unrelated footage look like: the reference against which a topic and a shot stand out. */
export type Background = {
  /** Length of a vector. */
  readonly dim: number;
  /** μ: the mean of the normalised vectors. */
  readonly mean: Float64Array;
  /** Some of its shots, spread evenly, less μ and of length one, as columns: what `sameness` compares with. */
  readonly unrelated: Matrix;
  /** (C + λI)⁻¹ v, with C the covariance of the normalised vectors and λ its mean eigenvalue. */
  whiten(v: Float64Array): Float64Array;
};

/** The background from the vectors of its shots, one row each, normalised as shots are compared. */
export function backgroundOf(normalised: Matrix): Background {
  const { cols: dim } = normalised;
  const mean = meanOfRows(normalised);
  const centred = minusRow(normalised, mean);
  let made: ((V: Matrix) => Matrix) | null = null;
  return {
    dim,
    mean,
    unrelated: transpose(unitRows(takeRows(centred, spread(centred.rows)))),
    whiten: (v) => (made ??= whitener(centred, 1))({ rows: 1, cols: dim, data: v }).data,
  };
}

/** How unrelated footage varies: its mean, and (C + λI)⁻¹ applied to each row. λ is `ridge` mean eigenvalues of C. */
export function spreadOfRows(
  rows: Matrix,
  ridge: number,
): { readonly mean: Float64Array; whitenRows(V: Matrix): Matrix } {
  const mean = meanOfRows(rows);
  return { mean, whitenRows: whitener(minusRow(rows, mean), ridge) };
}

/** Places spread evenly over `count`, `UNRELATED` of them at most. */
function spread(count: number): number[] {
  const taken = Math.min(count, UNRELATED);
  return Array.from({ length: taken }, (_, k) => Math.floor((k * count) / taken));
}

/** The rows less `row`. */
export function minusRow(A: Matrix, row: Float64Array): Matrix {
  const B = zeros(A.rows, A.cols);
  for (let at = 0; at < A.data.length; at++) B.data[at] = A.data[at]! - row[at % A.cols]!;
  return B;
}

/** With Q = centred rows/√(N−1):  (QᵀQ + λI)⁻¹ v = (v − Qᵀ(λI + QQᵀ)⁻¹Qv)/λ,  an N × N system for N shots; v: each row. */
function whitener(centred: Matrix, ridge: number): (V: Matrix) => Matrix {
  const scale = 1 / Math.sqrt(Math.max(1, centred.rows - 1));
  const Q: Matrix = { ...centred, data: centred.data.map((value) => value * scale) };
  const A = outerGram(Q);
  const lambda = (ridge * Q.data.reduce((sum, value) => sum + value * value, 0)) / Q.cols;
  if (!(lambda > 0)) return (V) => V;
  for (let i = 0; i < A.rows; i++) A.data[i * A.cols + i]! += lambda;
  const R = cholesky(A);
  const Rt = transpose(R);
  return (V) => {
    const inside = solveCholesky(R, multiply(Q, transpose(V)), Rt);
    const back = multiply(transpose(inside), Q);
    return { ...V, data: V.data.map((value, at) => (value - back.data[at]!) / lambda) };
  };
}
