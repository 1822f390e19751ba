import { describe, expect, it } from 'vitest';

import { matrixOf, random, rowOf, zeros, type Matrix } from '../base/index.js';
import { hasUnitRows, whitenTopic } from './index.js';

function noise(seed: number, rows: number, scales: readonly number[]): Matrix {
  const { normal } = random(seed);
  const data = Float64Array.from({ length: rows * scales.length }, (_, k) => normal() * scales[k % scales.length]!);
  return { rows, cols: scales.length, data };
}

describe('whitening', () => {
  it('by hand: four shots spread 9 to 1 along two axes come to stand on the diagonals', () => {
    // Mean (5, 2); from it (±3, ±1). Both axes even, every shot is as far along one as along the other.
    const [first, second] = whitenTopic([matrixOf([[8, 3], [2, 1]]), matrixOf([[8, 1], [2, 3]])], { dims: 2 }); // prettier-ignore
    const half = Math.SQRT1_2;
    expect([...first!.data]).toEqual([half, half, -half, -half].map((value) => expect.closeTo(value, 10)));
    expect([...second!.data]).toEqual([half, -half, -half, half].map((value) => expect.closeTo(value, 10)));
    // Not evened out at all, only turned and centred: 3 to 1, as they were.
    const [plain] = whitenTopic([matrixOf([[8, 3], [2, 1], [8, 1], [2, 3]])], { dims: 2, shrink: 1 }); // prettier-ignore
    expect([...rowOf(plain!, 0)]).toEqual([3, 1].map((value) => expect.closeTo(value / Math.sqrt(10), 10)));
    // One direction: which side of the middle.
    const [line] = whitenTopic([matrixOf([[8, 3], [2, 1], [8, 1], [2, 3]])], { dims: 1 }); // prettier-ignore
    expect([...line!.data]).toEqual([1, -1, 1, -1].map((value) => expect.closeTo(value, 10)));
  });

  it('evens out every direction: before rows are brought to length one, the spread is the same everywhere', () => {
    const shots = noise(1, 400, [8, 4, 2, 1, 0.5]);
    const [even] = whitenTopic([shots], { dims: 5 });
    expect(hasUnitRows(even!)).toBe(true);
    const spreads = [0, 1, 2, 3, 4].map((k) => {
      let sum = 0;
      for (let i = 0; i < even!.rows; i++) sum += rowOf(even!, i)[k]! ** 2;
      return sum / even!.rows;
    });
    for (const spread of spreads) expect(spread).toBeCloseTo(0.2, 1);
  });

  it('does not depend on how shots are grouped into videos', () => {
    const shots = noise(2, 30, [3, 2, 1]);
    const [whole] = whitenTopic([shots], { dims: 3 });
    const part = (from: number, to: number): Matrix => ({ rows: to - from, cols: 3, data: shots.data.slice(3 * from, 3 * to) }); // prettier-ignore
    const parts = whitenTopic([part(0, 11), part(11, 11), part(11, 30)], { dims: 3 });
    expect(parts.map(({ rows }) => rows)).toEqual([11, 0, 19]);
    expect(parts.flatMap(({ data }) => [...data])).toEqual([...whole!.data]);
  });

  it('keeps no more directions than there are, leaves zero rows zero, and what is all the same as it is', () => {
    const [few] = whitenTopic([noise(3, 3, [1, 1, 1, 1, 1])], { dims: 5 });
    expect(few!.cols).toBe(2);
    const some = noise(4, 6, [2, 1]);
    some.data.fill(0, 0, 2);
    const [withZero] = whitenTopic([some], { dims: 2 });
    expect([...rowOf(withZero!, 0)]).toEqual([0, 0]);
    const same = [matrixOf([[0.6, 0.8], [0.6, 0.8]]), zeros(0, 2)]; // prettier-ignore
    expect(whitenTopic(same, { dims: 2 })).toEqual(same);
  });
});
