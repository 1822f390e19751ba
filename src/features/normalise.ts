import { type Matrix, sharedZeros } from '../base/index.js';
import type { FeatureMatrix } from './types.js';

/** How the vector of a shot is scaled before shots are compared. */
export const NORMALISATIONS = ['root', 'length'] as const;
/** One of `NORMALISATIONS`. */
export type Normalisation = (typeof NORMALISATIONS)[number];

/**
 * length   x = u / ‖u‖
 * root     x = s / ‖s‖,  s_k = sign(u_k)·√|u_k|      (Perronnin, Sánchez and Mensink 2010: few strong entries count less)
 * A zero vector stays zero. The result is in shared memory, so that threads need no copy of their own, or where it is wanted.
 */
export function normaliseShots(
  { shotCount, dim, data }: FeatureMatrix,
  how: Normalisation,
  result: Matrix = sharedZeros(shotCount, dim),
): Matrix {
  const scaled = result.data;
  for (let start = 0; start < scaled.length; start += dim) {
    let squares = 0;
    for (let k = start; k < start + dim; k++) {
      scaled[k] = how === 'root' ? Math.sign(data[k]!) * Math.sqrt(Math.abs(data[k]!)) : data[k]!;
    }
    for (let k = start; k < start + dim; k++) squares += scaled[k]! ** 2;
    const length = Math.sqrt(squares);
    if (length > 0) for (let k = start; k < start + dim; k++) scaled[k]! /= length;
  }
  return result;
}
