import { expect, it } from 'vitest';

import { matrixOf, random, zeros } from '../base/index.js';
import { mapRows } from './shot-map.js';

it('lays points along the directions they differ in most, by hand', async () => {
  // Spread 8 along the first coordinate, 2 along the second, none along the third.
  const points = await mapRows(
    matrixOf([
      [0, 0, 5],
      [8, 0, 5],
      [4, 2, 5],
      [4, -2, 5],
    ]),
  );
  points.forEach(({ x, y }, i) => {
    expect(x).toBeCloseTo([0, 1, 0.5, 0.5][i]!, 9);
    expect(y).toBeCloseTo([0.5, 0.5, 1, 0][i]!, 9);
  });
});

it('gives the same points again, inside the square, whatever is given', async () => {
  const { normal } = random(7);
  const rows = { rows: 40, cols: 12, data: Float64Array.from({ length: 480 }, normal) };
  expect(await mapRows(rows)).toEqual(await mapRows(rows));
  for (const { x, y } of await mapRows(rows)) expect(x >= 0 && x <= 1 && y >= 0 && y <= 1).toBe(true);
  expect(await mapRows(zeros(3, 4))).toEqual(Array.from({ length: 3 }, () => ({ x: 0.5, y: 0.5 })));
  expect(await mapRows(zeros(0, 4))).toEqual([]);
  expect(await mapRows(matrixOf([[1, 2]]))).toEqual([{ x: 0.5, y: 0.5 }]);
});
