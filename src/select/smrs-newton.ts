import {
  cholesky,
  dot,
  type Matrix,
  multiply,
  outerGram,
  semidefiniteFactor,
  solveLower,
  takeColumns,
  takeRows,
  transpose,
  zeros,
} from '../base/index.js';
import { boundedStep } from './smrs-step.js';
import { pointAt, type SmrsPoint, type SmrsProblem } from './smrs-point.js';

/** Rows that may join in the first round; later as many may join as are in use. */
const FIRST_ROWS = 16;

/** Below this residual the rows in play are nearly final, and a round continues as far as it can. */
const LATE = 0.01;

/** Most Newton steps of one round. A harder round continues in the next one. */
const MAX_STEPS = 30;

/** Below this, a Newton step that does not halve what is wrong has met roundings. */
const ROUNDINGS = 1e-9;

/** Rounds without progress after which it gives up. */
const PATIENCE = 3;

/**
 * With λ‖z‖ = min_t λ(‖z‖²/t + t)/2 the problem becomes smooth and convex in the row lengths t ≥ 0 alone:
 *   J(t) = min_Z …,   ∂J/∂t_i = ½λ(1 − ‖h_i‖²/λ²),   ∂²J/∂t_i∂t_j = Γ_ij·h_i·h_j/λ²
 * Each round lets the rows in that break their condition most, and minimises J over the rows in play by Newton's method.
 * Of identical shots only the first is used; `twins[i]` is the first shot identical to shot i.
 * The function returned makes a better point of a point, or `null` when no better one can be found.
 */
export function newtonRounds(problem: SmrsProblem, twins: Int32Array): (point: SmrsPoint) => SmrsPoint | null {
  let idle = 0;
  let [S, few]: [number[], FewRows | null] = [[], null];
  return (point) => {
    const rows = joining(point, twins);
    if (few === null || rows.join() !== S.join()) [S, few] = [rows, restrict(problem, rows)];
    const inner = point.residual < LATE ? 0 : 0.1 * Math.min(0.1, point.residual);
    const start = Float64Array.from(S, (i) => point.t[i]!);
    const found = minimise(few, start, inner);
    const t = new Float64Array(point.t.length);
    S.forEach((i, row) => (t[i] = found[row]!));
    const next = pointAt(problem, t);
    const gained = point.objective - next.objective > 1e-13 * Math.abs(point.objective);
    idle = gained || next.residual < point.residual / 2 ? 0 : idle + 1;
    return idle < PATIENCE ? next : null;
  };
}

/** The rows in use and the worst of the others, no more of these than of those. */
function joining({ t, pull }: SmrsPoint, twins: Int32Array): number[] {
  const used = [...t.keys()].filter((i) => t[i]! > 0);
  const waiting = [...t.keys()].filter((i) => t[i] === 0 && twins[i] === i && pull[i]! > 1);
  waiting.sort((i, j) => pull[j]! - pull[i]! || i - j);
  return [...used, ...waiting.slice(0, Math.max(FIRST_ROWS, used.length))].sort((i, j) => i - j);
}

/** The problem on the rows S: FFᵀ = G_SS and TTᵀ = BBᵀ for their rows B of the whole G. */
type FewRows = {
  readonly F: Matrix;
  readonly T: Matrix;
  readonly lambda: number;
  readonly affine: boolean;
  readonly shotCount: number;
};

function restrict({ G, lambda, affine }: SmrsProblem, S: readonly number[]): FewRows {
  const B = takeRows(G, S);
  const [F, T] = [semidefiniteFactor(takeColumns(B, S)), semidefiniteFactor(outerGram(B))];
  return { F, T, lambda, affine, shotCount: G.cols };
}

/** Newton steps that keep t ≥ 0, until every row meets its condition to `tolerance`, or roundings end the progress. */
function minimise(few: FewRows, start: Float64Array, tolerance: number): Float64Array {
  let model = modelAt(few, start);
  let [off, before] = [violation(model, few.lambda), Infinity];
  for (let step = 0; step < MAX_STEPS && off > tolerance && (off > ROUNDINGS || off < before / 2); step++) {
    const next = searchAlong(few, model, boundedStep(model));
    if (next === null) break;
    model = next;
    [before, off] = [off, violation(model, few.lambda)];
  }
  return model.t;
}

/** J, up to a constant, and its derivatives. */
type Model = {
  readonly t: Float64Array;
  readonly value: number;
  readonly gradient: Float64Array;
  readonly hessian: Matrix;
};

