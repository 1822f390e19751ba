import { type Matrix, rowOf } from '../base/index.js';

/** For every row, the first row identical to it (itself, where none comes before). */
export function twinsOf(features: Matrix): Int32Array {
  const twins = new Int32Array(features.rows);
  const seen = new Map<number, number[]>();
  for (let i = 0; i < features.rows; i++) {
    const row = rowOf(features, i);
    let mixed = 0;
    for (let k = 0; k < row.length; k++) mixed = mixed * 0.618 + row[k]!;
    const alike = seen.get(mixed) ?? [];
    const first = alike.find((j) => rowOf(features, j).every((value, k) => value === row[k]));
    twins[i] = first ?? i;
    if (first === undefined) seen.set(mixed, [...alike, i]);
  }
  return twins;
}
