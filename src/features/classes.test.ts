import { describe, expect, it } from 'vitest';

import { matrixOf } from '../base/index.js';
import { classRoots, readClassHead } from './classes.js';
import { embeddedClassHead } from './embedded.js';
import { TINY, writeTflite } from './tiny-network.case.js';

describe('classes', () => {
  it('by hand: logits 0 and ln 3 are probabilities of a quarter and three quarters', () => {
    const head = { weights: matrixOf([[0, 1], [0, 2]]), bias: Float32Array.of(0, Math.log(3)) }; // prettier-ignore
    const roots = classRoots({ shotCount: 2, dim: 2, data: Float32Array.of(0, 0, 1000, 0) }, head);
    [0.5, Math.sqrt(0.75), 0, 1].forEach((value, at) => expect(roots.data[at]).toBeCloseTo(value, 7));
  });

  it('come from the last layer of the file, scaled as it says', () => {
    const head = {
      filter: { shape: [2, 5], type: 'int8', scale: [0.5], zero: [1], values: [1, 2, 3, 4, 5, 1, 1, 1, 1, -1] },
      bias: { shape: [2], type: 'int32', scale: [0.25], zero: [0], values: [4, -8] },
    } as const;
    const layers = TINY.layers.map((layer) => (layer.kind === 'fully-connected' ? { ...layer, ...head } : layer));
    const { weights, bias } = readClassHead(writeTflite({ ...TINY, layers }));
    expect([weights.rows, weights.cols]).toEqual([5, 2]);
    expect([...weights.data]).toEqual([0, 0, 0.5, 0, 1, 0, 1.5, 0, 2, -1]);
    expect([...bias]).toEqual([1, -2]);
    expect(() => readClassHead(writeTflite(TINY))).toThrow('it has no classifier');
  });

  it('of the embedded network are a thousand', async () => {
    const { weights, bias } = await embeddedClassHead();
    expect([weights.rows, weights.cols, bias.length]).toEqual([1280, 1000, 1000]);
  });
});
