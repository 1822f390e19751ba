import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  bytesOf,
  derive,
  HELD_ROWS,
  inMemory,
  innerGram,
  type Matrix,
  pickRows,
  random,
  requireFinite,
  rowBlocks,
  rowSquares,
  type StoredMatrix,
  takeRows,
  zeros,
} from './index.js';

const ROWS = HELD_ROWS + 1500;
const COLS = 3;
/** Bytes of something else before the matrix. */
const OFFSET = 24;

const folder = mkdtempSync(join(tmpdir(), 'throughline-tall-'));
const { normal } = random(5);
const held: Matrix = { rows: ROWS, cols: COLS, data: Float64Array.from({ length: ROWS * COLS }, normal) };
let stored: StoredMatrix;
beforeAll(() => {
  const path = join(folder, 'rows');
  writeFileSync(path, Buffer.concat([Buffer.alloc(OFFSET, 7), bytesOf(held.data)]));
  stored = { rows: ROWS, cols: COLS, file: openSync(path, 'r'), offset: OFFSET, isOpen: Int32Array.of(1) };
});
afterAll(() => {
  closeSync(stored.file);
  rmSync(folder, { recursive: true });
});

describe('a matrix in a file', () => {
  it('has the rows of the one in memory, in blocks, picked, and whole', () => {
    let next = 0;
    for (const { first, block } of rowBlocks(stored)) {
      expect(first).toBe(next);
      expect(block.data).toEqual(held.data.subarray(first * COLS, (first + block.rows) * COLS));
      next += block.rows;
    }
    expect(next).toBe(ROWS);
    for (const picked of [[], [0], [ROWS - 1, 3, 4, 5, 4], [...Array(ROWS).keys()]]) {
      expect(takeRows(stored, picked)).toEqual(takeRows(held, picked));
    }
    expect(inMemory(stored)).toEqual(held);
    expect(inMemory(held)).toBe(held);
  });

  it('gives the same sums, to the last bit', () => {
    expect(rowSquares(stored)).toEqual(rowSquares(held));
    expect(innerGram(stored)).toEqual(innerGram(held));
  });

  it('that ends too soon is an error, not a row of zeros', () => {
    expect(() => inMemory({ ...stored, rows: ROWS + 1 })).toThrow('found its end');
    expect(() => takeRows(stored, [ROWS])).toThrow('found its end');
  });

  it('names the entry that is no number', () => {
    const [path, data] = [join(folder, 'odd'), held.data.slice()];
    data[(HELD_ROWS + 3) * COLS + 2] = NaN;
    writeFileSync(path, bytesOf(data));
    const odd = { rows: ROWS, cols: COLS, file: openSync(path, 'r'), offset: 0, isOpen: Int32Array.of(1) };
    for (const matrix of [odd, { ...held, data }]) {
      expect(() => requireFinite(matrix, 'a test')).toThrow(`found NaN in row ${HELD_ROWS + 3}, column 2`);
    }
    closeSync(odd.file);
    expect(() => requireFinite(stored, 'a test')).not.toThrow();
    const largest = held.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    expect([requireFinite(stored, 'a test'), requireFinite(held, 'a test')]).toEqual([largest, largest]);
    expect(requireFinite({ rows: 0, cols: COLS, data: new Float64Array(0) }, 'a test')).toBe(0);
  });
});

describe('a matrix made from another', () => {
  const twice = ({ rows, cols, data }: Matrix): Matrix => ({ rows, cols, data: data.map((value) => 2 * value) });
  const doubled = twice(held);

  it.each([
    ['memory', () => held],
    ['a file', () => stored],
  ])('in %s has its rows changed, however they are read', (_, of) => {
    const derived = derive(of(), twice);
    expect('data' in derived).toBe(false);
    expect(inMemory(derived)).toEqual(doubled);
    expect(takeRows(derived, [5, 2])).toEqual(takeRows(doubled, [5, 2]));
    expect(inMemory(derive(derived, twice))).toEqual(twice(doubled));
  });

  it('has the rows picked, in their order', () => {
    const odd = Array.from({ length: ROWS - 2 }, (_, i) => ROWS - 1 - i);
    const picked = pickRows(stored, odd);
    expect('data' in picked).toBe(false);
    expect(inMemory(picked)).toEqual(takeRows(held, odd));
    expect(takeRows(picked, [1, 0])).toEqual(takeRows(held, [odd[1]!, odd[0]!]));
    expect(inMemory(derive(picked, twice, [2, 7]))).toEqual(takeRows(doubled, [odd[2]!, odd[7]!]));
  });

  it('of few rows is held', () => {
    expect(derive(zeros(2, 2), (rows) => rows)).toHaveProperty('data');
    expect(pickRows(stored, [1, 2])).toEqual(takeRows(held, [1, 2]));
  });
});
