import { expect, it } from 'vitest';

import { matrixOf } from '../base/index.js';
import { sameViewFrom, usualLikeness, viewsOf } from './index.js';

/** A unit vector at this angle. */
const at = (degrees: number): number[] => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];

it('gives shots the view of the most similar first shot, or a new one', () => {
  // cos 20° = 0.94: 15° belongs to 0°, 60° is new, 50° is nearer to 60°, 35° to neither, then 30° belongs to 35°.
  const looks = matrixOf([0, 15, 60, 50, 35, 30, 0].map(at));
  expect(viewsOf(looks, 0.94)).toEqual([0, 0, 1, 1, 2, 2, 0]);
  expect(viewsOf(looks, -1)).toEqual(Array(7).fill(0));
  expect(viewsOf(matrixOf([], 2), 0.9)).toEqual([]);
});

it('calls shots the same by their distance as a share of that of unrelated ones', () => {
  // ‖x − y‖² = 2(1 − x·y): at 0.7 of the distance of shots with x·y = 0.5, that is 0.36.
  expect(2 * (1 - sameViewFrom(0.5))).toBeCloseTo(0.49 * 2 * (1 - 0.5), 12);
  expect(sameViewFrom(0.99)).toBe(0.97);
  expect(usualLikeness(matrixOf([at(0), at(90)]))).toBeCloseTo(0.5, 12);
});
