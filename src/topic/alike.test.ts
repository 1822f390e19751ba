import { describe, expect, it } from 'vitest';

import { type Matrix, matrixOf } from '../base/index.js';
import { alikeAcrossShapes, alikeFrom, sumOfShots } from './index.js';

const alike = (videos: Matrix[]): number => alikeFrom(videos.map(sumOfShots));

describe('nearly the same', () => {
  it('is six tenths as far as shots of different videos are on average', () => {
    // Pairs across: (1,0)·(0,1) = 0, (1,0)·(0.6,0.8) = 0.6; their mean is 0.3, so 1 − 0.36·0.7.
    const videos = [matrixOf([[1, 0]]), matrixOf([[0, 1], [0.6, 0.8]])]; // prettier-ignore
    expect(alike(videos)).toBeCloseTo(0.748, 12);
  });

  it('reaches to three quarters between an upright and a wide picture', () => {
    expect(alikeAcrossShapes(1 - 0.36 * 0.7)).toBeCloseTo(1 - 0.5625 * 0.7, 12);
  });

  it('counts pairs of one video not at all, and every video by its shots', () => {
    const three = [matrixOf([[1, 0], [1, 0]]), matrixOf([[0, 1]]), matrixOf([[0.6, 0.8]])]; // prettier-ignore
    // 0, 0, 0.6, 0.6 from the first, 0.8 between the others: 2.0 / 5.
    expect(alike(three)).toBeCloseTo(1 - 0.36 * 0.6, 12);
  });

  it('is never stricter than what is surely the same, in a topic of one thing or of one video', () => {
    expect(alike([matrixOf([[1, 0]]), matrixOf([[1, 0]])])).toBe(0.97);
    expect(alike([matrixOf([[1, 0], [0, 1]])])).toBe(0.97); // prettier-ignore
    expect(alike([])).toBe(0.97);
  });
});
