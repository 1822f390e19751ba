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
  solveCholesky,
  rowOf,
} from '../../base/index.js';

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

/** Most sets of held entries that are tried; if that works at all, a few are enough. */
const MAX_SETS = 8;

/** Most bounds that are met or left one at a time, if it does not. Any step that lowers the model is good enough. */
const MAX_TURNS = 100;

/** Added to H at unit diagonal: above its roundings, too small to change a result. */
const RIDGE = 1e-9;

/** A quadratic model around t: slope g, curvature H (positive semidefinite). */
type Quadratic = { readonly t: Float64Array; readonly gradient: Float64Array; readonly hessian: Matrix };

/**
 * The step s that minimises gᵀs + ½sᵀHs subject to t + s ≥ 0, by the primal-dual active set method (Hintermüller, Ito
 * and Kunisch 2002): entries held at zero that are pulled off it are let go, those that would fall below zero are held.
 * Where the sets do not settle, the best step met is improved bound by bound. The model never rises.
 */
function boundedStep(quadratic: Quadratic): Float64Array {
  const { t, gradient } = quadratic;
  let best = { step: new Float64Array(t.length), value: 0 };
  let isHeld = Array.from(t, (entry, i) => entry === 0 && gradient[i]! >= 0);
  for (let set = 0; set < MAX_SETS; set++) {
    const step = lowestOnFace(quadratic, isHeld);
    const within = step.map((entry, i) => Math.max(-t[i]!, entry));
    const { value } = look(quadratic, within);
    if (value < best.value) best = { step: within, value };
    const { slope } = look(quadratic, step);
    const next = isHeld.map((held, i) => (held ? slope[i]! >= 0 : t[i]! + step[i]! < 0));
    if (next.every((held, i) => held === isHeld[i])) return best.step;
    isHeld = next;
  }
  return boundByBound(quadratic, best.step);
}

/** The primal active set method: to the lowest point of the face, or to the first bound on the way, which is then held. */
function boundByBound(quadratic: Quadratic, start: Float64Array): Float64Array {
  const { t } = quadratic;
  let step = start;
  const isHeld = Array.from(t, (entry, i) => entry + step[i]! <= 0);
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const lowest = lowestOnFace(quadratic, isHeld);
    let [share, bound] = [1, -1];
    for (let i = 0; i < t.length; i++) {
      if (isHeld[i] || t[i]! + lowest[i]! >= 0) continue;
      const reach = (t[i]! + step[i]!) / (step[i]! - lowest[i]!);
      if (reach < share) [share, bound] = [reach, i];
    }
    step = step.map((entry, i) => (i === bound ? -t[i]! : Math.max(-t[i]!, entry + share * (lowest[i]! - entry))));
    if (bound >= 0) {
      isHeld[bound] = true;
      continue;
    }
    const { slope } = look(quadratic, step);
    const pulled = slope.reduce((most, pull, i) => (isHeld[i] && pull < (slope[most] ?? 0) ? i : most), -1);
    if (pulled < 0) break;
    isHeld[pulled] = false;
  }
  return step;
}

/** What the model says of a step: what it changes, and the slope at its end. */
function look({ gradient, hessian }: Quadratic, step: Float64Array): { value: number; slope: Float64Array } {
  const bend = multiply(hessian, { rows: step.length, cols: 1, data: step }).data;
  let value = 0;
  for (let i = 0; i < step.length; i++) value += step[i]! * (gradient[i]! + bend[i]! / 2);
  return { value, slope: bend.map((entry, i) => entry + gradient[i]!) };
}

/** s = −t where held; elsewhere H_FF·s_F = −(g + H·s_held)_F, brought to unit diagonal, for sizes differ by orders. */
function lowestOnFace(quadratic: Quadratic, isHeld: readonly boolean[]): Float64Array {
  const { t, hessian } = quadratic;
  const free = [...t.keys()].filter((i) => !isHeld[i]);
  const step = t.map((entry, i) => (isHeld[i] ? -entry : 0));
  const { slope } = look(quadratic, step);
  const A = takeColumns(takeRows(hessian, free), free);
  const scale = Float64Array.from(free, (_, row) => 1 / Math.sqrt(A.data[row * (A.cols + 1)]! || 1));
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < A.cols; j++) A.data[i * A.cols + j]! *= scale[i]! * scale[j]!;
    A.data[i * (A.cols + 1)]! += RIDGE;
  }
  const downhill = scale.map((factor, row) => -factor * slope[free[row]!]!);
  const solved = solveCholesky(cholesky(A), { rows: free.length, cols: 1, data: downhill }).data;
  free.forEach((i, row) => (step[i] = solved[row]! * scale[row]!));
  return step;
}

