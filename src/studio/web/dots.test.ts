import { describe, expect, it } from 'vitest';

import type { Shot, Video } from '../contract.js';
import { dotTowards, isInside, layDots, nearestDot, type Dot } from './dots.js';

const shot = (index: number, score: number): Shot => ({
  ...{ index, from: index, to: index + 1, rank: index, score, own: score, shared: 0 },
  ...{ chosen: score > 0.5, pinned: false, vetoed: false, bad: null },
});
const video = (id: string, scores: readonly number[]): Video =>
  ({ id, name: `${id}.mp4`, seconds: 10, shots: scores.map((score, index) => shot(index, score)) }) as unknown as Video;
const at = (x: number, y: number): Dot => ({ x, y, r: 3, group: 0, isChosen: false, at: { video: 'a', shot: 0 } });

describe('the map', () => {
  it('lays points inside the margin, by importance, without hidden videos and shots that are gone', () => {
    const points = [
      { video: 'a', shot: 0, x: 0, y: 1 },
      { video: 'b', shot: 0, x: 1, y: 0 },
      { video: 'a', shot: 1, x: 0.5, y: 0.5 },
      { video: 'a', shot: 9, x: 0, y: 0 },
    ];
    const size = { width: 248, height: 148 };
    const dots = layDots(points, [video('a', [1, 0]), video('b', [0.5])], size, new Set());
    expect(dots.map(({ x, y, r, group, isChosen }) => [x, y, r, group, isChosen])).toEqual([
      [124, 74, 3, 0, false],
      [224, 24, 6.5, 1, false],
      [24, 124, 10, 0, true],
    ]);
    expect(layDots(points, [video('a', [1, 0]), video('b', [0.5])], size, new Set(['a']))).toHaveLength(1);
  });

  it('knows what lies inside a line, the hollow of a U excepted', () => {
    const u = [
      { x: 0, y: 0 },
      { x: 1, y: 0 },
      { x: 1, y: 3 },
      { x: 2, y: 3 },
      { x: 2, y: 0 },
      { x: 3, y: 0 },
      { x: 3, y: 4 },
      { x: 0, y: 4 },
    ];
    const inside = [[0.5, 1], [2.5, 1], [1.5, 3.5]]; // prettier-ignore
    const outside = [[1.5, 1], [3.5, 1], [-1, 3.5], [1.5, 5]]; // prettier-ignore
    for (const [x, y] of inside) expect(isInside(u, { x: x!, y: y! })).toBe(true);
    for (const [x, y] of outside) expect(isInside(u, { x: x!, y: y! })).toBe(false);
    expect(isInside([], { x: 0, y: 0 })).toBe(false);
  });

  it('finds the nearest in reach, the one on top where two are as near', () => {
    const dots = [at(0, 0), at(10, 0), at(10, 0)];
    expect(nearestDot(dots, { x: 9, y: 0 }, 20)).toBe(dots[2]);
    expect(nearestDot(dots, { x: 40, y: 0 }, 20)).toBeNull();
  });

  it('goes where an arrow points', () => {
    const [centre, right, farRight, above, aside] = [at(0, 0), at(5, 1), at(9, 0), at(1, -4), at(3, 2.5)];
    const dots = [centre, right, farRight, above, aside];
    // 5 + 2·1 beats 9 + 0 and 3 + 2·2.5.
    expect(dotTowards(dots, centre, 'ArrowRight')).toBe(right);
    expect(dotTowards(dots, centre, 'ArrowUp')).toBe(above);
    expect(dotTowards(dots, centre, 'ArrowDown')).toBeNull();
    expect(dotTowards(dots, farRight, 'ArrowLeft')).toBe(right);
    expect(dotTowards(dots, centre, 'Enter')).toBeNull();
  });
});
