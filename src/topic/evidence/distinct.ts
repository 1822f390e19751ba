import { multiply, rowBlocks, type TallMatrix, transpose } from '../../base/index.js';
import type { References } from './standardise.js';

/** The share of a video's shots that count as a shot's neighbourhood. */
const NEAREST = 0.1;
/** How fast likeness falls with distance when a shot is compared with the whole video. */
const DECAY = 2;

/**
 * Different from its nearest, yet part of what the whole video shows (local dissimilarity × global consistency):
 *   a_i = mean distance to the nearest tenth of the shots,   u_i = log mean over all j of exp(−2 d_ij),   d = ‖x_i − x_j‖
 *   c_i = scaled(a)_i · scaled(u)_i,   each scaled to 0…1 within the video
 */
export function distinct(X: TallMatrix, references: References): Float64Array {
  const [apart, typical] = [new Float64Array(X.rows), new Float64Array(X.rows)];
  const count = references.shots.length;
  const nearest = Math.min(count - 1, Math.max(1, Math.ceil(NEAREST * count)));
  if (nearest < 1) return apart;
  const columns = transpose(references.rows);
  const isReference = new Map(references.shots.map((shot, at) => [shot, at]));
  const distances = new Float64Array(count);
  for (const { first, block } of rowBlocks(X)) {
    const S = multiply(block, columns);
    for (let i = 0; i < block.rows; i++) {
      let near = 0;
      for (let j = 0; j < count; j++) {
        distances[j] = Math.sqrt(Math.max(0, 2 - 2 * S.data[i * count + j]!));
        near += Math.exp(-DECAY * distances[j]!);
      }
      typical[first + i] = Math.log(near / count);
      const own = isReference.get(first + i);
      if (own !== undefined) distances[own] = Infinity;
      distances.sort();
      for (let j = 0; j < nearest; j++) apart[first + i]! += distances[j]! / nearest;
    }
  }
  const [a, u] = [toUnit(apart), toUnit(typical)];
  return a.map((value, i) => value * u[i]!);
}

function toUnit(values: Float64Array): Float64Array {
  const [low, high] = values.reduce(([min, max], value) => [Math.min(min, value), Math.max(max, value)], [Infinity, -Infinity]); // prettier-ignore
  return values.map((value) => (high > low ? (value - low) / (high - low) : 0));
}
