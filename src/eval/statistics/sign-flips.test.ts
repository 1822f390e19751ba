import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holm, signFlipP } from '../index.js';

describe('exact sign flips', () => {
  it('by hand: sums of ±1 ±2 ±4 are ±7 ±5 ±3 ±1', () => {
    expect(signFlipP([1, 2, 4])).toBe(2 / 8);
    // 4 − 2 + 1 = 3: ±7, ±5 and ±3 are as far from zero.
    expect(signFlipP([1, -2, 4])).toBe(6 / 8);
    expect(signFlipP([1, 2, -4])).toBe(8 / 8);
  });

  it('by hand: with equal differences, three of four ahead is as likely as not by 10 of 16', () => {
    expect(signFlipP([1, 1, 1, -1])).toBe(10 / 16);
    expect(signFlipP([1, 1, 1, 1, 1])).toBe(2 / 32);
    expect(signFlipP([0.1, 0.1, 0.1 + 1e-17, 0.1, 0.1])).toBe(2 / 32);
  });

  it('gives 1 without differences, and null for one pair or too many', () => {
    expect(signFlipP([0, 0, 0])).toBe(1);
    expect(signFlipP([1])).toBeNull();
    expect(signFlipP(new Array<number>(25).fill(1))).toBeNull();
  });

  it('is the share of all patterns, whatever the differences', () => {
    const differences = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(differences, (given) => {
        const seen = Math.abs(given.reduce((sum, value) => sum + value, 0));
        let extreme = 0;
        for (let pattern = 0; pattern < 2 ** given.length; pattern++) {
          const sum = given.reduce((all, value, at) => all + (pattern & (1 << at) ? -value : value), 0);
          if (Math.abs(sum) >= seen) extreme++;
        }
        expect(signFlipP(given)).toBe(extreme / 2 ** given.length);
      }),
    );
  });
});

describe('Holm’s correction', () => {
  it('by hand: 0.01 · 4, 0.02 · 3, 0.03 · 2, and 0.04 no less than the one before', () => {
    const corrected = holm([0.03, 0.01, 0.04, 0.02]) as number[];
    [0.06, 0.04, 0.06, 0.06].forEach((p, at) => expect(corrected[at]).toBeCloseTo(p, 15));
  });

  it('never exceeds 1, leaves one alone, and passes over comparisons that were not made', () => {
    expect(holm([0.6, 0.7])).toEqual([1, 1]);
    expect(holm([0.04])).toEqual([0.04]);
    expect(holm([null, 0.02, null, 0.5])).toEqual([null, 0.04, null, 0.5]);
    expect(holm([])).toEqual([]);
  });
});
