import type { Matrix } from '../matrix.js';

/** The part of a product to work on: half-open ranges of C's rows, C's columns, and the summed index. */
export type Part = {
  readonly rows?: readonly [number, number];
  readonly cols?: readonly [number, number];
  readonly depth?: readonly [number, number];
  /** Entries of C to skip before its row 0, column 0: C is then a block of a larger matrix. */
  readonly offset?: number;
};

/**
 * C ← C + sign · A·B on the part asked for.
 * Every entry adds its products in the order of the summed index, so all kernels give the same bits.
 */
export function multiplyAdd(C: Matrix, A: Matrix, B: Matrix, sign: 1 | -1, part: Part = {}): void {
  const [rowStart, rowEnd] = part.rows ?? [0, A.rows];
  const [colStart, colEnd] = part.cols ?? [0, B.cols];
  const [depthStart, depthEnd] = part.depth ?? [0, A.cols];
  const offset = part.offset ?? 0;
  for (let i = rowStart; i < rowEnd; i++) {
    const c = offset + i * C.cols;
    for (let k = depthStart; k < depthEnd; k++) {
      const factor = sign * A.data[i * A.cols + k]!;
      const b = k * B.cols;
      for (let j = colStart; j < colEnd; j++) C.data[c + j]! += factor * B.data[b + j]!;
    }
  }
}
