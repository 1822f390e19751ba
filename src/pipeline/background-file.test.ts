import { describe, expect, it } from 'vitest';

import { matrixOf } from '../base/index.js';
import { decodeBackground, encodeBackground } from './evidence.js';

const file = {
  raw: matrixOf([
    [0, 1, -4],
    [2, 0, 0.5],
    [0, 0, 0],
  ]),
  features: 'a network, layer 3',
  sources: [
    { sha256: 'aa', shots: 2 },
    { sha256: 'bb', shots: 1 },
  ],
};

describe('a background file', () => {
  it('is read back, values to within 1/127 of the root of the largest', () => {
    const { raw, features, sources } = decodeBackground(encodeBackground(file), 'x');
    expect({ features, sources }).toEqual({ features: file.features, sources: file.sources });
    file.raw.data.forEach((value, at) => {
      expect(Math.sign(raw.data[at]!)).toBe(Math.sign(value));
      expect(Math.abs(Math.sqrt(Math.abs(raw.data[at]!)) - Math.sqrt(Math.abs(value)))).toBeLessThan(2 / 127);
    });
  });

  it('is refused wherever a byte is changed or cut off', () => {
    const bytes = encodeBackground(file);
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x55;
      expect(() => decodeBackground(changed, 'x')).toThrow('Expected a background file in "x", found');
      expect(() => decodeBackground(bytes.subarray(0, at), 'x')).toThrow('Expected a background file in "x", found');
    }
  });
});
