import type { Matrix } from '../matrix.js';
import type { Part } from './multiply-add.js';

/** C ← C + sign · A·B in plain loops: the oracle of the SIMD kernel, and its stand-in where there is no SIMD. */
export function multiplyAddPlain(C: Matrix, A: Matrix, B: Matrix, sign: 1 | -1, part: Part = {}): void {
  const [rowStart, rowEnd] = part.rows ?? [0, A.rows];
  const [colStart, colEnd] = part.cols ?? [0, B.cols];
  const [depthStart, depthEnd] = part.depth ?? [0, A.cols];
  const [a, b, c] = [A.data, B.data, C.data];
  for (let i = rowStart; i < rowEnd; i++) {
    const target = (part.offset ?? 0) + i * C.cols;
    let k = depthStart;
    // Eight steps of the summed index at a time read and write each entry of C once, and round as one by one.
    for (; k + 8 <= depthEnd; k += 8) {
      const at = i * A.cols + k;
      const [a0, a1, a2, a3] = [sign * a[at]!, sign * a[at + 1]!, sign * a[at + 2]!, sign * a[at + 3]!];
      const [a4, a5, a6, a7] = [sign * a[at + 4]!, sign * a[at + 5]!, sign * a[at + 6]!, sign * a[at + 7]!];
      const [b0, b1, b2, b3] = [k * B.cols, (k + 1) * B.cols, (k + 2) * B.cols, (k + 3) * B.cols];
      const [b4, b5, b6, b7] = [(k + 4) * B.cols, (k + 5) * B.cols, (k + 6) * B.cols, (k + 7) * B.cols];
      for (let j = colStart; j < colEnd; j++) {
        const sum = c[target + j]! + a0 * b[b0 + j]! + a1 * b[b1 + j]! + a2 * b[b2 + j]! + a3 * b[b3 + j]!;
        c[target + j] = sum + a4 * b[b4 + j]! + a5 * b[b5 + j]! + a6 * b[b6 + j]! + a7 * b[b7 + j]!;
      }
    }
    for (; k < depthEnd; k++) {
      const factor = sign * a[i * A.cols + k]!;
      for (let j = colStart; j < colEnd; j++) c[target + j]! += factor * b[k * B.cols + j]!;
    }
  }
}
