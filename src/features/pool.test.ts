import { expect, it } from 'vitest';

import { PICTURES_EVERY, picturesEvery, poolPictures } from './index.js';

it('takes pictures as often in time above 30 frames a second, and never fewer than one in 32 frames', () => {
  const every = [0, 15, 30, 36, 59.94, 120, 90_000].map((rate) => picturesEvery(PICTURES_EVERY, rate));
  expect(every).toEqual([24, 24, 24, 29, 32, 32, 32]);
});

it('pools by hand: (3,0,0) and (1,0,4) have the mean (2,0,2) and the mean length (3 + √17)/2', () => {
  const pooled = poolPictures([Float32Array.of(3, 0, 0), Float32Array.of(1, 0, 4)], 3);
  const each = (3 + Math.sqrt(17)) / 2 / Math.SQRT2;
  [each, 0, each].forEach((value, k) => expect(pooled[k]).toBeCloseTo(value, 6));
});

it('is as long where the pictures of a shot differ as where they are alike', () => {
  const length = (...pictures: Float32Array[]): number => Math.hypot(...poolPictures(pictures, 2));
  const [a, b] = [Float32Array.of(5, 0), Float32Array.of(0, 5)];
  expect(length(a, a)).toBeCloseTo(5, 6);
  expect(length(a, b)).toBeCloseTo(5, 6);
});

it('does not depend on the order, nor on how often the same pictures come', () => {
  const [a, b] = [Float32Array.of(3, 1, -2), Float32Array.of(0.5, 0, 1)];
  const pooled = poolPictures([a, b], 3);
  expect(poolPictures([b, a], 3)).toEqual(pooled);
  expect(poolPictures([a, b, a, b], 3)).toEqual(pooled);
});

it('is zero without content: no pictures, dark pictures, pictures that cancel', () => {
  expect(poolPictures([], 2)).toEqual(new Float32Array(2));
  expect(poolPictures([new Float32Array(2)], 2)).toEqual(new Float32Array(2));
  expect(poolPictures([Float32Array.of(1, -1), Float32Array.of(-1, 1)], 2)).toEqual(new Float32Array(2));
});

it('does not change its input', () => {
  const given = Float32Array.of(3, 4);
  poolPictures([given], 2);
  expect([...given]).toEqual([3, 4]);
});
