import { EigenvalueDecomposition, Matrix as DenseMatrix } from 'ml-matrix';
import { multiply } from './linalg.js';
import { type Matrix, rowOf, transpose, zeros } from './matrix.js';
import { requireFinite } from './tall.js';
import { random } from './random.js';

/** Up to this size all eigenvectors at once cost no more than a few by iteration. */
const DENSE = 200;

/** Vectors in the block beyond those wanted: the more, the faster the last wanted one converges. */
const extraOf = (count: number): number => 8 + Math.ceil(count / 2);

/** Residual ‖Av − θv‖ at which a vector counts as found, as a share of the largest eigenvalue. */
const TOLERANCE = 1e-8;

/** What roundings leave of a residual for eigenvalues of size one. */
const ROUNDINGS = 1e-13;

/** The filter amplifies wanted vectors by at most this factor, so that the others keep half of their digits. */
const MAX_RAISED = 1e8;
const MAX_DEGREE = 12;
const MAX_ROUNDS = 30;

/** The largest eigenvalues of a symmetric matrix, largest first. */
export type Eigenpairs = {
  readonly values: Float64Array;
  /** One eigenvector a row, of length one; its largest entry is positive. */
  readonly vectors: Matrix;
  /** False when the iteration gave up before the residuals were small. */
  readonly converged: boolean;
};

/**
 * The `count` largest eigenvalues of a symmetric A with their vectors; no eigenvalue may lie below `lowest`.
 * Subspace iteration with a Chebyshev filter (Zhou, Saad, Tiago, Chelikowsky 2006): memory and work grow with the square of
 * A's size, not with its cube. The result is the same on every run.
 */
export function leadingEigenvectors(A: Matrix, count: number, lowest: number): Eigenpairs {
  requireFinite(A, 'a matrix of similarities');
  const wanted = Math.min(count, A.rows);
  if (A.rows <= DENSE) {
    const { values, vectors } = allEigenvectors(A);
    return { ...leading(values, vectors, wanted), converged: true };
  }
  let V = orthonormal(noise(Math.min(A.rows, wanted + extraOf(wanted)), A.cols));
  for (let round = 1; ; round++) {
    // Rayleigh-Ritz: the eigenvectors of A within the block.
    const VA = multiply(V, A);
    const { values, vectors } = allEigenvectors(multiply(VA, transpose(V)));
    V = multiply(vectors, V);
    const converged =
      worstResidual(V, multiply(vectors, VA), values, wanted) <= TOLERANCE * Math.abs(values[0]!) + ROUNDINGS;
    if (converged || round === MAX_ROUNDS) return { ...leading(values, V, wanted), converged };
    V = orthonormal(filtered(A, V, [lowest, values.at(-1)!], values[0]!));
  }
}

/** All eigenvalues, largest first, with their vectors as rows. */
function allEigenvectors(A: Matrix): { values: Float64Array; vectors: Matrix } {
  if (A.rows === 0) return { values: new Float64Array(0), vectors: A };
  const found = new EigenvalueDecomposition(DenseMatrix.from1DArray(A.rows, A.cols, A.data), { assumeSymmetric: true });
  const order = found.realEigenvalues
    .map((_, k) => k)
    .sort((i, j) => found.realEigenvalues[j]! - found.realEigenvalues[i]!);
  const vectors = zeros(A.rows, A.cols);
  order.forEach((column, k) => vectors.data.set(found.eigenvectorMatrix.getColumn(column), k * A.cols));
  return { values: Float64Array.from(order, (k) => found.realEigenvalues[k]!), vectors };
}

function leading(values: Float64Array, vectors: Matrix, count: number): Pick<Eigenpairs, 'values' | 'vectors'> {
  const kept: Matrix = { rows: count, cols: vectors.cols, data: vectors.data.slice(0, count * vectors.cols) };
  for (let k = 0; k < count; k++) {
    const vector = rowOf(kept, k);
    const most = vector.reduce((largest, entry) => Math.max(largest, Math.abs(entry)), 0);
    // The first of the largest entries: roundings between equals must not choose the sign.
    if (vector.find((entry) => Math.abs(entry) > (1 - 1e-6) * most)! < 0)
      vector.forEach((entry, i) => (vector[i] = -entry));
  }
  return { values: values.slice(0, count), vectors: kept };
}

function worstResidual(V: Matrix, VA: Matrix, values: Float64Array, count: number): number {
  let worst = 0;
  for (let k = 0; k < count; k++) {
    const [v, Av] = [rowOf(V, k), rowOf(VA, k)];
    worst = Math.max(worst, Math.sqrt(v.reduce((sum, entry, i) => sum + (Av[i]! - values[k]! * entry) ** 2, 0)));
  }
  return worst;
}

/**
 * T_m((A − c)/e)·v for every v: at most 1 on the eigenvalues in [c − e, c + e], which are not wanted, and steeply
 * rising above.      T₀ = 1,  T₁(x) = x,  T_m+1(x) = 2x·T_m(x) − T_m−1(x)
 */
function filtered(A: Matrix, V: Matrix, [from, to]: readonly [number, number], largest: number): Matrix {
  const c = (from + to) / 2;
  const e = Math.max((to - from) / 2, ROUNDINGS);
  const steepest = Math.acosh(Math.max((largest - c) / e, 1 + ROUNDINGS));
  const degree = Math.max(1, Math.min(MAX_DEGREE, Math.floor(Math.acosh(MAX_RAISED) / steepest)));
  let [before, now] = [V, combined(multiply(V, A), V, 1 / e, -c / e)];
  for (let m = 1; m < degree; m++) {
    const next = combined(multiply(now, A), now, 2 / e, (-2 * c) / e);
    [before, now] = [now, combined(next, before, 1, -1)];
  }
  return now;
}

function combined(A: Matrix, B: Matrix, a: number, b: number): Matrix {
  return { ...A, data: A.data.map((value, at) => a * value + b * B.data[at]!) };
}

/** Gram-Schmidt on the rows, each twice, because once loses digits when little is left. */
function orthonormal(V: Matrix): Matrix {
  for (let k = 0; k < V.rows; k++) {
    const v = rowOf(V, k);
    for (let pass = 0; pass < 2; pass++) {
      scaleToOne(v);
      for (let earlier = 0; earlier < k; earlier++) {
        const u = rowOf(V, earlier);
        let along = 0;
        for (let i = 0; i < v.length; i++) along += u[i]! * v[i]!;
        for (let i = 0; i < v.length; i++) v[i]! -= along * u[i]!;
      }
    }
    scaleToOne(v);
  }
  return V;
}

function scaleToOne(v: Float64Array): void {
  const length = Math.sqrt(v.reduce((sum, entry) => sum + entry * entry, 0));
  for (let i = 0; i < v.length; i++) v[i]! /= length;
}

/** Any start works that favours no direction; the seed is fixed, so results are too. */
function noise(rows: number, cols: number): Matrix {
  const { normal } = random(1);
  return { rows, cols, data: Float64Array.from({ length: rows * cols }, normal) };
}
