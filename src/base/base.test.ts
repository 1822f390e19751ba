import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { compareTexts, compareTimes, formatClock, inOrder, mapLimited, random, rational, rescale } from './index.js';

it('orders texts by code units, as a plain sort does', () => {
  const texts = ['b', 'a', 'B', 'ä', '', 'a'];
  expect(texts.toSorted(compareTexts)).toEqual(texts.toSorted());
});

describe('time', () => {
  it('is exact where floats are not', () => {
    // 1001/30000 s a frame: after 10 h the frame number still comes back from 90 kHz ticks.
    const frame = rational(1001, 30_000);
    const ticks = rational(1, 90_000);
    for (const index of [0, 1, 29, 1_078_921]) expect(rescale(rescale(index, frame, ticks), ticks, frame)).toBe(index);
    expect(
      compareTimes({ ticks: 1, base: rational(1, 3) }, { ticks: 333_333_333, base: rational(1, 1_000_000_000) }),
    ).toBe(1);
  });

  it('rounds as asked, also below zero', () => {
    const third = rational(1, 3);
    const one = rational(1, 1);
    expect([-4, -1, 1, 2, 4].map((ticks) => rescale(ticks, third, one, 'floor'))).toEqual([-2, -1, 0, 0, 1]);
    expect([-4, -1, 1, 2, 4].map((ticks) => rescale(ticks, third, one, 'ceil'))).toEqual([-1, 0, 1, 1, 2]);
    expect([-4, -1, 1, 2, 4].map((ticks) => rescale(ticks, third, one))).toEqual([-1, 0, 0, 1, 1]);
  });

  it('never moves a moment by more than half a tick of the coarser clock', () => {
    const base = fc
      .tuple(fc.integer({ min: 1, max: 1001 }), fc.integer({ min: 1, max: 1_000_000 }))
      .map(([a, b]) => rational(a, b));
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e6 }), base, base, (ticks, from, to) => {
        const exact = (BigInt(ticks) * BigInt(from.num) * BigInt(to.den) * 2n) / BigInt(from.den * to.num);
        expect(Math.abs(Number(exact) - 2 * rescale(ticks, from, to))).toBeLessThanOrEqual(2);
      }),
    );
  });

  it('refuses what is no fraction', () => {
    for (const [num, den] of [
      [0, 1],
      [1, 0],
      [-1, 2],
      [1.5, 2],
      [NaN, 1],
    ] as const)
      expect(() => rational(num, den)).toThrow(/fraction/);
  });

  it('reads as a clock', () => {
    expect([0, 59.9996, 61.5, 3661.25, -2.5].map(formatClock)).toEqual([
      '0:00.000',
      '1:00.000',
      '1:01.500',
      '1:01:01.250',
      '-0:02.500',
    ]);
  });
});

describe('random', () => {
  it('repeats itself for a seed, and looks uniform', () => {
    const [a, b] = [random(7), random(7)];
    expect(Array.from({ length: 5 }, () => a.next())).toEqual(Array.from({ length: 5 }, () => b.next()));
    const source = random(1);
    const mean = Array.from({ length: 10_000 }, () => source.next()).reduce((sum, value) => sum + value, 0) / 10_000;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.01);
    expect(random(1).next()).not.toBe(random(2).next());
  });
});

describe('mapLimited', () => {
  it('keeps order and its limit', async () => {
    let running = 0;
    let most = 0;
    const results = await mapLimited([5, 1, 4, 2, 3], 2, async (value) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, value));
      running--;
      return value * 10;
    });
    expect(results).toEqual([50, 10, 40, 20, 30]);
    expect(most).toBe(2);
  });

  it('throws the first failure after what is under way has settled', async () => {
    const settled: number[] = [];
    const work = mapLimited([1, 2, 3, 4], 2, async (value) => {
      await new Promise((resolve) => setTimeout(resolve, value * 5));
      if (value === 1) throw new Error('one');
      settled.push(value);
    });
    await expect(work).rejects.toThrow('one');
    expect(settled).toEqual([2]);
  });
});

describe('inOrder', () => {
  it('gives results in the order of the items, few ahead of who takes them', async () => {
    let [started, taken, most] = [0, 0, 0];
    const found: number[] = [];
    const made = inOrder([...Array(20).keys()], 3, async (item) => {
      most = Math.max(most, ++started - taken);
      await new Promise((settle) => setTimeout(settle, 20 - item));
      return item;
    });
    for await (const item of made) {
      taken++;
      found.push(item);
    }
    expect(found).toEqual([...Array(20).keys()]);
    expect(most).toBe(3);
  });

  it('fails when the turn of what failed comes, after what is under way', async () => {
    const ended: number[] = [];
    const made = inOrder([0, 1, 2, 3, 4], 3, async (item) => {
      if (item === 1) throw new Error('no');
      await new Promise((settle) => setTimeout(settle, 5 * item));
      ended.push(item);
      return item;
    });
    expect((await made.next()).value).toBe(0);
    await expect(made.next()).rejects.toThrow('no');
    expect(ended).toEqual([0, 2, 3]);
  });
});
