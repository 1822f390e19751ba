import { readSync } from 'node:fs';
import { NumericError, StoreError } from './errors.js';
import { type Matrix, rowOf, zeros } from './matrix.js';

/** A matrix whose rows need not all be in memory: they are read some at a time (`rowBlocks`, `takeRows`). */
export type TallMatrix =
  | Matrix
  /** In an open file, row by row, 64 bits a number as this machine stores them. Every thread of the process can read it. */
  | {
      readonly rows: number;
      readonly cols: number;
      /** The file descriptor. */
      readonly file: number;
      /** The first byte. */
      readonly offset: number;
      /** Shared memory: 1, and 0 from just before the file is closed, after which its descriptor may be another file's. */
      readonly isOpen: Int32Array;
    }
  /** Rows of another matrix, changed on the way; computed again each time they are read. */
  | {
      readonly rows: number;
      readonly cols: number;
      readonly of: TallMatrix;
      /** The rows taken, in this order; `null` = all. */
      readonly picked: readonly number[] | null;
      /** Changes some rows, each independently of the others. */
      change(rows: Matrix): Matrix;
    };

/** A matrix in an open file. */
export type StoredMatrix = Extract<TallMatrix, { readonly file: number }>;
/** A matrix made from another one. */
type DerivedMatrix = Extract<TallMatrix, { readonly of: TallMatrix }>;

/** Rows that are read at a time if all of them, or their products, would take too much memory. */
const BLOCK_ROWS = 1024;

/** A matrix of more rows than this is read in blocks; up to this many, it is loaded. */
export const HELD_ROWS = 4096;

/** The rows of a matrix, some at a time; `first` is the index of a block's first row. A block is valid until the next is requested. */
export function* rowBlocks(A: TallMatrix): Generator<{ readonly first: number; readonly block: Matrix }> {
  const buffer = borrowBuffer(A);
  const read = readerOf(A, buffer);
  try {
    for (let first = 0; first < A.rows; first += BLOCK_ROWS) {
      yield { first, block: read(first, Math.min(BLOCK_ROWS, A.rows - first)) };
    }
  } finally {
    if (buffer.length > 0) spare = buffer;
  }
}

/** The last released buffer, for reuse: a topic is read in many small pieces, and allocating costs more than reading. */
let spare: Float64Array | null = null;

/** A buffer for the blocks of a matrix that is in a file, or derived from all rows of one; rows picked bring their own. */
function borrowBuffer(A: TallMatrix): Float64Array {
  if ('of' in A && A.picked === null) return borrowBuffer(A.of);
  const size = 'file' in A ? Math.min(BLOCK_ROWS, A.rows) * A.cols : 0;
  if (size === 0 || spare === null || spare.length < size) return new Float64Array(size);
  const buffer = spare;
  spare = null;
  return buffer;
}

/** Reads up to `BLOCK_ROWS` rows from a row on: views of what is in memory, else into the buffer. */
function readerOf(A: TallMatrix, buffer: Float64Array): (first: number, rows: number) => Matrix {
  const { cols } = A;
  if ('data' in A) return (first, rows) => ({ rows, cols, data: A.data.subarray(first * cols, (first + rows) * cols) });
  if ('file' in A) return (first, rows) => readInto({ rows, cols, data: buffer.subarray(0, rows * cols) }, A, first);
  const { of, picked } = A;
  if (picked !== null) return (first, rows) => A.change(takeRows(of, picked.slice(first, first + rows)));
  const read = readerOf(of, buffer);
  return (first, rows) => A.change(read(first, rows));
}

/** A copy of the rows with these indices, in that order. */
export function takeRows(A: TallMatrix, indices: ArrayLike<number>): Matrix {
  if ('of' in A) {
    const { of, picked } = A;
    return A.change(takeRows(of, picked === null ? indices : Array.from(indices, (index) => picked[index]!)));
  }
  const taken = zeros(indices.length, A.cols);
  for (let k = 0, run = 1; k < indices.length; k += run) {
    if ('data' in A) {
      taken.data.set(rowOf(A, indices[k]!), k * A.cols);
      continue;
    }
    // Rows that follow each other are read at once.
    for (run = 1; k + run < indices.length && indices[k + run] === indices[k]! + run;) run++;
    readInto({ ...taken, rows: run, data: taken.data.subarray(k * A.cols, (k + run) * A.cols) }, A, indices[k]!);
  }
  return taken;
}

/** The whole matrix in memory: itself if it is there already. */
export function inMemory(A: TallMatrix): Matrix {
  if ('data' in A) return A;
  if ('file' in A) return readInto(zeros(A.rows, A.cols), A, 0);
  const whole = zeros(A.rows, A.cols);
  for (const { first, block } of rowBlocks(A)) whole.data.set(block.data, first * A.cols);
  return whole;
}

