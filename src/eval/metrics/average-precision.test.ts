import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averagePrecision } from '../index.js';
import { expectedAveragePrecision } from './expected-precision.case.js';

const order = [2, 0, 4, 1, 3];

describe('average precision by hand', () => {
  it('adds the precision at each hit: 1/1 + 2/2 + 3/4 over three', () => {
    const ap = averagePrecision(order, new Set([0, 1, 2]), 5)!;
    expect(ap.textbook).toBeCloseTo(2.75 / 3, 15);
    expect(ap.retrieved).toBeCloseTo(2.75 / 3, 15);
  });

  it('divides by what could have been found, or by what was: 2 hits of 3 in the first three places', () => {
    expect(averagePrecision(order, new Set([0, 1, 2]), 3)).toEqual({ textbook: 2 / 3, retrieved: 1 });
    expect(averagePrecision(order, new Set([1, 4, 3]), 3)).toEqual({ textbook: 1 / 9, retrieved: 1 / 3 });
  });

  it('asks for no more than k of a large reference', () => {
    expect(averagePrecision(order, new Set([0, 1, 2, 3, 4]), 2)).toEqual({ textbook: 1, retrieved: 1 });
  });

  it('takes a ranking shorter than k, and one that stops early', () => {
    expect(averagePrecision(order, new Set([0, 1, 2]), 15)!.textbook).toBeCloseTo(2.75 / 3, 15);
    expect(averagePrecision([2], new Set([0, 1, 2]), 15)).toEqual({ textbook: 1 / 3, retrieved: 1 });
    expect(averagePrecision([], new Set([0]), 5)).toEqual({ textbook: 0, retrieved: 0 });
  });

  it('counts the k-th place and not the one after', () => {
    expect(averagePrecision(order, new Set([1]), 4)!.textbook).toBe(0.25);
    expect(averagePrecision(order, new Set([1]), 3)).toEqual({ textbook: 0, retrieved: 0 });
  });

  it('has no value against an empty reference', () => {
    expect(averagePrecision(order, new Set(), 5)).toBeNull();
  });
});

const rankings = fc.integer({ min: 1, max: 40 }).chain((count) => {
  const shots = Array.from({ length: count }, (_, shot) => shot);
  return fc.record({
    order: fc.shuffledSubarray(shots, { minLength: count }),
    reference: fc.subarray(shots, { minLength: 1 }).map((some) => new Set(some)),
    k: fc.integer({ min: 1, max: 50 }),
  });
});

describe('average precision of any ranking', () => {
  it('lies between 0 and 1, the textbook form never above the other', () => {
    fc.assert(
      fc.property(rankings, ({ order, reference, k }) => {
        const { textbook, retrieved } = averagePrecision(order, reference, k)!;
        expect(textbook).toBeGreaterThanOrEqual(0);
        expect(retrieved).toBeLessThanOrEqual(1);
        expect(textbook).toBeLessThanOrEqual(retrieved);
      }),
    );
  });

  it('is 1 when the reference comes first, and only then in the textbook form', () => {
    fc.assert(
      fc.property(rankings, ({ order, reference, k }) => {
        const wanted = (shot: number): number => (reference.has(shot) ? 0 : 1);
        const perfect = order.toSorted((a, b) => wanted(a) - wanted(b));
        expect(averagePrecision(perfect, reference, k)).toEqual({ textbook: 1, retrieved: 1 });
        const first = order.slice(0, Math.min(k, reference.size)).every((shot) => reference.has(shot));
        expect(averagePrecision(order, reference, k)!.textbook === 1).toBe(first);
      }),
    );
  });
});

describe('the expectation for random orders', () => {
  it.each([1, 2, 3, 5])('is the mean over all 120 orders of five shots, reference of %i', (size) => {
    const reference = new Set(Array.from({ length: size }, (_, shot) => shot));
    for (const k of [1, 3, 5, 15]) {
      const all = permutations([0, 1, 2, 3, 4]).map((one) => averagePrecision(one, reference, k)!);
      const mean = (form: 'textbook' | 'retrieved'): number => all.reduce((sum, ap) => sum + ap[form], 0) / all.length;
      const expected = expectedAveragePrecision(5, size, k);
      expect(mean('textbook')).toBeCloseTo(expected.textbook, 12);
      expect(mean('retrieved')).toBeCloseTo(expected.retrieved, 12);
    }
  });
});

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) => permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}
