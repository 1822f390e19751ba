import { multiply, rowBlocks, type TallMatrix, unitRows } from '../base/index.js';
import { type Background, minusRow } from './background.js';

/** How much the nearest shots of the background count more than the others. */
const SHARPNESS = 4;

/**
 * Unlike unrelated footage:  u_i = −log mean over the background of exp(4 x̂_i·ŷ),   x̂ = (x − μ)/‖x − μ‖.
 * Titles, skies and talking heads are in every folder; people skip them.
 */
export function unlike(X: TallMatrix, { mean, directions }: Background): Float64Array {
  const values = new Float64Array(X.rows);
  for (const { first, block } of rowBlocks(X)) {
    const S = multiply(unitRows(minusRow(block, mean)), directions);
    for (let i = 0; i < block.rows; i++) {
      let sum = 0;
      for (let j = 0; j < S.cols; j++) sum += Math.exp(SHARPNESS * S.data[i * S.cols + j]!);
      values[first + i] = -Math.log(sum / S.cols);
    }
  }
  return values;
}