/** The rows of A, or those picked, changed: computed once if they are few enough to be held, else whenever they are read. */
export function derive(
  A: TallMatrix,
  change: DerivedMatrix['change'],
  picked: DerivedMatrix['picked'] = null,
): TallMatrix {
  const derived = { rows: picked === null ? A.rows : picked.length, cols: A.cols, of: A, picked, change };
  return derived.rows <= HELD_ROWS ? inMemory(derived) : derived;
}

/** Some rows of a matrix, in this order; a copy if they are few enough to be held. */
export function pickRows(A: TallMatrix, picked: readonly number[]): TallMatrix {
  return derive(A, (rows) => rows, picked);
}

/** Fills `rows` from a file, beginning with the row at `first`. */
function readInto(rows: Matrix, stored: StoredMatrix, first: number): Matrix {
  const bytes = new Uint8Array(rows.data.buffer, rows.data.byteOffset, rows.data.byteLength);
  const start = stored.offset + first * stored.cols * Float64Array.BYTES_PER_ELEMENT;
  for (let done = 0; done < bytes.length;) {
    const read = readSome(stored, bytes.subarray(done), start + done);
    if (read === 0) {
      throw new StoreError(
        'rows-cut-off',
        `Expected ${rows.rows} rows from row ${first} of a file, found its end. Run again.`,
      );
    }
    done += read;
  }
  return rows;
}

/** Reads as many bytes as the file gives at once. What was read while it was closed may be another file's, and is not used. */
function readSome({ file, isOpen }: StoredMatrix, bytes: Uint8Array, at: number): number {
  let [read, failure]: [number, unknown] = [0, null];
  try {
    read = readSync(file, bytes, 0, bytes.length, at);
  } catch (error) {
    failure = error;
  }
  if (Atomics.load(isOpen, 0) === 0) throw rowsClosed();
  if (failure === null) return read;
  throw new StoreError(
    'rows-unreadable',
    `Could not read the vectors of the topic (${(failure as NodeJS.ErrnoException).code}). Run again, or choose another folder with --cache.`,
    { cause: failure },
  );
}

/** The error for rows that are read, or stored, after their file was closed. */
export function rowsClosed(): StoreError {
  return new StoreError(
    'rows-closed',
    'Expected the vectors of an open topic, found that it was closed meanwhile. Open it again.',
  );
}

/** Squared norm of every row. */
export function rowSquares(A: TallMatrix): Float64Array {
  const squares = new Float64Array(A.rows);
  for (const { first, block } of rowBlocks(A)) {
    for (let i = 0, at = 0; i < block.rows; i++) {
      let sum = 0;
      for (let j = 0; j < block.cols; j++, at++) sum += block.data[at]! * block.data[at]!;
      squares[first + i] = sum;
    }
  }
  return squares;
}

/** The mean of the rows; zero if there are none. */
export function meanOfRows(A: TallMatrix): Float64Array {
  const sum = new Float64Array(A.cols);
  for (const { block } of rowBlocks(A)) {
    for (let i = 0; i < block.rows; i++) rowOf(block, i).forEach((value, k) => (sum[k]! += value));
  }
  return A.rows === 0 ? sum : sum.map((value) => value / A.rows);
}

/** How far a squared length may be from one and still count as one: a few roundings of a normalised double. */
const UNIT_SLACK = 1e-12;

/** True when every row has length one or zero. */
export function hasUnitRows(A: TallMatrix): boolean {
  return rowSquares(A).every((square) => square === 0 || Math.abs(square - 1) <= UNIT_SLACK);
}

/** The same rows at length one; zero rows stay zero. */
export function unitRows(A: Matrix): Matrix {
  const unit = { ...A, data: Float64Array.from(A.data) };
  rowSquares(A).forEach((square, i) => {
    if (square > 0) rowOf(unit, i).forEach((value, k, row) => (row[k] = value / Math.sqrt(square)));
  });
  return unit;
}

/** Throws unless every entry is a finite number; gives the size of the largest, 0 if there is none. */
export function requireFinite(A: TallMatrix, what: string): number {
  if ('data' in A && A.data.length !== A.rows * A.cols) {
    throw new NumericError(
      'bad-shape',
      `Expected ${A.rows} × ${A.cols} numbers in ${what}, found ${A.data.length}. Check how the matrix was made.`,
    );
  }
  let largest = 0;
  for (const { first, block } of rowBlocks(A)) {
    for (let at = 0; at < block.data.length; at++) {
      const size = Math.abs(block.data[at]!);
      if (size > largest) largest = size;
      // NaN is not below Infinity either, so it is refused too.
      if (size < Infinity) continue;
      const [i, j] = [first + Math.floor(at / A.cols), at % A.cols];
      throw new NumericError(
        'not-finite',
        `Expected finite numbers in ${what}, found ${block.data[at]} in row ${i}, column ${j}.`,
      );
    }
  }
  return largest;
}
