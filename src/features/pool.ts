/**
 * x = mean of the vectors of the pictures sampled from a shot   (paper, section 3.1: mean pooling).
 * Its length says how much there is to see; shots are compared after it is taken out (normalise.ts).
 */
export function poolPictures(vectors: readonly Float32Array[], dim: number): Float32Array {
  const mean = new Float64Array(dim);
  for (const vector of vectors) {
    for (let k = 0; k < dim; k++) mean[k]! += vector[k]! / vectors.length;
  }
  return Float32Array.from(mean);
}
