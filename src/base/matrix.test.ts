import { expect, it } from 'vitest';
import {
  columnSquares,
  hasUnitRows,
  identity,
  matrixOf,
  rowOf,
  scaled,
  squaredDistance,
  takeColumns,
  trace,
  unitRows,
} from './index.js';

const A = matrixOf([[1, 2, 3], [4, 5, 6]]); // prettier-ignore

it('does small things to a matrix, by hand', () => {
  expect(identity(2)).toEqual(matrixOf([[1, 0], [0, 1]])); // prettier-ignore
  expect(takeColumns(A, [2, 0, 2])).toEqual(matrixOf([[3, 1, 3], [6, 4, 6]])); // prettier-ignore
  expect(takeColumns(A, [])).toEqual(matrixOf([[], []]));
  expect(scaled(A, -2)).toEqual(matrixOf([[-2, -4, -6], [-8, -10, -12]])); // prettier-ignore
  expect(columnSquares(A)).toEqual(Float64Array.of(17, 29, 45));
  expect(trace(matrixOf([[1, 9], [9, 3]]))).toBe(4); // prettier-ignore
  expect(squaredDistance(rowOf(A, 0), rowOf(A, 1))).toBe(27);
});

it('brings rows to length one, and leaves zero rows', () => {
  const given = matrixOf([[3, 4], [0, 0], [0, -2]]); // prettier-ignore
  expect(unitRows(given)).toEqual(matrixOf([[0.6, 0.8], [0, 0], [0, -1]])); // prettier-ignore
  expect(given.data[0]).toBe(3);
  expect([hasUnitRows(given), hasUnitRows(unitRows(given))]).toEqual([false, true]);
});
