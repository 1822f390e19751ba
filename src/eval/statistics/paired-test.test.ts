import { describe, expect, it } from 'vitest';
import { pairedTest } from '../index.js';
import oracle from '../scoring.oracle.json' with { type: 'json' };

describe('paired t-test', () => {
  it('by hand: 1 to 5 have mean 3, deviation √2.5, t = 3√2', () => {
    const test = pairedTest([1, 2, 3, 4, 5], 0.01)!;
    expect(test).toMatchObject({ pairCount: 5, degreesOfFreedom: 4, meanDifference: 3 });
    expect(test.effectSize).toBeCloseTo(3 / Math.sqrt(2.5), 14);
    expect(test.t).toBeCloseTo(3 * Math.SQRT2, 13);
    expect(test.p).toBeGreaterThan(0.01);
  });

  it.each(oracle.pairedTests.map((one) => [one.df + 1, one] as const))('agrees with SciPy on %i pairs', (_n, one) => {
    const differences = one.subject.map((value, pair) => value - one.row[pair]!);
    const test = pairedTest(differences, 0.01)!;
    expect(test.t! / one.t).toBeCloseTo(1, 11);
    expect(test.p / one.p).toBeCloseTo(1, 11);
    expect(test.degreesOfFreedom).toBe(one.df);
  });

  it('grows in power with the number of pairs that say the same', () => {
    const pairs = [0.1, -0.05, 0.2, 0.02, 0.08];
    const few = pairedTest(pairs, 0.01)!;
    const many = pairedTest(Array.from({ length: 10 }, () => pairs).flat(), 0.01)!;
    expect(few.power).toBeLessThan(0.2);
    expect(many.power).toBeGreaterThan(0.95);
  });

  it('answers when all differences are equal', () => {
    expect(pairedTest([0, 0, 0], 0.01)).toEqual({
      pairCount: 3,
      meanDifference: 0,
      degreesOfFreedom: 2,
      effectSize: 0,
      t: 0,
      p: 1,
      power: 0.01,
    });
    // 0.3 − 0.1 is not 0.2 in floats; that is no spread.
    expect(pairedTest([0.3 - 0.1, 0.2, 0.9 - 0.7], 0.01)).toMatchObject({ effectSize: null, t: null, p: 0, power: 1 });
  });

  it('has no answer for fewer than two pairs', () => {
    expect(pairedTest([0.4], 0.01)).toBeNull();
    expect(pairedTest([], 0.01)).toBeNull();
  });
});