/**
 * D = diag(t/λ),   Γ₀ = (I + GD)⁻¹G = F(I + FᵀDF)⁻¹Fᵀ,   (I + GD)⁻¹ = I − Γ₀D,   Γ = Γ₀ + uuᵀ/σ
 * H = (I − Γ₀D)B − uμᵀ,   u = 1 − Γ₀D1,   μ = (Bᵀp − 1)/σ,   p = Du,   σ = 1ᵀp,   so that 1ᵀZ = 1ᵀDH = 1ᵀ
 * 2J = λ1ᵀt − tr BᵀD(I − Γ₀D)B + (‖Bᵀp‖² + n)/σ + const;   without the constraint u, μ and 1/σ are absent.
 * Rotating its columns makes B out of [T | 0] and 1ᵀ out of [0 | √n], for B1 = 0.
 */
function modelAt({ F, T, lambda, affine, shotCount }: FewRows, t: Float64Array): Model {
  const m = t.length;
  const d = t.map((length) => length / lambda);
  const DF = scaleRows(F, d.map(Math.sqrt));
  const M = multiply(transpose(DF), DF);
  for (let k = 0; k < M.rows; k++) M.data[k * M.rows + k]! += 1;
  const Gamma = outerGram(transpose(solveLower(cholesky(M), transpose(F))));
  const taken = multiply(Gamma, scaleRows(T, d));
  const H = zeros(m, T.cols + (affine ? 1 : 0));
  let value = 0;
  for (let i = 0; i < m; i++) {
    value += lambda * t[i]!;
    for (let k = 0; k < T.cols; k++) {
      const entry = T.data[i * T.cols + k]! - taken.data[i * T.cols + k]!;
      H.data[i * H.cols + k] = entry;
      value -= d[i]! * T.data[i * T.cols + k]! * entry;
    }
  }
  if (affine) {
    const u = timesVector(Gamma, d).map((entry) => 1 - entry);
    const p = u.map((entry, i) => entry * d[i]!);
    const sigma = p.reduce((sum, entry) => sum + entry, 0);
    const c = timesVector(transpose(T), p);
    value += (dot(c, c) + shotCount) / sigma;
    for (let i = 0; i < m; i++) {
      for (let k = 0; k < T.cols; k++) H.data[i * H.cols + k]! -= (u[i]! * c[k]!) / sigma;
      H.data[i * H.cols + T.cols] = (u[i]! * Math.sqrt(shotCount)) / sigma;
      for (let j = 0; j < m; j++) Gamma.data[i * m + j]! += (u[i]! * u[j]!) / sigma;
    }
  }
  const hessian = outerGram(H);
  const gradient = t.map((_, i) => (lambda - hessian.data[i * m + i]! / lambda) / 2);
  for (let at = 0; at < hessian.data.length; at++) hessian.data[at]! *= Gamma.data[at]! / lambda ** 2;
  return { t, value: value / 2, gradient, hessian };
}

/** The largest excess of a ‖h_i‖/λ over 1, and of 1 over it where the row is in use. */
function violation({ t, gradient }: Model, lambda: number): number {
  return gradient.reduce((worst, slope, i) => {
    const excess = Math.sqrt(Math.max(0, 1 - (2 * slope) / lambda)) - 1;
    return Math.max(worst, t[i]! > 0 ? Math.abs(excess) : excess);
  }, 0);
}

/**
 * The first of ever shorter steps that lowers J as the gradient promises. Where J no longer shows the difference, the
 * slope at the end of the step decides (Hager and Zhang 2005). `null` when roundings rule that too.
 */
function searchAlong(few: FewRows, from: Model, whole: Float64Array): Model | null {
  for (let share = 1; share > 1e-8; share /= 2) {
    const t = from.t.map((length, i) => Math.max(0, length + share * whole[i]!));
    if (few.affine && !t.some((length) => length > 0)) continue;
    const step = t.map((length, i) => length - from.t[i]!);
    const promised = -dot(from.gradient, step);
    if (!(promised > 0)) return null;
    const next = modelAt(few, t);
    if (next.value <= from.value - 1e-4 * promised) return next;
    const alike = next.value <= from.value + 1e-10 * Math.abs(from.value);
    if (alike && dot(next.gradient, step) <= 0.9 * promised) return next;
  }
  return null;
}

function scaleRows(A: Matrix, factors: Float64Array): Matrix {
  return { ...A, data: A.data.map((value, at) => value * factors[Math.floor(at / A.cols)]!) };
}

function timesVector(A: Matrix, x: Float64Array): Float64Array {
  return multiply(A, { rows: x.length, cols: 1, data: x }).data;
}
