import { cholesky, type Matrix, rowOf, rowSquares, solveCholesky, trace, zeros } from '../base/index.js';
import { pointAt, type SmrsPoint, type SmrsProblem } from './smrs-point.js';

/** Over-relaxation; Boyd et al. 2011 (3.4.3) report 1.5 to 1.8 as best. */
const RELAXATION = 1.6;

/** Iterations between two looks at ρ, as each change of ρ costs a factorisation. */
const BALANCE_EVERY = 10;

/** Relative residuals further apart than this are brought together by ρ. */
const UNBALANCED = 5;

/**
 * The published route: Z is smooth and feasible, C sparse, and both become equal (ADMM with scaled multipliers U).
 *   Z ← argmin ½‖X − XZ‖² + ½ρ‖Z − C + U‖²  s.t. 1ᵀZ = 1ᵀ,     C ← rows of Z + U shortened by λ/ρ,     U ← U + Z − C
 * G1 = 0 gives (G + ρI)⁻¹1 = 1/ρ, so a shift of each column of Z meets the constraint.
 * The function returned takes one iteration. The lengths of the rows of C make the point that is judged.
 */
export function admmIterations(problem: SmrsProblem): () => SmrsPoint {
  const { G, lambda, affine } = problem;
  const [C, U, wanted] = [zeros(G.rows, G.rows), zeros(G.rows, G.rows), zeros(G.rows, G.rows)];
  let rho = trace(G) / G.rows;
  let R = factorShifted(G, rho);
  let iteration = 0;
  return () => {
    for (let at = 0; at < C.data.length; at++) wanted.data[at] = G.data[at]! + rho * (C.data[at]! - U.data[at]!);
    const Z = solveCholesky(R, wanted);
    if (affine) shiftColumnsToOne(Z);
    const imbalance = exchange(Z, C, U, lambda / rho);
    if (++iteration % BALANCE_EVERY === 0 && !(imbalance < UNBALANCED && imbalance > 1 / UNBALANCED)) {
      const factor = Math.min(10, Math.max(0.1, Math.sqrt(imbalance)));
      rho *= factor;
      R = factorShifted(G, rho);
      for (let at = 0; at < U.data.length; at++) U.data[at]! /= factor;
    }
    const t = rowSquares(C).map(Math.sqrt);
    // If C has no row left, those of Z are used instead: a point must be feasible.
    const lengths = affine && t.every((length) => length === 0) ? rowSquares(Z).map(Math.sqrt) : t;
    return pointAt(problem, lengths);
  };
}

/** The steps of C and U, in place. Returns how many times larger ‖Z − C‖/‖C‖ is than ‖change of C‖/‖U‖. */
function exchange(Z: Matrix, C: Matrix, U: Matrix, shrinkage: number): number {
  let [primal, dual, sizeC, sizeU] = [0, 0, 0, 0];
  for (let i = 0; i < Z.rows; i++) {
    const [z, c, u] = [rowOf(Z, i), rowOf(C, i), rowOf(U, i)];
    let square = 0;
    for (let j = 0; j < z.length; j++) {
      u[j]! += RELAXATION * z[j]! + (1 - RELAXATION) * c[j]!;
      square += u[j]! * u[j]!;
    }
    const kept = Math.max(0, 1 - shrinkage / Math.sqrt(square));
    for (let j = 0; j < z.length; j++) {
      const next = kept * u[j]!;
      dual += (next - c[j]!) ** 2;
      primal += (z[j]! - next) ** 2;
      c[j] = next;
      u[j]! -= next;
      sizeC += next * next;
      sizeU += u[j]! * u[j]!;
    }
  }
  return Math.sqrt((primal * sizeU) / (dual * sizeC));
}

function shiftColumnsToOne(Z: Matrix): void {
  const missing = new Float64Array(Z.cols).fill(1);
  for (let i = 0; i < Z.rows; i++) for (let j = 0; j < Z.cols; j++) missing[j]! -= Z.data[i * Z.cols + j]!;
  for (let i = 0; i < Z.rows; i++) for (let j = 0; j < Z.cols; j++) Z.data[i * Z.cols + j]! += missing[j]! / Z.rows;
}

function factorShifted(G: Matrix, rho: number): Matrix {
  const A: Matrix = { ...G, data: G.data.slice() };
  for (let i = 0; i < G.rows; i++) A.data[i * G.cols + i]! += rho;
  return cholesky(A);
}
