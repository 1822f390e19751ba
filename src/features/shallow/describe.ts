import { CENTRIST_DIM, centrist } from './centrist.js';
import { COLOUR_MOMENTS_DIM, colourMoments } from './colour-moments.js';
import { DENSE_SIFT_DIM, denseSift } from './dense-sift.js';
import { grayOf, type RgbPicture } from './picture.js';

/** Length of a picture's vector. */
export const SHALLOW_DIM = CENTRIST_DIM + DENSE_SIFT_DIM + COLOUR_MOMENTS_DIM;

/**
 * CENTRIST, dense SIFT and colour moments, one after the other, each of length 1/√3: none outweighs the others, and the
 * inner product of two pictures is the mean of three cosines. A part without content, as in a black frame, is 0.
 */
export function describePicture(picture: RgbPicture): Float32Array {
  const gray = grayOf(picture);
  const parts = [centrist(gray), denseSift(gray), colourMoments(picture)];
  const vector = new Float32Array(SHALLOW_DIM);
  let at = 0;
  for (const part of parts) {
    const length = Math.sqrt(3 * part.reduce((sum, value) => sum + value * value, 0));
    for (const value of part) vector[at++] = length > 0 ? value / length : 0;
  }
  return vector;
}
