import { describe, expect, it } from 'vitest';

import { matrixOf } from '../base/index.js';
import { classRoots, embeddedClassHead } from './embedded.js';

describe('classes', () => {
  it('by hand: logits 0 and ln 3 are probabilities of a quarter and three quarters', () => {
    const head = { weights: matrixOf([[0, 1], [0, 2]]), bias: Float32Array.of(0, Math.log(3)) }; // prettier-ignore
    const roots = classRoots({ shotCount: 2, dim: 2, data: Float32Array.of(0, 0, 1000, 0) }, head);
    [0.5, Math.sqrt(0.75), 0, 1].forEach((value, at) => expect(roots.data[at]).toBeCloseTo(value, 7));
  });

  it('of the embedded network are a thousand', async () => {
    const { weights, bias } = await embeddedClassHead();
    expect([weights.rows, weights.cols, bias.length]).toEqual([1280, 1000, 1000]);
  });
});
