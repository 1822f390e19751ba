import { NumericError } from './errors.js';

/** A dense matrix, row by row: entry (i, j) is `data[i * cols + j]`. */
export type Matrix = { readonly rows: number; readonly cols: number; readonly data: Float64Array };

/** A matrix of zeros. */
export function zeros(rows: number, cols: number): Matrix {
  return { rows, cols, data: new Float64Array(rows * cols) };
}

/** The identity matrix. */
export function identity(size: number): Matrix {
  const I = zeros(size, size);
  for (let i = 0; i < size; i++) I.data[i * size + i] = 1;
  return I;
}

/** A matrix of zeros in memory that threads can read without a copy of their own. */
export function sharedZeros(rows: number, cols: number): Matrix {
  return { rows, cols, data: new Float64Array(new SharedArrayBuffer(rows * cols * Float64Array.BYTES_PER_ELEMENT)) };
}

/** A matrix from rows of equal length. */
export function matrixOf(rows: readonly ArrayLike<number>[], cols: number = rows[0]?.length ?? 0): Matrix {
  const M = zeros(rows.length, cols);
  rows.forEach((row, i) => {
    if (row.length !== cols) {
      throw new NumericError('ragged-rows', `Expected ${cols} entries in row ${i}, found ${row.length}.`);
    }
    M.data.set(row, i * cols);
  });
  return M;
}

/** Row i, as a view: writing to it writes to the matrix. */
export function rowOf(A: Matrix, i: number): Float64Array {
  return A.data.subarray(i * A.cols, (i + 1) * A.cols);
}

/** The rows of all parts, one part after the other; all must have as many columns as the first. */
export function stackRows(parts: readonly Matrix[]): Matrix {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const all = zeros(rows, parts[0]?.cols ?? 0);
  let at = 0;
  for (const { data } of parts) {
    all.data.set(data, at);
    at += data.length;
  }
  return all;
}

/** A copy of the columns with these indices, in that order. */
export function takeColumns(A: Matrix, indices: readonly number[]): Matrix {
  const taken = zeros(A.rows, indices.length);
  for (let i = 0, at = 0; i < A.rows; i++) {
    for (let k = 0; k < indices.length; k++, at++) taken.data[at] = A.data[i * A.cols + indices[k]!]!;
  }
  return taken;
}

/** factor·A */
export function scaled(A: Matrix, factor: number): Matrix {
  const data = new Float64Array(A.data.length);
  for (let at = 0; at < data.length; at++) data[at] = factor * A.data[at]!;
  return { ...A, data };
}

/** Squared norm of every column. */
export function columnSquares(A: Matrix): Float64Array {
  const squares = new Float64Array(A.cols);
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < A.cols; j++) squares[j]! += A.data[i * A.cols + j]! ** 2;
  }
  return squares;
}

/** The sum of the diagonal. */
export function trace(A: Matrix): number {
  let sum = 0;
  for (let i = 0; i < A.rows; i++) sum += A.data[i * A.cols + i]!;
  return sum;
}

/** Aᵀ */
export function transpose(A: Matrix): Matrix {
  const T = zeros(A.cols, A.rows);
  // Tiles of 16 keep both the reads and the writes inside the cache.
  for (let i0 = 0; i0 < A.rows; i0 += 16) {
    for (let j0 = 0; j0 < A.cols; j0 += 16) {
      const [i1, j1] = [Math.min(i0 + 16, A.rows), Math.min(j0 + 16, A.cols)];
      for (let i = i0; i < i1; i++) {
        for (let j = j0; j < j1; j++) T.data[j * A.rows + i] = A.data[i * A.cols + j]!;
      }
    }
  }
  return T;
}

/** x·y, terms added in order. */
export function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k]! * y[k]!;
  return sum;
}

/** ‖x − y‖², terms added in order. */
export function squaredDistance(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += (x[k]! - y[k]!) ** 2;
  return sum;
}

/** ⟨A, B⟩, the sum of the products of matching entries. */
export function innerProduct(A: Matrix, B: Matrix): number {
  return dot(A.data, B.data);
}

/** The bytes of numbers: a view of the same memory, not a copy. */
export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Copies bytes, aligned or not, into numbers; gives the numbers. */
export function filledFrom<T extends Float32Array | Float64Array>(numbers: T, bytes: Uint8Array): T {
  bytesOf(numbers).set(bytes);
  return numbers;
}
