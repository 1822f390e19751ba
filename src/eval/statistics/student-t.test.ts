import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { criticalT, powerOfTTest, twoSidedP } from '../index.js';
import oracle from '../scoring.oracle.json' with { type: 'json' };

type Row = [number, number, number];

const relative = (value: number, truth: number): number => Math.abs(value - truth) / truth;

describe('Student’s t', () => {
  it('has closed forms for one and two degrees of freedom', () => {
    for (const t of [0, 0.3, 1, 2, 10]) {
      expect(twoSidedP(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 14);
      expect(twoSidedP(t, 2)).toBeCloseTo(1 - t / Math.sqrt(2 + t * t), 14);
    }
  });

  it('agrees with the oracle from 1 down to 1e-254, on both sides', () => {
    for (const [df, t, p] of oracle.tails as Row[]) {
      expect(relative(twoSidedP(t, df), p), `df ${df}, t ${t}`).toBeLessThan(1e-12);
      expect(twoSidedP(-t, df)).toBe(twoSidedP(t, df));
    }
  });

  it('is 1 at zero and 0 at infinity', () => {
    expect(twoSidedP(0, 49)).toBe(1);
    expect(twoSidedP(Infinity, 49)).toBe(0);
    expect(twoSidedP(1e300, 3)).toBe(0);
  });

  it('falls with t', () => {
    const t = fc.double({ min: 0, max: 50, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), t, t, (df, a, b) => {
        expect(twoSidedP(Math.max(a, b), df)).toBeLessThanOrEqual(twoSidedP(Math.min(a, b), df) * (1 + 1e-12));
      }),
    );
  });

  it('is exceeded by one in a hundred where the oracle says', () => {
    for (const [df, t] of oracle.criticals as [number, number][])
      expect(relative(criticalT(oracle.level, df), t), `df ${df}`).toBeLessThan(1e-12);
  });
});

describe('power of the t-test', () => {
  it('agrees with the oracle from no shift to a hundred, on both sides', () => {
    for (const [df, shift, power] of oracle.powers as Row[]) {
      const ours = powerOfTTest(shift, df, oracle.level);
      expect(Math.abs(ours - power), `df ${df}, shift ${shift}`).toBeLessThan(1e-13);
      expect(powerOfTTest(-shift, df, oracle.level)).toBe(ours);
    }
  });

  it('is the level without an effect, and 1 with an endless one', () => {
    expect(powerOfTTest(0, 24, 0.05)).toBeCloseTo(0.05, 13);
    expect(powerOfTTest(1e9, 1, 0.01)).toBe(1);
    expect(powerOfTTest(Infinity, 1, 0.01)).toBe(1);
  });
});
