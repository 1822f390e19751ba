import { describe, expect, it } from 'vitest';

import { matrixOf } from '../base/index.js';
import { alikeFrom } from './index.js';

describe('nearly the same', () => {
  it('is six tenths as far as shots of different videos are on average', () => {
    // Pairs across: (1,0)·(0,1) = 0, (1,0)·(0.6,0.8) = 0.6; their mean is 0.3, so 1 − 0.36·0.7.
    const videos = [matrixOf([[1, 0]]), matrixOf([[0, 1], [0.6, 0.8]])]; // prettier-ignore
    expect(alikeFrom(videos)).toBeCloseTo(0.748, 12);
  });

  it('counts pairs of one video not at all, and every video by its shots', () => {
    const three = [matrixOf([[1, 0], [1, 0]]), matrixOf([[0, 1]]), matrixOf([[0.6, 0.8]])]; // prettier-ignore
    // 0, 0, 0.6, 0.6 from the first, 0.8 between the others: 2.0 / 5.
    expect(alikeFrom(three)).toBeCloseTo(1 - 0.36 * 0.6, 12);
  });

  it('is never stricter than what is surely the same, in a topic of one thing or of one video', () => {
    expect(alikeFrom([matrixOf([[1, 0]]), matrixOf([[1, 0]])])).toBe(0.97);
    expect(alikeFrom([matrixOf([[1, 0], [0, 1]])])).toBe(0.97); // prettier-ignore
    expect(alikeFrom([])).toBe(0.97);
  });
});
