import { describe, expect, it } from 'vitest';

import type { FeatureMatrix } from './index.js';

/** A meter fed with `count` units of a kind of input, then told stretches of units. */
export type Measure = (kind: string, count: number, stretches: readonly (readonly [number, number])[]) => FeatureMatrix;

/**
 * What every block promises: a finite row of length one for each shot, whatever the pictures and the sound; the same input, the
 * same rows; a row is that of its own stretch, whatever the others are; different kinds of input give different rows.
 */
export function checkMeter(name: string, measure: Measure, kinds: readonly string[]): void {
  describe(`block ${name}`, () => {
    const lengthOf = ({ data, dim }: FeatureMatrix, shot: number): number =>
      Math.hypot(...data.subarray(shot * dim, (shot + 1) * dim));

    it.each(kinds)('gives %s finite rows of length one', (kind) => {
      for (const count of [0, 1, 2, 40]) {
        const rows = measure(kind, count, [[0, count], [0, Math.min(1, count)], [count >> 1, count]]); // prettier-ignore
        expect(rows.shotCount).toBe(3);
        expect(rows.data).toHaveLength(3 * rows.dim);
        expect(rows.data.every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
        for (const shot of [0, 1, 2]) expect(lengthOf(rows, shot)).toBeCloseTo(1, 6);
      }
    });

    it('has no rows for no shots', () => {
      expect(measure(kinds[0]!, 10, [])).toMatchObject({ shotCount: 0, data: new Float32Array(0) });
    });

    it('gives the same input the same rows, and each shot its own', () => {
      for (const kind of kinds) {
        const [first, second] = [[0, 20], [20, 40]] as const; // prettier-ignore
        const both = measure(kind, 40, [first, second]);
        expect(measure(kind, 40, [first, second])).toEqual(both);
        const apart = [first, second].map((stretch) => [...measure(kind, 40, [stretch]).data]);
        expect([...both.data]).toEqual(apart.flat());
        expect([...measure(kind, 40, [second, first]).data]).toEqual(apart.toReversed().flat());
      }
    });

    it('gives different kinds different rows', () => {
      const rows = kinds.map((kind) => measure(kind, 40, [[0, 40]]).data);
      rows.forEach((row, k) =>
        rows.slice(k + 1).forEach((other) => {
          expect(row.reduce((sum, value, at) => sum + value * other[at]!, 0)).toBeLessThan(0.95);
        }),
      );
    });
  });
}
