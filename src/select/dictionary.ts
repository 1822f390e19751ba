import { type Matrix, multiply, rowOf, takeRows, transpose, zeros } from '../base/index.js';
import { type Coded, lasso } from './lasso.js';

/** A dictionary that learns from the shots it is given. Atoms are rows of length one at most. */
type Dictionary = {
  /** The atoms so far. */
  atoms(): Matrix;
  /** The sparse code of x, which has length one, over the atoms so far. */
  codeOf(x: Float64Array): Coded;
  /** Takes in a shot with its code. */
  learn(x: Float64Array, code: Float64Array): void;
};

/**
 * Online dictionary learning (Mairal, Bach, Ponce and Sapiro 2010, algorithms 1 and 2): the atoms minimise, over all that
 * was learnt,  Σ ½‖x − Dᵀa‖² = ½tr DᵀAD − tr DᵀB + const,  A = Σ aaᵀ,  B = Σ axᵀ  (D, B: one atom a row).
 * While there are fewer than `limit` atoms, a shot to learn becomes the next one.
 */
export function newDictionary(dim: number, limit: number, lambda: number): Dictionary {
  const [D, B] = [zeros(limit, dim), zeros(limit, dim)];
  const [A, G] = [zeros(limit, limit), zeros(limit, limit)];
  let size = 0;

  const remember = (x: Float64Array, code: Float64Array): void => {
    code.forEach((entry, j) => {
      if (entry === 0) return;
      for (let k = 0; k < code.length; k++) A.data[j * limit + k]! += entry * code[k]!;
      for (let k = 0; k < dim; k++) B.data[j * dim + k]! += entry * x[k]!;
    });
  };
  /** d_j ← d_j + (b_j − Σ_k A_jk d_k)/A_jj, brought back into the unit ball. */
  const improve = (j: number): void => {
    const fitted = multiply({ rows: 1, cols: limit, data: rowOf(A, j) }, D).data;
    const curvature = A.data[j * limit + j]!;
    const d = rowOf(D, j);
    for (let k = 0; k < dim; k++) d[k]! += (B.data[j * dim + k]! - fitted[k]!) / curvature;
    const length = Math.sqrt(d.reduce((sum, entry) => sum + entry * entry, 0));
    if (length > 1) for (let k = 0; k < dim; k++) d[k]! /= length;
  };
  const remeasure = (changed: readonly number[]): void => {
    const products = multiply(D, transpose(takeRows(D, changed)));
    changed.forEach((j, column) => {
      for (let k = 0; k < limit; k++) {
        G.data[k * limit + j] = products.data[k * changed.length + column]!;
        G.data[j * limit + k] = G.data[k * limit + j]!;
      }
    });
  };

  return {
    atoms: () => ({ rows: size, cols: dim, data: D.data.subarray(0, size * dim) }),
    codeOf: (x) => lasso(G, multiply(D, { rows: dim, cols: 1, data: x }).data.subarray(0, size), lambda),
    learn(x, code) {
      if (size < limit) {
        D.data.set(x, size * dim);
        // With x itself among the atoms its code is that atom alone: the rest λx is met by no atom with more than λ.
        const alone = new Float64Array(++size);
        alone[size - 1] = 1 - lambda;
        remember(x, alone);
        return remeasure([size - 1]);
      }
      // Only the atoms of this code have something new to fit.
      const used = [...code.keys()].filter((j) => code[j] !== 0);
      remember(x, code);
      used.forEach(improve);
      remeasure(used);
    },
  };
}
