import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aboveMedian, averagePrecision, highlightTop5 } from '../index.js';

const marks = (...values: number[]): Float64Array => Float64Array.from(values);

describe('highlightTop5 by hand', () => {
  it('joins precisions by straight lines: miss, hit, miss, hit, miss', () => {
    // P = 0, 1/2, 1/3, 2/4, 2/5; half the recall at each hit: ½·(0 + ½)/2 + ½·(1/3 + ½)/2 = 1/3. Plain AP has ½.
    const liked = aboveMedian(marks(3, 1, 4, 4, 2));
    expect([...liked]).toEqual([2, 3]);
    expect(highlightTop5([0, 2, 1, 3, 4], liked)).toBeCloseTo(1 / 3, 15);
    expect(averagePrecision([0, 2, 1, 3, 4], liked, 5)!.retrieved).toBe(0.5);
  });

  it('starts from precision 1: a late only hit has half its precision and the lost start', () => {
    expect(highlightTop5([0, 1, 2, 3, 4], new Set([0]))).toBe(1);
    expect(highlightTop5([1, 0, 2, 3, 4], new Set([0]))).toBe(0.25);
    expect(highlightTop5([1, 2, 3, 4, 0], new Set([0]))).toBe(0.1);
  });

  it('looks at five places and at the hits among them alone', () => {
    expect(highlightTop5([0, 1, 2, 3, 4, 5, 6], new Set([5, 6]))).toBe(0);
    expect(highlightTop5([0, 1, 2, 3, 4, 5, 6], new Set([0, 5, 6]))).toBe(1);
    expect(highlightTop5([1, 0], new Set([0]))).toBe(0.25);
  });
});

describe('aboveMedian', () => {
  it('takes the lower of two middle marks', () => {
    expect([...aboveMedian(marks(3, 1, 4, 5))]).toEqual([2, 3]);
    expect([...aboveMedian(marks(1, 2))]).toEqual([1]);
  });

  it('leaves out ties with the median, so a judge may like nothing and score everyone 0', () => {
    expect([...aboveMedian(marks(3, 3, 3, 1, 4))]).toEqual([4]);
    const nothing = aboveMedian(marks(5, 5, 5, 1, 2));
    expect([...nothing]).toEqual([]);
    expect(highlightTop5([0, 1, 2, 3, 4], nothing)).toBe(0);
  });

  it('has an answer for one shot and for none', () => {
    expect(aboveMedian(marks(4)).size).toBe(0);
    expect(aboveMedian(marks()).size).toBe(0);
  });

  it('never likes more than half of the shots', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (values) => {
        expect(aboveMedian(marks(...values)).size).toBeLessThanOrEqual(Math.floor(values.length / 2));
      }),
    );
  });
});

it('highlightTop5 lies between 0 and the retrieved AP@5, and is 1 when hits come first', () => {
  const places = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(places, (hits) => {
      const liked = new Set(hits.flatMap((hit, shot) => (hit ? [shot] : [])));
      const order = [...hits.keys()];
      const value = highlightTop5(order, liked);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual((averagePrecision(order, liked, 5)?.retrieved ?? 0) + 1e-12);
      const perfect = [...liked, ...order.filter((shot) => !liked.has(shot))];
      expect(highlightTop5(perfect, liked)).toBe(liked.size === 0 ? 0 : 1);
    }),
  );
});
