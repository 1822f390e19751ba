import { describe, expect, it } from 'vitest';
import { firstShots, liftOf } from './names.js';

describe('the first 15 %', () => {
  it('is rounded to the nearest, halves up, and at least one shot', () => {
    expect([1, 3, 9, 10, 16, 17, 20, 30, 100].map(firstShots)).toEqual([1, 1, 1, 2, 2, 3, 3, 5, 15]);
  });
});

describe('lift by hand', () => {
  // Mean 3, squares 4 + 1 + 0 + 1 + 4 of 5 shots: a deviation of √2.
  const marks = Float64Array.from([5, 4, 3, 2, 1]);

  it('is how far the first shots are above the mean, in deviations', () => {
    expect(liftOf([[0], [1], [2], [3], [4]], marks, 1)).toBeCloseTo(Math.SQRT2, 14);
    expect(liftOf([[0], [1], [2], [3], [4]], marks, 2)).toBeCloseTo(1.5 / Math.SQRT2, 14);
    expect(liftOf([[4], [3], [2], [1], [0]], marks, 2)).toBeCloseTo(-1.5 / Math.SQRT2, 14);
  });

  it('is zero for all shots, and the mean of a tier for a place in it', () => {
    expect(liftOf([[2], [0], [1], [4], [3]], marks, 5)).toBeCloseTo(0, 14);
    // One place in {0, 4}, whose mean is 3; then both.
    expect(liftOf([[0, 4], [1, 2, 3]], marks, 1)).toBeCloseTo(0, 14); // prettier-ignore
    expect(liftOf([[0, 1], [2, 3, 4]], marks, 3)).toBeCloseTo(((5 + 4 + 2) / 3 - 3) / Math.SQRT2, 14); // prettier-ignore
  });

  it('has no value if all shots are marked alike', () => {
    expect(liftOf([[0], [1]], Float64Array.from([0.1 + 0.2, 0.3]), 1)).toBeNull();
    expect(liftOf([], new Float64Array(0), 1)).toBeNull();
  });
});
