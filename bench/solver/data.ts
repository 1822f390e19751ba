import { type Matrix, random, zeros } from '../../src/base/index.js';
import { addMoments, emptyMoment, type Moment, momentOf } from '../../src/topic/index.js';

/** Shots like a video's: `sceneCount` scenes of a common topic, features non-negative and of unit length. */
export function makeShots(seed: number, shots: number, dim: number, sceneCount = 40): Matrix {
  const topic = random(7);
  const centres = Array.from({ length: sceneCount }, () =>
    Float64Array.from({ length: dim }, () => topic.normal() ** 2),
  );
  const { below, normal } = random(seed);
  const X = zeros(shots, dim);
  for (let i = 0; i < shots; i++) {
    const centre = centres[below(sceneCount)]!;
    let square = 0;
    for (let k = 0; k < dim; k++) {
      const value = Math.max(0, centre[k]! + 0.7 * normal());
      X.data[i * dim + k] = value;
      square += value * value;
    }
    for (let k = 0; k < dim; k++) X.data[i * dim + k]! /= Math.sqrt(square);
  }
  return X;
}

/** The moment of many shots, made and counted a few thousand at a time. */
export function makeMoment(seed: number, shots: number, dim: number): Moment {
  let moment = emptyMoment(dim);
  for (let done = 0; done < shots; done += 10_000) {
    moment = addMoments(moment, momentOf(makeShots(seed + done, Math.min(10_000, shots - done), dim)));
  }
  return moment;
}
