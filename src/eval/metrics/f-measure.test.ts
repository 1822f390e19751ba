import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { framesInShare, knapsack, overlapOf, walkToBudget } from '../index.js';

const lengths = [10, 20, 30, 40, 50];
const lengthOf = (shot: number): number => lengths[shot]!;

describe('overlap by hand', () => {
  it('counts frames: 30 shared, 90 chosen, 70 wanted', () => {
    const overlap = overlapOf(new Set([0, 2, 4]), new Set([2, 3]), lengthOf)!;
    expect(overlap.precision).toBeCloseTo(30 / 90, 15);
    expect(overlap.recall).toBeCloseTo(30 / 70, 15);
    expect(overlap.f1).toBe(0.375);
  });

  it('is 1 for the same shots and 0 for none shared', () => {
    expect(overlapOf(new Set([1, 3]), new Set([3, 1]), lengthOf)).toEqual({ precision: 1, recall: 1, f1: 1 });
    expect(overlapOf(new Set([0]), new Set([3]), lengthOf)).toEqual({ precision: 0, recall: 0, f1: 0 });
  });

  it('defines empty summaries: nothing chosen scores 0, nothing wanted has no score', () => {
    expect(overlapOf(new Set(), new Set([3]), lengthOf)).toEqual({ precision: 0, recall: 0, f1: 0 });
    expect(overlapOf(new Set([3]), new Set(), lengthOf)).toBeNull();
    expect(overlapOf(new Set(), new Set(), lengthOf)).toBeNull();
  });
});

it('a share of a video is whole frames, rounded down but not by floats', () => {
  expect(framesInShare(100, 0.29)).toBe(29);
  expect(framesInShare(999, 0.15)).toBe(149);
  expect(framesInShare(1000, 0.15)).toBe(150);
  expect(framesInShare(10, 1)).toBe(10);
});

it('walking down an order takes what still fits', () => {
  expect([...walkToBudget([4, 3, 2, 0, 1], lengths, 90)]).toEqual([4, 3]);
  expect([...walkToBudget([3, 4, 2, 0, 1], lengths, 75)]).toEqual([3, 2]);
  expect([...walkToBudget([4, 3], lengths, 9)]).toEqual([]);
});

describe('knapsack', () => {
  it('finds the best by hand: the two heavier of three', () => {
    expect([...knapsack([6, 10, 12, 1, 0], [1, 2, 3, 5, 1], 5)]).toEqual([1, 2]);
  });

  it('fills the budget to the last frame and not beyond', () => {
    expect([...knapsack([1], [5], 5)]).toEqual([0]);
    expect([...knapsack([1], [5], 4)]).toEqual([]);
    expect([...knapsack([1, 2], [5, 5], 0)]).toEqual([]);
    expect([...knapsack([], [], 10)]).toEqual([]);
  });

  it('prefers earlier shots among equals and leaves worthless ones', () => {
    expect([...knapsack([1, 1, 1], [1, 1, 1], 2)]).toEqual([0, 1]);
    expect([...knapsack([2, 1, 1], [2, 1, 1], 2)]).toEqual([0]);
    expect([...knapsack([0, -1, 3], [1, 1, 1], 3)]).toEqual([2]);
  });

  it('is as good as trying every choice', () => {
    const shots = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 12 })), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(shots, fc.integer({ min: 0, max: 60 }), (items, budget) => {
        const sum = (chosen: readonly number[], part: 0 | 1): number =>
          chosen.reduce((total, shot) => total + items[shot]![part], 0);
        let best = 0;
        for (let bits = 0; bits < 2 ** items.length; bits++) {
          const chosen = [...items.keys()].filter((shot) => bits & (1 << shot));
          if (sum(chosen, 1) <= budget) best = Math.max(best, sum(chosen, 0));
        }
        const chosen = [...knapsack(items.map(([value]) => value), items.map(([, length]) => length), budget)]; // prettier-ignore
        expect(sum(chosen, 0)).toBe(best);
        expect(sum(chosen, 1)).toBeLessThanOrEqual(budget);
      }),
    );
  });

  it('refuses a table that would not fit in memory', () => {
    const many = new Float64Array(70_000).fill(1);
    expect(() => knapsack(many, new Float64Array(70_000).fill(90), 900_000)).toThrow('Take longer shots');
  });
});
