import {
  leadingEigenvectors,
  type Matrix,
  mirrorLower,
  multiply,
  rowOf,
  stackRows,
  transpose,
  zeros,
} from '../base/index.js';
import { centred } from './likeness.js';

/** `dims` directions are kept; `shrink` in [0, 1] keeps a part of how much their spreads differ: 0 makes them all equal. */
export type WhitenKnobs = { readonly dims: number; readonly shrink?: number };

/** Directions in which the shots differ less than this share of the first one are roundings. */
const SMALLEST_SPREAD = 1e-9;

/**
 * PCA-whitening on the topic. With the mean μ of all its shots, and their spread λ_k along direction v_k, largest first,
 *     y = z / ‖z‖,   z_k = v_k·(x − μ) / √((1 − s)·λ_k + s·λ̄),   k = 1 … dims
 * so that no direction counts for more because many shots differ in it. A zero vector stays zero; where all shots are the
 * same there is nothing to even out, and the vectors stay as they are.
 */
export function whitenTopic(features: readonly Matrix[], { dims, shrink = 0 }: WhitenKnobs): Matrix[] {
  const all = stackRows(features);
  const apart = centred(all);
  const spread = multiply(transpose(apart), apart);
  mirrorLower(spread);
  const { values, vectors } = leadingEigenvectors(spread, Math.min(dims, all.rows, all.cols), 0);
  const kept = values.filter((value) => value > SMALLEST_SPREAD * values[0]!).length;
  if (kept === 0 || !(values[0]! > 0)) return [...features];
  const typical = values.slice(0, kept).reduce((sum, value) => sum + value, 0) / kept;
  const along = multiply(apart, transpose(vectors));
  const whitened = zeros(all.rows, kept);
  for (let i = 0; i < all.rows; i++) {
    if (rowOf(all, i).every((value) => value === 0)) continue;
    const [from, to] = [rowOf(along, i), rowOf(whitened, i)];
    for (let k = 0; k < kept; k++) to[k] = from[k]! / Math.sqrt((1 - shrink) * values[k]! + shrink * typical);
    const length = Math.sqrt(to.reduce((sum, value) => sum + value * value, 0));
    if (length > 0) to.forEach((value, k) => (to[k] = value / length));
  }
  let first = 0;
  return features.map(({ rows }) => {
    const data = whitened.data.slice(first * kept, (first + rows) * kept);
    first += rows;
    return { rows, cols: kept, data };
  });
}
