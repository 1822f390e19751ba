import { expect, it } from 'vitest';

import { PICTURES_EVERY, picturesEvery, poolPictures } from './index.js';

it('takes pictures as often in time above 30 frames a second, and never fewer than one in 32 frames', () => {
  const every = [0, 15, 30, 36, 59.94, 120, 90_000].map((rate) => picturesEvery(PICTURES_EVERY, rate));
  expect(every).toEqual([24, 24, 24, 29, 32, 32, 32]);
});

it('pools by hand: the mean of (1,0,0) and (2,0,4) is (1.5,0,2), its length kept', () => {
  const pooled = poolPictures([Float32Array.of(1, 0, 0), Float32Array.of(2, 0, 4)], 3);
  expect([...pooled]).toEqual([1.5, 0, 2]);
});

it('does not depend on the order, nor on how often the same pictures come', () => {
  const [a, b] = [Float32Array.of(3, 1, -2), Float32Array.of(0.5, 0, 1)];
  const pooled = poolPictures([a, b], 3);
  expect(poolPictures([b, a], 3)).toEqual(pooled);
  expect(poolPictures([a, b, a, b], 3)).toEqual(pooled);
});

it('keeps nothing as zero: no pictures, dark pictures, pictures that cancel', () => {
  expect(poolPictures([], 2)).toEqual(new Float32Array(2));
  expect(poolPictures([new Float32Array(2)], 2)).toEqual(new Float32Array(2));
  expect(poolPictures([Float32Array.of(1, -1), Float32Array.of(-1, 1)], 2)).toEqual(new Float32Array(2));
});

it('leaves what it was given as it was', () => {
  const given = Float32Array.of(3, 4);
  poolPictures([given], 2);
  expect([...given]).toEqual([3, 4]);
});
