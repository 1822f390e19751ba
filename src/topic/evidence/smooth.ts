import { multiply, rowBlocks, type TallMatrix, transpose, unitRows } from '../../base/index.js';
import { minusRow } from './background.js';
import { type References, standardise } from './standardise.js';

/** Beyond this many σ a neighbour in time counts nothing. */
const REACH = 4;
/** How much look-alike shots count more than others when they share evidence. */
const SHARPNESS = 3;

/**
 * In time:  e_i ← Σ_j e_j exp(−½((t_i − t_j)/σ)²) / Σ_j exp(…),   t in seconds, ascending.
 * What matters in a video lasts longer than a shot; single values are noise.
 */
export function smoothInTime(values: Float64Array, seconds: ArrayLike<number>, sigma: number): Float64Array {
  if (sigma === 0) return values;
  let first = 0;
  return values.map((_, i) => {
    const t = seconds[i]!;
    while (t - seconds[first]! > REACH * sigma) first++;
    let [sum, weights] = [0, 0];
    for (let j = first; j < values.length && seconds[j]! - t <= REACH * sigma; j++) {
      const weight = Math.exp(-0.5 * ((t - seconds[j]!) / sigma) ** 2);
      sum += weight * values[j]!;
      weights += weight;
    }
    return sum / weights;
  });
}

/**
 * Among shots that look alike:  e_i ← ½ e_i + ½ Σ_j e_j exp(3 x̂_i·x̂_j) / Σ_j exp(…),   x̂ = (x − μ)/‖x − μ‖,
 * both halves standardised. A view that returns is worth the same each time.
 */
export function shareAmongAlike(
  values: Float64Array,
  X: TallMatrix,
  references: References,
  mean: Float64Array,
): Float64Array {
  const columns = transpose(unitRows(minusRow(references.rows, mean)));
  const shared = new Float64Array(values.length);
  for (const { first, block } of rowBlocks(X)) {
    const S = multiply(unitRows(minusRow(block, mean)), columns);
    for (let i = 0; i < block.rows; i++) {
      let [sum, weights] = [0, 0];
      for (let j = 0; j < S.cols; j++) {
        const weight = Math.exp(SHARPNESS * S.data[i * S.cols + j]!);
        sum += weight * values[references.shots[j]!]!;
        weights += weight;
      }
      shared[first + i] = sum / weights;
    }
  }
  const [own, alike] = [standardise(values), standardise(shared)];
  return own.map((value, i) => (value + alike[i]!) / 2);
}
