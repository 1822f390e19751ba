import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kendallTau, ranksOf, ranksOfOrder, spearmanRho } from '../index.js';
import oracle from '../scoring.oracle.json' with { type: 'json' };

const tau = (x: readonly number[], y: readonly number[]): number | null => kendallTau(ranksOf(x), ranksOf(y));
const rho = (x: readonly number[], y: readonly number[]): number | null => spearmanRho(ranksOf(x), ranksOf(y));

describe('correlations by hand, five shots with a tie on each side', () => {
  const [x, y] = [
    [1, 2, 2, 3, 4],
    [1, 3, 2, 2, 5],
  ];

  it('τ-b: 7 concordant, 1 discordant, 9 untied pairs a side', () => {
    expect(tau(x, y)).toBeCloseTo(6 / 9, 15);
  });

  it('ρ: mid-ranks 1 2½ 2½ 4 5 and 1 4 2½ 2½ 5', () => {
    expect(rho(x, y)).toBeCloseTo(7.25 / 9.5, 15);
  });

  it('is undefined when one side says nothing', () => {
    for (const measure of [tau, rho]) {
      expect(measure([2, 2, 2], [1, 2, 3])).toBeNull();
      expect(measure([1, 2, 3], [2, 2, 2])).toBeNull();
      expect(measure([1], [1])).toBeNull();
      expect(measure([], [])).toBeNull();
    }
  });

  it('ranks an order with the first shot highest', () => {
    expect(kendallTau(ranksOfOrder([2, 0, 1]), ranksOf([5, 1, 9]))).toBe(1);
    expect(spearmanRho(ranksOfOrder([1, 0, 2]), ranksOf([5, 1, 9]))).toBe(-1);
  });

  it('refuses what cannot be ranked', () => {
    expect(() => ranksOf([1, Number.NaN])).toThrow('found NaN at place 1');
    expect(() => ranksOf([Infinity, 1])).toThrow('finite');
  });
});

describe('correlations against SciPy', () => {
  it.each(oracle.correlations.map((one) => [one.x.length, one] as const))('%i items', (_count, one) => {
    expect(tau(one.x, one.y)).toBeCloseTo(one.tau, 12);
    expect(rho(one.x, one.y)).toBeCloseTo(one.rho, 12);
  });
});

describe('correlations of anything', () => {
  const pairs = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), { maxLength: 40 });

  it('τ-b is the sum over all pairs', () => {
    fc.assert(
      fc.property(pairs, (items) => {
        const [x, y] = [items.map(([a]) => a), items.map(([, b]) => b)];
        let [excess, untiedX, untiedY] = [0, 0, 0];
        for (let i = 0; i < items.length; i++)
          for (let j = 0; j < i; j++) {
            const [dx, dy] = [Math.sign(x[i]! - x[j]!), Math.sign(y[i]! - y[j]!)];
            excess += dx * dy;
            untiedX += dx * dx;
            untiedY += dy * dy;
          }
        const value = tau(x, y);
        if (untiedX * untiedY === 0) expect(value).toBeNull();
        else expect(value).toBeCloseTo(excess / Math.sqrt(untiedX * untiedY), 12);
      }),
    );
  });

  it('both are symmetric, bounded, and turn with the sign', () => {
    fc.assert(
      fc.property(pairs, (items) => {
        const [x, y] = [items.map(([a]) => a), items.map(([, b]) => b)];
        for (const measure of [tau, rho]) {
          const value = measure(x, y);
          expect(measure(y, x)).toBe(value);
          if (value === null) continue;
          expect(Math.abs(value)).toBeLessThanOrEqual(1 + 1e-12);
          expect(measure(x.map((a) => -a), y)).toBeCloseTo(-value, 12); // prettier-ignore
          expect(measure(x, x)).toBeCloseTo(1, 12);
        }
      }),
    );
  });

  it('takes 5000 items', () => {
    const values = Array.from({ length: 5000 }, (_, item) => (item * 7919) % 5003);
    expect(tau(values, values)).toBe(1);
  });
});
