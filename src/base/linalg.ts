import { NumericError } from './errors.js';
import { multiplyAddPlain } from './kernels/multiply-add-plain.js';
import { multiplyAdd } from './kernels/multiply-add.js';
import { dot, type Matrix, rowOf, transpose, zeros } from './matrix.js';
import { rowBlocks, type TallMatrix } from './tall.js';

/** A·B */
export function multiply(A: Matrix, B: Matrix): Matrix {
  if (A.cols !== B.rows) {
    throw new NumericError('bad-shape', `Cannot multiply ${A.rows} × ${A.cols} by ${B.rows} × ${B.cols}.`);
  }
  const C = zeros(A.rows, B.cols);
  multiplyAdd(C, A, B, 1);
  return C;
}

/** Up to so many rows, plain loops need less time than copying a larger matrix into tiles. */
const FEW_ROWS = 4;

/** A·Bᵀ, the same bits as `multiply(A, transpose(B))`. */
export function multiplyTransposed(A: Matrix, B: Matrix): Matrix {
  if (A.rows > FEW_ROWS) return multiply(A, transpose(B));
  const C = zeros(A.rows, B.rows);
  for (let i = 0; i < A.rows; i++) {
    const x = rowOf(A, i);
    let j = 0;
    // Four sums at a time: each has its own order, and does not wait for the others.
    for (; j + 4 <= B.rows; j += 4) {
      let [s0, s1, s2, s3] = [0, 0, 0, 0];
      for (let k = 0, b = j * B.cols; k < x.length; k++, b++) {
        s0 += x[k]! * B.data[b]!;
        s1 += x[k]! * B.data[b + B.cols]!;
        s2 += x[k]! * B.data[b + 2 * B.cols]!;
        s3 += x[k]! * B.data[b + 3 * B.cols]!;
      }
      C.data.set([s0, s1, s2, s3], i * B.rows + j);
    }
    for (; j < B.rows; j++) C.data[i * B.rows + j] = dot(x, rowOf(B, j));
  }
  return C;
}

/** A·Aᵀ, symmetric to the last bit. */
export function outerGram(A: Matrix): Matrix {
  const C = multiply(A, transpose(A));
  mirrorLower(C);
  return C;
}

/** AᵀA, symmetric to the last bit; besides the result it needs little memory, however many rows A has. */
export function innerGram(A: TallMatrix): Matrix {
  const C = zeros(A.cols, A.cols);
  for (const { block } of rowBlocks(A)) addLowerProduct(C, transpose(block), block);
  mirrorLower(C);
  return C;
}

/**
 * C ← C + w·AᵀA in the lower triangle, the same bits as from `innerGram`; what is above the diagonal has no meaning.
 * `P` has the size of C and is overwritten.
 */
export function addInnerGram(C: Matrix, A: TallMatrix, weight: number, P: Matrix): void {
  P.data.fill(0);
  for (const { block } of rowBlocks(A)) addLowerProduct(P, transpose(block), block);
  for (let i = 0; i < C.rows; i++) {
    for (let at = i * C.cols, end = at + i; at <= end; at++) C.data[at]! += weight * P.data[at]!;
  }
}

/** C ← C + A·B in the lower triangle, for a product that is symmetric; what is above the diagonal has no meaning. */
export function addLowerProduct(C: Matrix, A: Matrix, B: Matrix): void {
  for (let top = 0; top < C.rows; top += BAND) {
    const bottom = Math.min(top + BAND, C.rows);
    multiplyAdd(C, A, B, 1, { rows: [top, bottom], cols: [0, bottom] });
  }
}

/** Copies the lower triangle onto the upper one, in place. */
export function mirrorLower(A: Matrix): void {
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < i; j++) A.data[j * A.cols + i] = A.data[i * A.cols + j]!;
  }
}

/** Rows of a panel: enough for the product kernel to be faster, few enough for the plain loops inside. */
const PANEL = 40;

/** Rows of a band: as wide as a tile of the product kernel, so that little above the diagonal is computed. */
const BAND = 256;

/**
 * A = R·Rᵀ, R lower triangular (Cholesky), for a symmetric positive definite A. Only A's lower triangle is read.
 * Right-looking by panels: factor a diagonal block, solve the block column below it, subtract its product from the rest.
 */
export function cholesky(A: Matrix): Matrix {
  const size = A.rows;
  const R: Matrix = { rows: size, cols: size, data: Float64Array.from(A.data) };
  for (let start = 0; start < size; start += PANEL) {
    const end = Math.min(start + PANEL, size);
    factorBlock(R, start, end);
    if (end < size) finishPanel(R, start, end);
  }
  for (let i = 0; i < size; i++) R.data.fill(0, i * size + i + 1, (i + 1) * size);
  return R;
}

/** Cholesky of the diagonal block [start, end), in place. */
function factorBlock({ rows: size, data }: Matrix, start: number, end: number): void {
  for (let j = start; j < end; j++) {
    let pivot = data[j * size + j]!;
    for (let k = start; k < j; k++) pivot -= data[j * size + k]! ** 2;
    if (!(pivot > 0)) {
      throw new NumericError(
        'not-positive-definite',
        `Cholesky met a pivot of ${pivot} in row ${j} of ${size}: the system has no unique answer.`,
      );
    }
    pivot = Math.sqrt(pivot);
    data[j * size + j] = pivot;
    for (let i = j + 1; i < end; i++) {
      let sum = data[i * size + j]!;
      for (let k = start; k < j; k++) sum -= data[i * size + k]! * data[j * size + k]!;
      data[i * size + j] = sum / pivot;
    }
  }
}

