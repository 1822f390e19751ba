import {
  cholesky,
  innerProduct,
  type Matrix,
  multiply,
  outerGram,
  semidefiniteFactor,
  solveCholesky,
  transpose,
  inMemory,
  type TallMatrix,
} from '../base/index.js';
import type { Constants, Half } from './reduced.js';
import type { Problem } from '../topic/index.js';
import type { Ranking, Selector } from './types.js';

/*
 * Wishes in eq. 5. Columns of Z say what has to be rebuilt, rows which shots rebuild it; wishes are about rows only.
 *
 * Vetoed shots: their rows are zero. They are left out of the candidates C, and stay among what has to be rebuilt.
 *
 * Pinned shots P are in the summary whatever they cost, so their rows carry no penalty: neither λs nor β. Their part of the
 * smooth terms stays, λd's too. Over them a half (reduced.ts) is a quadratic that can be minimised first,
 *     ½s tr Z_PᵀG_PP Z_P − tr Z_Pᵀ(B_P − sG_PC Z_C)     ⇒     Z_P = (sG_PP)⁺(B_P − sG_PC Z_C),
 * and what is left for the candidates is a half again, with the same s:
 *     G' = G_CC − G_CP G_PP⁺ G_PC,     B' = B_C − G_CP G_PP⁺ B_P,     value at Z_C = 0 lower by ½ tr B_Pᵀ(sG_PP)⁺B_P.
 * With similarity by inner product B = (1−λd)XᵀX and B̃ = (α−λd)XᵀX̃, and with P⊥ the projection off the span of X_P
 *     G' = X_CᵀP⊥X_C,     B' = (1−λd)X_CᵀP⊥X,     B̃' = (α−λd)X_CᵀP⊥X̃:
 * the same problem with P⊥X for X and P⊥M̃P⊥ for the moment of the others. Of the diversity term, too, only what lies outside
 * the pinned shots is left. A shot the pinned ones rebuild, such as a twin, has G'_ii = 0 and B'_i = 0: it is never chosen.
 */

/** A pinned shot whose part outside the other pinned ones is below this share of the longest, squared, is one of them. */
const SAME = 1e-10;

/** A candidate that keeps less than this share of its squared length beside the pinned shots keeps nothing but roundings. */
export const NOTHING_LEFT = 1e-12;

/** W = A⁺ with G_PP = AAᵀ: rows of W·X_P are an orthonormal basis of the pinned shots' span, and G_PP⁺ = WᵀW. */
export function whitening(G: Matrix, relative = SAME): Matrix {
  const At = transpose(semidefiniteFactor(G, relative));
  return solveCholesky(cholesky(outerGram(At)), At);
}

/** What a half of the candidates has because of the pinned shots: lower constants, and their rows. V and Y as below. */
export function besidePinned(
  W: Matrix,
  Vt: Matrix,
  Y: Matrix,
  scale: number,
  { atZero, dualTrace }: Constants,
): Constants & Pick<Half, 'pinned'> {
  // tr B_Pᵀ(sG_PP)⁺B_P
  const met = innerProduct(Y, Y) / scale;
  return {
    atZero: atZero - met / 2,
    dualTrace: dualTrace === null ? null : Math.max(0, dualTrace - met),
    pinned: (Z) => pinnedRows(W, Vt, Y, scale, Z),
  };
}

/** Z_P = Wᵀ(Y/s − V·Z_C), V = W·G_PC and Y = W·B_P; Z_C some rows at a time, and Vᵀ for V. */
function pinnedRows(W: Matrix, Vt: Matrix, Y: Matrix, scale: number, Z: Iterable<Matrix>): Matrix {
  const rest = { ...Y, data: Y.data.map((value) => value / scale) };
  let first = 0;
  for (const rows of Z) {
    const data = Vt.data.subarray(first * Vt.cols, (first + rows.rows) * Vt.cols);
    const met = multiply(transpose({ rows: rows.rows, cols: Vt.cols, data }), rows);
    met.data.forEach((value, at) => (rest.data[at]! -= value));
    first += rows.rows;
  }
  return multiply(transpose(W), rest);
}

/** The problem with all shots in memory, for what compares every shot with every other. */
export function loaded({ neighbors, ...problem }: Problem<TallMatrix>): Problem {
  return {
    ...problem,
    features: inMemory(problem.features),
    ...(neighbors ? { neighbors: neighbors.map((one) => ({ ...one, features: inMemory(one.features) })) } : {}),
  };
}

/** The selector for shots that need not be in memory: they are loaded first. */
export function loading({ name, select }: Selector): Selector<Ranking, TallMatrix> {
  return { name, select: (problem, onIteration) => select(loaded(problem), onIteration) };
}
