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

/**
 * x = m · mean_t ‖f_t‖ / ‖m‖,   m = mean of the vectors f_t of the pictures sampled from a shot   (paper, section 3.1: mean pooling)
 * The length of x is the mean length of the pictures' vectors, which says how much there is to see: that of m would also say
 * how alike they are. Shots are compared after it is taken out (normalise.ts).
 */
export function poolPictures(vectors: readonly Float32Array[], dim: number): Float32Array {
  const mean = new Float64Array(dim);
  let length = 0;
  for (const vector of vectors) {
    let squares = 0;
    for (let k = 0; k < dim; k++) {
      mean[k]! += vector[k]! / vectors.length;
      squares += vector[k]! ** 2;
    }
    length += Math.sqrt(squares) / vectors.length;
  }
  const own = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(mean, (value) => (own > 0 ? (value * length) / own : 0));
}
