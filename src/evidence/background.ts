import {
  meanOfRows,
  cholesky,
  dot,
  type Matrix,
  multiply,
  outerGram,
  rowOf,
  solveCholesky,
  zeros,
} from '../base/index.js';

/** Steps of Weiszfeld's iteration towards the geometric median; the direction is settled long before. */
const MEDIAN_STEPS = 20;

/** What shots of varied, unrelated footage look like: the reference against which a topic and a shot stand out. */
export type Background = {
  /** Length of a vector. */
  readonly dim: number;
  /** μ: the mean of the normalised vectors. */
  readonly mean: Float64Array;
  /** mean − geometric median of the raw vectors: where unrelated footage has its long tail. */
  readonly tail: Float64Array;
  /** (C + λI)⁻¹ v, with C the covariance of the normalised vectors and λ its mean eigenvalue. */
  whiten(v: Float64Array): Float64Array;
};

/** The background from its shots, one row each: `raw` as the network gives them, `normalised` as shots are compared. */
export function backgroundOf(raw: Matrix, normalised: Matrix): Background {
  const { cols: dim } = normalised;
  const mean = meanOfRows(normalised);
  const centred = minusRow(normalised, mean);
  let made: ((v: Float64Array) => Float64Array) | null = null;
  return {
    dim,
    mean,
    tail: tailOf(raw),
    whiten: (v) => (made ??= whitener(centred))(v),
  };
}

/** The rows less `row`. */
export function minusRow(A: Matrix, row: Float64Array): Matrix {
  const B = zeros(A.rows, A.cols);
  for (let at = 0; at < A.data.length; at++) B.data[at] = A.data[at]! - row[at % A.cols]!;
  return B;
}

/** The geometric median g minimises Σ ‖y − g‖:  g ← Σ y/‖y − g‖ / Σ 1/‖y − g‖   (Weiszfeld 1937, from the mean). */
function tailOf(raw: Matrix): Float64Array {
  const mean = meanOfRows(raw);
  let median = mean;
  for (let step = 0; step < MEDIAN_STEPS; step++) {
    const sum = new Float64Array(raw.cols);
    let weights = 0;
    for (let i = 0; i < raw.rows; i++) {
      const row = rowOf(raw, i);
      const distance = Math.sqrt(row.reduce((squares, value, k) => squares + (value - median[k]!) ** 2, 0));
      if (distance === 0) continue;
      row.forEach((value, k) => (sum[k]! += value / distance));
      weights += 1 / distance;
    }
    if (weights === 0) break;
    median = sum.map((value) => value / weights);
  }
  return mean.map((value, k) => value - median[k]!);
}

/** With Q = centred rows/√(N−1):  (QᵀQ + λI)⁻¹ v = (v − Qᵀ(λI + QQᵀ)⁻¹Qv)/λ,  an N × N system for N shots. */
function whitener(centred: Matrix): (v: Float64Array) => Float64Array {
  const scale = 1 / Math.sqrt(Math.max(1, centred.rows - 1));
  const Q: Matrix = { ...centred, data: centred.data.map((value) => value * scale) };
  const A = outerGram(Q);
  const lambda = Q.data.reduce((sum, value) => sum + value * value, 0) / Q.cols;
  if (!(lambda > 0)) return (v) => v;
  for (let i = 0; i < A.rows; i++) A.data[i * A.cols + i]! += lambda;
  const R = cholesky(A);
  return (v) => {
    const Qv = zeros(Q.rows, 1);
    for (let i = 0; i < Q.rows; i++) Qv.data[i] = dot(rowOf(Q, i), v);
    const inside = solveCholesky(R, Qv);
    const back = multiply({ rows: 1, cols: Q.rows, data: inside.data }, Q);
    return v.map((value, k) => (value - back.data[k]!) / lambda);
  };
}
