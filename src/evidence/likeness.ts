import { dot, rowBlocks, rowOf, type TallMatrix } from '../base/index.js';
import type { Background } from './background.js';

/**
 * Like the other videos, and unlike unrelated footage (Fisher's direction between the two):
 *   l_i = (x_i − μ)ᵀ (C + λI)⁻¹ (m − μ)
 * m: the mean over the other videos of their mean vectors, so the cost does not grow with the topic.
 */
export function likeness(X: TallMatrix, others: Float64Array, { mean, whiten }: Background): Float64Array {
  const direction = whiten(others.map((value, k) => value - mean[k]!));
  const atMean = dot(mean, direction);
  const values = new Float64Array(X.rows);
  for (const { first, block } of rowBlocks(X)) {
    for (let i = 0; i < block.rows; i++) values[first + i] = dot(rowOf(block, i), direction) - atMean;
  }
  return values;
}
