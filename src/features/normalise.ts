import type { Matrix } from '../base/index.js';
import type { FeatureMatrix } from './types.js';

/** How the vector of a shot is scaled before shots are compared. */
export const NORMALISATIONS = ['root', 'length'] as const;
/** One of `NORMALISATIONS`. */
export type Normalisation = (typeof NORMALISATIONS)[number];

/**
 * length   x = u / ‖u‖
 * root     x = s / ‖s‖,  s_k = sign(u_k)·√|u_k|      (Perronnin, Sánchez and Mensink 2010: few strong entries count less)
 * A zero vector stays zero.
 */
export function normaliseShots({ shotCount, dim, data }: FeatureMatrix, how: Normalisation): Matrix {
  const scaled = Float64Array.from(
    data,
    how === 'root' ? (value) => Math.sign(value) * Math.sqrt(Math.abs(value)) : Number,
  );
  for (let start = 0; start < scaled.length; start += dim) {
    let squares = 0;
    for (let k = start; k < start + dim; k++) squares += scaled[k]! ** 2;
    const length = Math.sqrt(squares);
    if (length > 0) for (let k = start; k < start + dim; k++) scaled[k]! /= length;
  }
  return { rows: shotCount, cols: dim, data: scaled };
}
