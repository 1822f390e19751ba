import { cholesky, type Matrix, solveCholesky, takeColumns, takeRows } from '../base/index.js';

/** Sweeps between two attempts to finish at once. */
const SWEEPS = 10;

/** Attempts after which it gives up: then some atoms are nearly equal, and any code of them is as good. */
const MAX_ROUNDS = 100;

/** Added to the diagonal of G to finish: above its roundings, below the accuracy asked of a code. */
const RIDGE = 1e-12;

/** A code, and ‖x − Dᵀa‖² for it. */
export type Coded = { readonly code: Float64Array; readonly error: number };

/**
 * minimise  ½‖x − Dᵀa‖² + λ‖a‖₁   for x of length one (D: one atom a row, of length one at most)
 * Only  G = DDᵀ  and  c = Dx  are needed; atoms are the first c.length rows of G. With  q = c − Ga,  a is optimal iff
 * q_j = λ·sign(a_j) where a_j ≠ 0 and |q_j| ≤ λ elsewhere. Coordinate descent finds the atoms and signs; once they are
 * right, a linear system gives a.
 */
export function lasso(G: Matrix, c: Float64Array, lambda: number): Coded {
  let at: Point = { a: new Float64Array(c.length), q: c.slice() };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (let sweep = 0; sweep < SWEEPS; sweep++) descend(G, at, lambda);
    const finished = finish(G, c, at, lambda);
    if (finished === null) continue;
    at = finished;
    break;
  }
  const { a, q } = at;
  // ‖x − Dᵀa‖² = 1 − 2a·c + aᵀGa = 1 − a·(c + q).
  let error = 1;
  for (let j = 0; j < a.length; j++) error -= a[j]! * (c[j]! + q[j]!);
  return { code: a, error: Math.max(0, error) };
}

type Point = { readonly a: Float64Array; readonly q: Float64Array };

/** One sweep: a_j ← S(q_j + G_jj·a_j, λ)/G_jj,  S(v, λ) = sign(v)·(|v| − λ)₊,  the best a_j for all others held. */
function descend(G: Matrix, { a, q }: Point, lambda: number): void {
  for (let j = 0; j < a.length; j++) {
    const curvature = G.data[j * G.cols + j]!;
    if (!(curvature > 0)) continue;
    const alone = q[j]! + curvature * a[j]!;
    const change = (Math.sign(alone) * Math.max(0, Math.abs(alone) - lambda)) / curvature - a[j]!;
    if (change === 0) continue;
    a[j]! += change;
    for (let k = 0; k < a.length; k++) q[k]! -= change * G.data[j * G.cols + k]!;
  }
}

/** The optimum, if it has the atoms and signs of `a`; else `null`. */
function finish(G: Matrix, c: Float64Array, { a }: Point, lambda: number): Point | null {
  const used = [...a.keys()].filter((j) => a[j] !== 0);
  const A = takeColumns(takeRows(G, used), used);
  for (let row = 0; row < A.rows; row++) A.data[row * A.cols + row]! += RIDGE;
  const b = Float64Array.from(used, (j) => c[j]! - lambda * Math.sign(a[j]!));
  const solved = solveCholesky(cholesky(A), { rows: used.length, cols: 1, data: b }).data;
  const found = new Float64Array(a.length);
  const q = Float64Array.from(c);
  used.forEach((j, row) => {
    found[j] = solved[row]!;
    for (let k = 0; k < q.length; k++) q[k]! -= found[j]! * G.data[j * G.cols + k]!;
  });
  const fits = found.every((weight, j) => Math.sign(weight) === Math.sign(a[j]!) && Math.abs(q[j]!) <= lambda + 1e-10);
  return fits ? { a: found, q } : null;
}
