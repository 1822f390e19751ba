import { EigenvalueDecomposition, Matrix as DenseMatrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import {
  leadingEigenvectors,
  type Matrix,
  matrixOf,
  mirrorLower,
  multiply,
  random,
  rowOf,
  transpose,
  zeros,
} from './index.js';

/** A symmetric matrix with eigenvalues in [−1, 1]: noise over the norm of its rows. */
function symmetric(seed: number, size: number): Matrix {
  const { normal } = random(seed);
  const A = zeros(size, size);
  A.data.forEach((_, at) => (A.data[at] = normal()));
  mirrorLower(A);
  const most = Math.max(
    ...Array.from({ length: size }, (_, i) => rowOf(A, i).reduce((sum, x) => sum + Math.abs(x), 0)),
  );
  return { ...A, data: A.data.map((value) => value / most) };
}

/** Σ vvᵀ: what the vectors span, whatever their signs or their mixture within one eigenvalue. */
const projector = (vectors: Matrix): Matrix => multiply(transpose(vectors), vectors);

const worst = (A: Matrix, B: Matrix): number =>
  A.data.reduce((most, value, at) => Math.max(most, Math.abs(value - B.data[at]!)), 0);

describe('leadingEigenvectors', () => {
  it('solves a case done by hand', () => {
    const { values, vectors } = leadingEigenvectors(matrixOf([[2, -1, 0], [-1, 2, 0], [0, 0, 5]]), 3, 0); // prettier-ignore
    [5, 3, 1].forEach((value, k) => expect(values[k]).toBeCloseTo(value, 14));
    const half = Math.SQRT1_2;
    [0, 0, 1, half, -half, 0, half, half, 0].forEach((entry, at) => expect(vectors.data[at]).toBeCloseTo(entry, 14));
  });

  it('agrees with the full decomposition beyond the size where it iterates', () => {
    const A = symmetric(3, 260);
    const full = new EigenvalueDecomposition(DenseMatrix.from1DArray(260, 260, A.data), { assumeSymmetric: true });
    const order = [...full.realEigenvalues.keys()].sort((i, j) => full.realEigenvalues[j]! - full.realEigenvalues[i]!);
    const expected = matrixOf(order.slice(0, 12).map((column) => full.eigenvectorMatrix.getColumn(column)));
    const { values, vectors, converged } = leadingEigenvectors(A, 12, -1);
    expect(converged).toBe(true);
    values.forEach((value, k) => expect(value).toBeCloseTo(full.realEigenvalues[order[k]!]!, 12));
    expect(worst(projector(vectors), projector(expected))).toBeLessThan(1e-6);
    expect(worst(multiply(vectors, transpose(vectors)), matrixOf([...Array(12).keys()].map((i) => [...Array(12).keys()].map((j) => (i === j ? 1 : 0)))))).toBeLessThan(1e-12); // prettier-ignore
  });

  it('finds every vector of an eigenvalue that comes several times', () => {
    // Five blocks of ones over their size: eigenvalue 1 five times, 0 for all the rest.
    const A = zeros(250, 250);
    for (let i = 0; i < 250; i++) for (let j = 0; j < 250; j++) if (i % 5 === j % 5) A.data[i * 250 + j] = 1 / 50;
    const { values, vectors, converged } = leadingEigenvectors(A, 7, 0);
    expect(converged).toBe(true);
    [1, 1, 1, 1, 1, 0, 0].forEach((value, k) => expect(values[k]).toBeCloseTo(value, 12));
    const five: Matrix = { rows: 5, cols: 250, data: vectors.data.slice(0, 5 * 250) };
    expect(worst(projector(five), A)).toBeLessThan(1e-12);
  });

  it('gives the same bits again, the largest entry of each vector positive', () => {
    const A = symmetric(4, 230);
    expect(leadingEigenvectors(A, 5, -1)).toEqual(leadingEigenvectors(A, 5, -1));
    for (let k = 0; k < 5; k++) {
      const vector = rowOf(leadingEigenvectors(A, 5, -1).vectors, k);
      expect(Math.max(...vector)).toBeGreaterThanOrEqual(-Math.min(...vector));
    }
  });

  it('refuses what is not a number', () => {
    const A = matrixOf([[1, NaN], [NaN, 1]]); // prettier-ignore
    expect(() => leadingEigenvectors(A, 1, 0)).toThrow(expect.objectContaining({ code: 'not-finite' }));
  });

  it('takes matrices of zeros, and no more vectors than there are', () => {
    for (const size of [3, 240]) {
      const { values, vectors, converged } = leadingEigenvectors(zeros(size, size), 2, 0);
      expect([...values]).toEqual([0, 0]);
      expect(vectors.data.every(Number.isFinite)).toBe(true);
      expect(converged).toBe(true);
    }
    expect(leadingEigenvectors(zeros(1, 1), 4, 0).vectors.rows).toBe(1);
    expect(leadingEigenvectors(zeros(0, 0), 4, 0).vectors.rows).toBe(0);
  });
});
