import { takeRows, type Matrix, type TallMatrix } from '../../base/index.js';

/** Beyond this many standard deviations a value counts as if it lay there: one outlier must not decide a sum. */
const CLIP = 2.5;

/** z_i = (v_i − mean) / sd, limited to ±2.5; all zero if the values do not differ. */
export function standardise(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  if (!(sd > 1e-9 * Math.max(1, Math.abs(mean)))) return new Float64Array(values.length);
  return values.map((value) => Math.min(CLIP, Math.max(-CLIP, (value - mean) / sd)));
}

/** Videos of more shots are compared with an even selection of this many, so that the cost stays linear in their length. */
export const MAX_REFERENCES = 2000;

/** The shots of a video that its shots are compared with: all, or every k-th of very many. */
export type References = { readonly shots: readonly number[]; readonly rows: Matrix };

export function referencesOf(X: TallMatrix): References {
  const step = Math.ceil(X.rows / MAX_REFERENCES);
  const shots = Array.from({ length: Math.ceil(X.rows / step) }, (_, k) => k * step);
  return { shots, rows: takeRows(X, shots) };
}
