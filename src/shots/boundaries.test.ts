import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { random } from '../base/index.js';
import { boundaryCosts, chooseStarts, FULL_CHANGE, unevenness } from './boundaries.js';
import type { ShotBounds } from './bounds.js';
import { localQuantile } from './local-quantile.js';
import { lengthsOf } from './segmenter.case.js';

const BOUNDS = { minFrames: 32, maxFrames: 96 };

function totalOf(starts: readonly number[], costs: Int32Array, bounds: ShotBounds): number {
  const uneven = unevenness(bounds);
  const boundaries = starts.slice(1).reduce((sum, start) => sum + (costs[start] as number), 0);
  return lengthsOf(starts, costs.length).reduce((sum, length) => sum + (uneven[length] as number), boundaries);
}

/** Every way to divide `frames` into lengths within the bounds. */
function* partitions(frames: number, { minFrames, maxFrames }: ShotBounds, from = 0): Generator<number[]> {
  if (from === frames) yield [];
  for (let length = minFrames; length <= Math.min(maxFrames, frames - from); length++) {
    for (const rest of partitions(frames, { minFrames, maxFrames }, from + length)) yield [from, ...rest];
  }
}

const smallBounds = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 6 }))
  .map(([minFrames, extra]) => ({ minFrames, maxFrames: 2 * minFrames - 1 + extra }));

describe('chooseStarts', () => {
  it('finds the least total there is, by trying all partitions', () => {
    fc.assert(
      fc.property(smallBounds, fc.array(fc.integer({ min: -3000, max: 3000 }), { maxLength: 17 }), (bounds, list) => {
        const costs = Int32Array.from(list);
        const all = [...partitions(costs.length, bounds)];
        fc.pre(costs.length >= bounds.minFrames);
        const least = Math.min(...all.map((starts) => totalOf(starts, costs, bounds)));
        expect(totalOf(chooseStarts(costs, bounds), costs, bounds)).toBe(least);
      }),
      { numRuns: 300 },
    );
  });

  it('divides every length from the shortest shot on', () => {
    for (let frames = 32; frames < 400; frames++) {
      const lengths = lengthsOf(chooseStarts(new Int32Array(frames), BOUNDS), frames);
      expect(Math.min(...lengths)).toBeGreaterThanOrEqual(32);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(96);
    }
  });

  it('cuts evenly where nothing distinguishes one frame from another', () => {
    for (const frames of [128, 640, 641, 1000]) {
      const lengths = lengthsOf(chooseStarts(new Int32Array(frames), BOUNDS), frames);
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
    }
  });

  it('takes the longer last shot of two equal choices', () => {
    expect(chooseStarts(new Int32Array(129), BOUNDS)).toEqual([0, 64]);
    expect(chooseStarts(new Int32Array(5), { minFrames: 2, maxFrames: 3 })).toEqual([0, 2]);
  });

  it('chooses ten hours of boundaries', () => {
    const source = random(3);
    const change = Uint16Array.from({ length: 1_080_000 }, () => source.below(source.next() < 0.01 ? 40_000 : 900));
    const starts = chooseStarts(boundaryCosts(change), BOUNDS);
    expect(starts.length).toBeGreaterThan(1_080_000 / 96);
    expect(starts.length).toBeLessThan(1_080_000 / 32);
  });
});

describe('boundaryCosts', () => {
  /** A restless signal with cuts of at least 12 % planted in it, and between them bursts that may be far stronger. */
  const planted = fc
    .record({
      gaps: fc.array(fc.integer({ min: 32, max: 250 }), { minLength: 2, maxLength: 8 }),
      strengths: fc.array(fc.integer({ min: 8000, max: FULL_CHANGE }), { minLength: 8, maxLength: 8 }),
      motion: fc.integer({ min: 1, max: 3900 }),
      burst: fc.integer({ min: 1, max: FULL_CHANGE }),
      seed: fc.nat(),
    })
    .map(({ gaps, strengths, motion, burst, seed }) => {
      const source = random(seed);
      const change = Uint16Array.from({ length: gaps.reduce((a, b) => a + b, 0) }, () => source.below(motion));
      const cuts = gaps.slice(1).map((_, i) => gaps.slice(0, i + 1).reduce((a, b) => a + b, 0));
      cuts.forEach((cut, i) => {
        change[cut] = strengths[i] as number;
        // Five frames in a row are no hard cuts; 13 frames away they are no rivals either.
        if ((gaps[i] as number) >= 45) change.fill(burst, cut - 22, cut - 17);
        if ((gaps[i + 1] as number) >= 45) change.fill(burst, cut + 18, cut + 23);
      });
      return { change, cuts };
    });

  it('makes every hard cut a boundary when cuts and ends are at least the shortest shot apart', () => {
    fc.assert(
      fc.property(planted, ({ change, cuts }) => {
        expect(chooseStarts(boundaryCosts(change), BOUNDS)).toEqual(expect.arrayContaining(cuts));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps a weak hard cut between two bursts that would outweigh it', () => {
    const change = new Uint16Array(300).fill(300);
    change.fill(60_000, 127, 132).fill(60_000, 168, 173)[150] = 8000;
    expect(chooseStarts(boundaryCosts(change), BOUNDS)).toContain(150);
  });

  it('does not shorten shots for the sake of noise', () => {
    const source = random(12);
    const change = Uint16Array.from({ length: 20_000 }, () => source.below(2000));
    const shots = chooseStarts(boundaryCosts(change), BOUNDS).length;
    expect(20_000 / shots).toBeGreaterThan(58);
    expect(20_000 / shots).toBeLessThan(70);
  });

  it('keeps the stronger of two cuts that are too close for both', () => {
    for (const [first, second] of [
      [20_000, 30_000],
      [30_000, 20_000],
    ] as const) {
      const change = new Uint16Array(300).fill(300);
      [change[120], change[140]] = [first, second];
      const starts = chooseStarts(boundaryCosts(change), BOUNDS);
      expect(starts.includes(120)).toBe(first > second);
      expect(starts.includes(140)).toBe(second > first);
    }
  });

  it('keeps two outer cuts rather than a middle one that excludes both', () => {
    const change = new Uint16Array(300).fill(300);
    [change[120], change[140], change[160]] = [20_000, 30_000, 20_000];
    const starts = chooseStarts(boundaryCosts(change), BOUNDS);
    expect(starts).toEqual(expect.arrayContaining([120, 160]));
  });

  it('takes no change for hard where it is common nearby', () => {
    const change = new Uint16Array(200);
    for (let t = 10; t < 190; t += 3) change[t] = 12_000;
    expect(Math.min(...boundaryCosts(change))).toBeGreaterThanOrEqual(-12_000);
  });
});

it('localQuantile agrees with sorting every window', () => {
  const values = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 });
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 9 }), fc.constantFrom(0, 0.5, 0.9, 1), (list, reach, q) => {
      const expected = list.map((_, i) => {
        const window = list.slice(Math.max(0, i - reach), i + reach + 1).sort((a, b) => a - b);
        return window[Math.max(0, Math.ceil(q * window.length) - 1)];
      });
      expect([...localQuantile(Uint16Array.from(list), reach, q)]).toEqual(expected);
    }),
  );
});
