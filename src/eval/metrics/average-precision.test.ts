import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averagePrecision } from '../index.js';
import { membership, precisionsOf, type Reference, referenceOf, shareOfHits, type Tiers, tiersOf } from './names.js';
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

describe('ties by hand', () => {
  // Marks 3 2 2 1: the better half is shot 0 and one of 1 and 2.
  const reference = referenceOf(new Set([0, 1]), Float64Array.from([3, 2, 2, 1]));

  it('shares the places at the cut: of two tied shots one is in', () => {
    expect(reference).toEqual({ sure: new Set([0]), tied: new Set([1, 2]), inside: 1 });
    expect([0, 1, 2, 3].map((shot) => membership(reference, shot))).toEqual([1, 0.5, 0.5, 0]);
  });

  it('keeps a set as it is if nothing outside ties with its worst', () => {
    const set = new Set([0, 1]);
    for (const marks of [null, Float64Array.from([3, 2, 1, 1])]) {
      const { sure, tied, inside } = referenceOf(set, marks);
      expect([sure.size + inside, inside === tied.size]).toEqual([2, true]);
    }
  });

  it('P: of 1, 0, 3, 2 the expected hits are ½ + 1 + 0 + ½', () => {
    const { p5, ap5, ap5Retrieved } = precisionsOf(tiersOf([1, 0, 3, 2]), [reference]);
    expect(p5.value).toBe(2 / 4);
    // If 1 is in: 1/1 + 2/2. If 2 is in: 1/2 + 2/4. The mean is 1.5, of two that could be found.
    expect(ap5.value).toBe(1.5 / 2);
    expect(ap5Retrieved.value).toBe(1.5 / 2);
  });

  it('a person who ties: of {0, 3} then {1, 2} each order is as likely', () => {
    // 0 first: 1/1, then the other at 3 or 4: 2/3 or 2/4. 3 first: 1/2, then the same.
    const { p5, ap5 } = precisionsOf([[0, 3], [1, 2]], [reference]); // prettier-ignore
    expect(p5.value).toBe(2 / 4);
    expect(ap5.value).toBeCloseTo((0.75 + (2 / 3 + 2 / 4) / 2) / 2, 15);
  });
});

/** Every way to break the ties of a ranking. */
function ordersOf(tiers: Tiers): number[][] {
  return tiers.reduce<number[][]>(
    (before, tier) => before.flatMap((start) => permutations(tier).map((rest) => [...start, ...rest])),
    [[]],
  );
}

/** Every set that a reference may be. */
function setsOf({ sure, tied, inside }: Reference): Set<number>[] {
  const chosen = permutations([...tied]).map((order) => order.slice(0, inside).sort((a, b) => a - b));
  return [...new Map(chosen.map((one) => [one.join(), new Set([...sure, ...one])])).values()];
}

it('is the mean over all ways to break the ties of both sides, inside the first places too', () => {
  const shots = [0, 1, 2, 3, 4, 5];
  const marks = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(marks, marks, fc.integer({ min: 1, max: 5 }), (own, theirs, size) => {
      const ranked = shots.toSorted((a, b) => theirs[b]! - theirs[a]! || a - b);
      const reference = referenceOf(new Set(ranked.slice(0, size)), Float64Array.from(theirs));
      const tiers = [3, 2, 1]
        .map((mark) => shots.filter((shot) => own[shot] === mark))
        .filter(({ length }) => length > 0);
      const all = ordersOf(tiers).flatMap((order) => setsOf(reference).map((set) => ({ order, set })));
      const mean = (valueOf: (each: (typeof all)[number]) => number): number =>
        all.reduce((sum, each) => sum + valueOf(each), 0) / all.length;
      for (const k of [1, 2, 4]) {
        const share = mean(({ order, set }) => order.slice(0, k).filter((shot) => set.has(shot)).length / k);
        expect(shareOfHits(tiers, reference, k)).toBeCloseTo(share, 12);
      }
      const expected = mean(({ order, set }) => averagePrecision(order, set, 5)!.textbook);
      expect(precisionsOf(tiers, [reference]).ap5.value).toBeCloseTo(expected, 12);
    }),
    { numRuns: 40 },
  );
});

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) => permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}
