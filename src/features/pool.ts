/**
 * x = u / ‖u‖,  u = Σ vectors of the pictures sampled from a shot   (paper, section 3.1: mean pooling).
 * Unit length makes the inner product of two shots their cosine, so that no shot weighs more for being high in contrast;
 * it also makes dividing by the number of pictures needless. A zero sum stays zero.
 */
export function poolPictures(vectors: readonly Float32Array[], dim: number): Float32Array {
  const sum = new Float64Array(dim);
  for (const vector of vectors) {
    for (let k = 0; k < dim; k++) sum[k]! += vector[k]!;
  }
  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
  return length > 0 ? Float32Array.from(sum, (value) => value / length) : new Float32Array(dim);
}
