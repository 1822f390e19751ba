import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { rational, rescale } from '../base/index.js';
import { SAMPLE_RATE, sliceSound } from './sound.js';

describe('sliceSound', () => {
  it('rounds by hand: three stretches of one NTSC frame are 1602, 1601 and 1602 samples, not three times 1602', () => {
    const stretches = [10, 20, 30].map((start) => ({ start, end: start + 1 }));
    const slices = sliceSound(stretches, rational(1001, 30_000));
    // One frame is 1601.6 samples: the film reaches 1601.6, 3203.2 and 4804.8.
    expect(slices.map((slice) => slice.length)).toEqual([1602, 1601, 1602]);
    expect(slices.map((slice) => slice.from)).toEqual([16_016, 32_032, 48_048]);
  });

  it('never drifts from the picture by more than half a sample, however many cuts', () => {
    const base = rational(1, 90_000);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 200 }), (lengths) => {
        let start = 0;
        const stretches = lengths.map((length) => {
          const stretch = { start, end: start + length };
          start += length + 17;
          return stretch;
        });
        const samples = sliceSound(stretches, base).reduce((sum, slice) => sum + slice.length, 0);
        const ticks = lengths.reduce((sum, length) => sum + length, 0);
        return samples === rescale(ticks, base, rational(1, SAMPLE_RATE));
      }),
    );
  });
});
