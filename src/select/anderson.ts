import { dot, type Matrix, trace, zeros } from '../base/index.js';

/**
 * Anderson's leap for a fixed point x = Φ(x), from points x_t and their images Φ(x_t):
 *   Σ w_t Φ(x_t),   the weights summing to one and making ‖Σ w_t (Φ(x_t) − x_t)‖ least.
 * `null` where the steps say too little to tell.
 */
export function andersonLeap(points: readonly Float64Array[], images: readonly Float64Array[]): Float64Array | null {
  const count = points.length;
  const steps = points.map((point, t) => images[t]!.map((value, k) => value - point[k]!));
  const N = zeros(count, count);
  for (let s = 0; s < count; s++) {
    for (let t = 0; t <= s; t++) N.data[s * count + t] = N.data[t * count + s] = dot(steps[s]!, steps[t]!);
  }
  const weights = solveOnes(N);
  if (weights === null) return null;
  const leap = new Float64Array(points[0]!.length);
  weights.forEach((weight, t) => {
    for (let k = 0; k < leap.length; k++) leap[k]! += weight * images[t]![k]!;
  });
  return leap;
}

/** w with N·w ∝ 1 and Σw = 1, N nudged away from singular. */
function solveOnes(N: Matrix): number[] | null {
  const count = N.rows;
  const nudge = 1e-12 * trace(N);
  const rows = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count + 1 }, (_, j) => (j === count ? 1 : N.data[i * count + j]! + (i === j ? nudge : 0))),
  );
  for (let k = 0; k < count; k++) {
    const pivot = rows[k]![k]!;
    if (!(pivot > 0)) return null;
    for (let i = 0; i < count; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]! / pivot;
      for (let j = k; j <= count; j++) rows[i]![j]! -= factor * rows[k]![j]!;
    }
  }
  const raw = rows.map((row, k) => row[count]! / row[k]!);
  const sum = raw.reduce((total, value) => total + value, 0);
  return Number.isFinite(1 / sum) ? raw.map((value) => value / sum) : null;
}
