import { takeRows, type Matrix, type TallMatrix } from '../base/index.js';

/** Videos of more shots are compared with an even selection of this many, so that the cost stays linear in their length. */
export const MAX_REFERENCES = 2000;

/** The shots of a video that its shots are compared with: all, or every k-th of very many. */
export type References = { readonly shots: readonly number[]; readonly rows: Matrix };

export function referencesOf(X: TallMatrix): References {
  const step = Math.ceil(X.rows / MAX_REFERENCES);
  const shots = Array.from({ length: Math.ceil(X.rows / step) }, (_, k) => k * step);
  return { shots, rows: takeRows(X, shots) };
}