/** The block column P below a finished block, R_block·Pᵀ = A_belowᵀ; then the trailing block minus P·Pᵀ. */
function finishPanel(R: Matrix, start: number, end: number): void {
  const [size, width] = [R.rows, end - start];
  const below = size - end;
  const block = zeros(width, width);
  for (let i = 0; i < width; i++) {
    block.data.set(R.data.subarray((start + i) * size + start, (start + i) * size + start + i + 1), i * width);
  }
  const under = zeros(below, width);
  for (let i = 0; i < below; i++) {
    under.data.set(R.data.subarray((end + i) * size + start, (end + i) * size + end), i * width);
  }
  const Pt = solveLower(block, transpose(under));
  const P = transpose(Pt);
  for (let i = 0; i < below; i++) R.data.set(P.data.subarray(i * width, (i + 1) * width), (end + i) * size + start);
  // A band of rows at a time, so that most of the upper triangle is skipped.
  const band = 4 * PANEL;
  for (let top = 0; top < below; top += band) {
    const bottom = Math.min(top + band, below);
    multiplyAdd(R, P, Pt, -1, { rows: [top, bottom], cols: [0, bottom], offset: end * size + end });
  }
}

/** X with R·Rᵀ·X = B, for R from `cholesky`; a caller that solves often gives Rᵀ too. */
export function solveCholesky(R: Matrix, B: Matrix, Rt: Matrix = transpose(R)): Matrix {
  return solveUpper(Rt, solveLower(R, B));
}

/** X with R·X = B, R lower triangular. */
export function solveLower(R: Matrix, B: Matrix): Matrix {
  const X: Matrix = { rows: B.rows, cols: B.cols, data: Float64Array.from(B.data) };
  for (let start = 0; start < R.rows; start += PANEL) {
    const end = Math.min(start + PANEL, R.rows);
    // Rows above are done: take their share out of this block in one product, then finish inside the block.
    if (start > 0) multiplyAdd(X, R, X, -1, { rows: [start, end], depth: [0, start] });
    for (let i = start; i < end; i++) {
      multiplyAddPlain(X, R, X, -1, { rows: [i, i + 1], depth: [start, i] });
      divideRow(X, i, R.data[i * R.cols + i]!);
    }
  }
  return X;
}

/** X with U·X = B, U upper triangular. */
function solveUpper(U: Matrix, B: Matrix): Matrix {
  const X: Matrix = { rows: B.rows, cols: B.cols, data: Float64Array.from(B.data) };
  const panels = Math.ceil(U.rows / PANEL);
  for (let panel = panels - 1; panel >= 0; panel--) {
    const [start, end] = [panel * PANEL, Math.min((panel + 1) * PANEL, U.rows)];
    if (end < U.rows) multiplyAdd(X, U, X, -1, { rows: [start, end], depth: [end, U.rows] });
    for (let i = end - 1; i >= start; i--) {
      multiplyAddPlain(X, U, X, -1, { rows: [i, i + 1], depth: [i + 1, end] });
      divideRow(X, i, U.data[i * U.cols + i]!);
    }
  }
  return X;
}

function divideRow(X: Matrix, row: number, by: number): void {
  const at = row * X.cols;
  for (let j = 0; j < X.cols; j++) X.data[at + j]! /= by;
}

/**
 * A ≈ P·Pᵀ for a symmetric positive semidefinite A (Cholesky with diagonal pivots): P is rows × rank.
 * Stops when no diagonal entry of the remainder exceeds `relative` times the largest of A, so rank 0 is an answer.
 */
export function semidefiniteFactor(A: Matrix, relative = 1e-15): Matrix {
  const size = A.rows;
  const left = Float64Array.from({ length: size }, (_, i) => A.data[i * size + i]!);
  const floor = Math.max(0, ...left) * relative * Math.max(1, size);
  const columns: Float64Array[] = [];
  while (columns.length < size) {
    let pivot = 0;
    for (let i = 1; i < size; i++) if (left[i]! > left[pivot]!) pivot = i;
    if (!(left[pivot]! > floor)) break;
    const root = Math.sqrt(left[pivot]!);
    const column = A.data.slice(pivot * size, (pivot + 1) * size);
    let k = 0;
    // Four earlier columns at a time read and write the new one once.
    for (; k + 4 <= columns.length; k += 4) {
      const [c0, c1, c2, c3] = [columns[k]!, columns[k + 1]!, columns[k + 2]!, columns[k + 3]!];
      const [f0, f1, f2, f3] = [c0[pivot]!, c1[pivot]!, c2[pivot]!, c3[pivot]!];
      for (let i = 0; i < size; i++) column[i] = column[i]! - f0 * c0[i]! - f1 * c1[i]! - f2 * c2[i]! - f3 * c3[i]!;
    }
    for (; k < columns.length; k++) {
      const [previous, factor] = [columns[k]!, columns[k]![pivot]!];
      for (let i = 0; i < size; i++) column[i]! -= factor * previous[i]!;
    }
    for (let i = 0; i < size; i++) {
      column[i] = left[i] === -Infinity ? 0 : column[i]! / root;
      left[i]! -= column[i]! ** 2;
    }
    column[pivot] = root;
    left[pivot] = -Infinity;
    columns.push(column);
  }
  const P = zeros(size, columns.length);
  columns.forEach((column, k) => {
    for (let i = 0; i < size; i++) P.data[i * P.cols + k] = column[i]!;
  });
  return P;
}
