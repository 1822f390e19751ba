import { describe, expect, it } from 'vitest';

import { reduceOutput } from './onnx.js';

const values = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);

describe('what a network gives becomes a vector', () => {
  it.each([
    ['a vector, as it is', [1, 12], [...values]],
    ['one without a batch', [12], [...values]],
    ['one token', [1, 1, 12], [...values]],
    ['tokens, by their mean', [1, 4, 3], [5.5, 6.5, 7.5]],
    ['maps, by their mean over places', [1, 2, 3, 2], [3.5, 9.5]],
    ['maps of one place', [1, 12, 1, 1], [...values]],
    ['maps over time, by their mean over both', [1, 3, 2, 1, 2], [2.5, 6.5, 10.5]],
  ])('%s', (_, shape, expected) => {
    expect([...reduceOutput({ values, shape }, null)]).toEqual(expected);
    expect([...reduceOutput({ values, shape }, expected.length)]).toEqual(expected);
  });

  it('whole, in any shape, where that is the length asked for', () => {
    expect([...reduceOutput({ values, shape: [1, 2, 3, 2] }, 12)]).toEqual([...values]);
  });

  it.each([
    ['another length', { values, shape: [1, 4, 3] }, 4, 'a vector of 4 numbers'],
    ['several results', { values, shape: [2, 6] }, null, 'one result for one sample'],
    ['nothing', { values: new Float32Array(0), shape: [1, 0] }, null, 'shape 1 × 0'],
    ['no places', { values: new Float32Array(0), shape: [1, 3, 0, 0] }, null, 'finite'],
    ['what is no number', { values: Float32Array.of(1, NaN), shape: [1, 2] }, 2, 'finite'],
    ['what is too large', { values: Float32Array.of(Infinity, 0), shape: [1, 2] }, 2, 'finite'],
  ])('refuses %s', (_, output, dim, part) => {
    expect(() => reduceOutput(output, dim)).toThrow(expect.objectContaining({ code: 'bad-model' }));
    expect(() => reduceOutput(output, dim)).toThrow(part);
  });
});
