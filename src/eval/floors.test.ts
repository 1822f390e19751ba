import { describe, expect, it } from 'vitest';
import { FLOORS } from './index.js';

describe('floors', () => {
  it('middle: the nearest to the middle first, the earlier of two', () => {
    expect(FLOORS.middle.contend(5).order).toEqual([2, 1, 3, 0, 4]);
    expect(FLOORS.middle.contend(4).order).toEqual([1, 2, 0, 3]);
    expect(FLOORS.middle.contend(4).scores).toEqual([-1.5, -0.5, -0.5, -1.5]);
  });

  it('first: film order; uniform: as the method', () => {
    expect(FLOORS.first.contend(4).order).toEqual([0, 1, 2, 3]);
    expect(FLOORS.uniform.contend(7).order).toEqual([3, 1, 5, 0, 2, 4, 6]);
  });

  it('run: five neighbours, every place as likely, then all others', () => {
    const counts = new Array<number>(8).fill(0);
    for (let seed = 0; seed < 800; seed++) {
      const { order } = FLOORS.run.contend(12, seed);
      expect(order.slice(0, 5)).toEqual([0, 1, 2, 3, 4].map((at) => order[0]! + at));
      expect(order.toSorted((a, b) => a - b)).toEqual([...Array(12).keys()]);
      counts[order[0]!]!++;
    }
    // A hundred each, five deviations of √(800/8 · 7/8).
    for (const count of counts) expect(Math.abs(count - 100)).toBeLessThan(47);
    expect(FLOORS.run.contend(3, 1).order).toEqual([0, 1, 2]);
  });

  it('draws the same for the same seed', () => {
    for (const { contend } of [FLOORS.random, FLOORS.run]) {
      expect(contend(30, 7)).toEqual(contend(30, 7));
      expect(contend(30, 7)).not.toEqual(contend(30, 8));
    }
  });
});