/*
 * min  ½‖X − XZ‖² + λ‖Z‖₂,₁   s.t.  1ᵀZ = 1ᵀ where `affine`        (Elhamifar, Sapiro and Vidal 2012)
 * G = XᵀX is enough. With the constraint X may be moved freely, so it is centred:  G1 = 0.
 * Optimal iff for some μ and  H = G − GZ − 1μᵀ :   h_i = λ z_i/‖z_i‖ where z_i ≠ 0,   ‖h_i‖ ≤ λ elsewhere.
 */
export type SmrsProblem = { readonly G: Matrix; readonly lambda: number; readonly affine: boolean };

/** A feasible Z, and how far it is from the optimum. */
type SmrsPoint = {
  /** Row lengths the point was made from; zero = the row is zero. */
  readonly t: Float64Array;
  /** ‖z_i‖. */
  readonly norms: Float64Array;
  /** ‖h_i‖/λ: 1 at the optimum where the row is not zero, at most 1 elsewhere. */
  readonly pull: Float64Array;
  readonly objective: number;
  /** The largest distance of an h_i/λ from what optimality asks for. */
  readonly residual: number;
};

/** Rows of H made at a time. */
const BAND = 256;

/**
 * The best Z when ‖z_i‖ is replaced by (‖z_i‖²/t_i + t_i)/2, which it equals at t_i = ‖z_i‖:
 *   (G_SS + diag(λ/t)) Z = G_S − 1μᵀ,   S = { i : t_i > 0 }
 */
export function pointAt({ G, lambda, affine }: SmrsProblem, t: Float64Array): SmrsPoint {
  const n = G.rows;
  const S = [...t.keys()].filter((i) => t[i]! > 0);
  const GS = takeRows(G, S);
  const K = takeColumns(GS, S);
  S.forEach((i, row) => (K.data[row * S.length + row]! += lambda / t[i]!));
  const { Z, mu } = solveFeasible(K, GS, affine);
  const [norms, pull] = [new Float64Array(n), new Float64Array(n)];
  let [smooth, penalty, worst] = [0, 0, 0];
  const place = new Int32Array(n).fill(-1);
  S.forEach((i, row) => (place[i] = row));
  for (let start = 0; start < n; start += BAND) {
    const rows = Math.min(BAND, n - start);
    const band: Matrix = { rows, cols: n, data: G.data.subarray(start * n, (start + rows) * n) };
    const GZ = multiply(takeColumns(band, S), Z);
    for (let k = 0, i = start; k < rows; k++, i++) {
      const norm = place[i]! < 0 ? 0 : Math.sqrt(dot(rowOf(Z, place[i]!), rowOf(Z, place[i]!)));
      const z = norm > 0 ? rowOf(Z, place[i]!) : null;
      // r = (G − GZ)_i, and ½‖X − XZ‖² = ½ tr (I − Z)ᵀ(G − GZ).
      let [square, apart, zr] = [0, 0, 0];
      for (let j = 0; j < n; j++) {
        const r = G.data[i * n + j]! - GZ.data[k * n + j]!;
        const h = r - mu[j]!;
        square += h * h;
        if (i === j) smooth += r / 2;
        if (z === null) continue;
        zr += z[j]! * r;
        apart += (h - (lambda * z[j]!) / norm) ** 2;
      }
      [norms[i], pull[i]] = [norm, Math.sqrt(square) / lambda];
      smooth -= zr / 2;
      penalty += lambda * norm;
      worst = Math.max(worst, norm > 0 ? Math.sqrt(apart) / lambda : pull[i]! - 1);
    }
  }
  return { t, norms, pull, objective: smooth + penalty, residual: worst };
}

/** Z and μ with K·Z = T − 1μᵀ and, where `affine`, 1ᵀZ = 1ᵀ. */
function solveFeasible(K: Matrix, T: Matrix, affine: boolean): { Z: Matrix; mu: Float64Array } {
  const R = cholesky(K);
  const Z = solveCholesky(R, T);
  const mu = new Float64Array(T.cols);
  if (!affine) return { Z, mu };
  const p = solveCholesky(R, { rows: K.rows, cols: 1, data: new Float64Array(K.rows).fill(1) }).data;
  const sigma = p.reduce((sum, value) => sum + value, 0);
  for (let i = 0; i < Z.rows; i++) for (let j = 0; j < Z.cols; j++) mu[j]! += Z.data[i * Z.cols + j]!;
  for (let j = 0; j < Z.cols; j++) mu[j] = (mu[j]! - 1) / sigma;
  for (let i = 0; i < Z.rows; i++) for (let j = 0; j < Z.cols; j++) Z.data[i * Z.cols + j]! -= p[i]! * mu[j]!;
  return { Z, mu };
}
