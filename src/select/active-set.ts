import {
  cholesky,
  innerProduct,
  type Matrix,
  outerGram,
  rowSquares,
  semidefiniteFactor,
  solveCholesky,
  takeColumns,
  takeRows,
  zeros,
  type TallMatrix,
} from '../base/index.js';
import { descend, type FewRows } from './descend.js';
import { enteringScale, type Penalty, penaltyOf, penaltyOn, rowWeights, sizeOf } from './penalty.js';
import type { Reduced } from './reduced.js';
import type { CvsKnobs, Norms, Outcome, Step } from './types.js';
import type { Problem } from '../topic/index.js';

/** Rows that may join in the first round; later as many may join as are in use. */
const FIRST_ROWS = 16;

/** Most sweeps of one round. A harder round continues in the next one. */
const MAX_SWEEPS = 400;

/** Rounds without progress after which it gives up. */
const PATIENCE = 3;

/**
 * The optimum of eq. 5 itself (no smoothing), with exact zeros. Only rows that matter are worked on:
 *   1. of the rows held at zero, those that break their optimality condition most join (penalty.ts);
 *   2. eq. 5 is minimised over the rows in play (descend.ts), which need only G, BBᵀ and B̃B̃ᵀ among themselves;
 *   3. one half-quadratic step on the rows that stayed gives Z in full: Z = (G + diag L)⁻¹B there;
 *   4. the gradients of all rows at that point prove the optimum, or name the rows to add.
 * `twins[i]` is the first of the cheapest shots identical to shot i. The cheapest share one row's weight evenly, as any
 * start-independent rule must; at a higher price nothing is left to gain.
 */
export function activeSet(
  reduced: Reduced,
  penalty: Penalty,
  knobs: Pick<CvsKnobs, 'tolerance' | 'maxIterations'>,
  twins: Int32Array,
  onIteration?: (step: Step) => void | 'stop',
): Outcome {
  let point = pointAt(reduced, penalty, zeroPoint(reduced));
  const trace: Step[] = [];
  let idle = 0;
  for (let iteration = 1; ; iteration++) {
    const before = { objective: trace.at(-1)?.objective ?? Infinity, rows: point.rows.length };
    const rows = joining(point, penalty, twins);
    const inner = 0.1 * Math.max(knobs.tolerance, Math.min(0.1, point.residual));
    point = pointAt(reduced, penalty, solveOn(reduced, penalty, rows, point, inner));
    const step = { iteration, objective: point.objective, residual: point.residual };
    trace.push(step);
    const gained = before.objective - point.objective > 1e-13 * Math.abs(point.objective);
    idle = gained || point.rows.length !== before.rows || inner > 0.1 * knobs.tolerance ? 0 : idle + 1;
    const converged = point.residual <= knobs.tolerance;
    if (converged || onIteration?.(step) === 'stop' || iteration >= knobs.maxIterations || idle >= PATIENCE) {
      const nearness = enteringScales(point, penalty);
      return { ...point, ...shareAmongTwins(point, twins, penalty), nearness, trace, converged };
    }
  }
}

/** Norms that are zero outside `rows`. */
type FewNorms = Norms & { readonly rows: readonly number[] };

type Point = FewNorms &
  Pick<Outcome, 'gradient' | 'gradientShared' | 'terms' | 'residual'> & { readonly objective: number };

function zeroPoint({ candidates }: Reduced): FewNorms {
  return { rows: [], a: new Float64Array(candidates.length), b: new Float64Array(candidates.length) };
}

function enteringScales({ gradient, gradientShared }: Point, penalty: Penalty): Float64Array {
  return gradient.map((g, i) => enteringScale(i, g, gradientShared[i]!, penalty));
}

/** The rows in use and the worst of the others, no more of these than of those. */
function joining(point: Point, penalty: Penalty, twins: Int32Array): number[] {
  const used = new Set(point.rows);
  const entering = enteringScales(point, penalty);
  const waiting = [...twins.keys()].filter((i) => twins[i] === i && !used.has(i) && entering[i]! > 1);
  waiting.sort((i, j) => entering[j]! - entering[i]! || i - j);
  return [...used, ...waiting.slice(0, Math.max(FIRST_ROWS, used.size))].sort((i, j) => i - j);
}

/** Step 2: the norms that are best on these rows. */
function solveOn(
  reduced: Reduced,
  penalty: Penalty,
  rows: readonly number[],
  from: Norms,
  tolerance: number,
): FewNorms {
  const { own, shared } = reduced;
  const [G, Gt] = [own.gramAmong(rows), shared.gramAmong(rows)];
  const [T, Tt] = [compact(own.targets(rows)), compact(shared.targets(rows))];
  const problem: FewRows = { G, Gt, T: beside(T, Tt), split: T.cols };
  const [L, Lt] = weightsOn(rows, from, penalty);
  const Y = beside(solveWhereFinite(G, L, T), solveWhereFinite(Gt, Lt, Tt));
  descend(problem, penaltyOn(penalty, rows), Y, tolerance, MAX_SWEEPS);
  const found = zeroPoint(reduced);
  rows.forEach((shot, i) => {
    for (let j = 0; j < Y.cols; j++) (j < T.cols ? found.a : found.b)[shot]! += Y.data[i * Y.cols + j]! ** 2;
  });
  return { ...found, rows: rows.filter((shot) => found.a[shot]! + found.b[shot]! > 0) };
}

/** Step 3: Z and Z̃ on the rows in use, and the weights they come from. */
function rowsAt(
  { own, shared }: Reduced,
  penalty: Penalty,
  norms: FewNorms,
): { Z: Matrix; Zt: Matrix; L: Float64Array; Lt: Float64Array } {
  const { rows } = norms;
  const [L, Lt] = weightsOn(rows, norms, penalty);
  const Z = solveWhereFinite(own.gramAmong(rows), L, own.targets(rows));
  const Zt = solveWhereFinite(shared.gramAmong(rows), Lt, shared.targets(rows));
  return { Z, Zt, L, Lt };
}

/** Steps 3 and 4: Z and Z̃ in full from their norms, then objective, gradients and KKT residual there. */
function pointAt(reduced: Reduced, penalty: Penalty, norms: FewNorms): Point {
  const { rows } = norms;
  const { Z, Zt, L, Lt } = rowsAt(reduced, penalty, norms);
  const [B, Bt] = [reduced.own.targets(rows), reduced.shared.targets(rows)];
  const { a, b } = zeroPoint(reduced);
  const [squares, squaresShared] = [rowSquares(Z), rowSquares(Zt)];
  rows.forEach((shot, i) => ([a[shot], b[shot]] = [squares[i]!, squaresShared[i]!]));
  const [lin, linShared] = [innerProduct(B, Z), innerProduct(Bt, Zt)];
  const [quad, quadShared] = [lin - weighted(L, squares), linShared - weighted(Lt, squaresShared)];
  const objective =
    reduced.own.atZero +
    reduced.shared.atZero +
    (quad + quadShared) / 2 -
    lin -
    linShared +
    penaltyOf(a, b, 0, penalty);
  const [g, gt] = [reduced.own.gradient(rows, Z), reduced.shared.gradient(rows, Zt)];
  const [gradient, gradientShared] = [rowSquares(g).map(Math.sqrt), rowSquares(gt).map(Math.sqrt)];
  const terms = { lin, linShared, quad, quadShared };
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    if (a[i]! + b[i]! > 0) continue;
    worst = Math.max(worst, enteringScale(i, gradient[i]!, gradientShared[i]!, penalty) - 1);
  }
  rows.forEach((shot, i) => {
    const price = penalty.prices[shot]!;
    const joint = (price * penalty.joint) / Math.sqrt(a[shot]! + b[shot]!);
    const own = halfResidual(g, shot, Z, i, Math.sqrt(a[shot]!), price * penalty.own, joint);
    const shared = halfResidual(gt, shot, Zt, i, Math.sqrt(b[shot]!), price * penalty.shared, joint);
    worst = Math.max(worst, Math.hypot(own, shared) / (price * sizeOf(penalty)));
  });
  return { rows, a, b, gradient, gradientShared, terms, objective, residual: worst };
}

/** Distance of −g_i from the subgradients of half a row: (λ/‖z‖ + joint)·z, or the ball of radius λ where z = 0. */
function halfResidual(
  g: Matrix,
  shot: number,
  Z: Matrix,
  i: number,
  norm: number,
  lambda: number,
  joint: number,
): number {
  const factor = norm > 0 ? lambda / norm + joint : 0;
  let sum = 0;
  for (let j = 0; j < g.cols; j++) sum += (g.data[shot * g.cols + j]! + factor * Z.data[i * Z.cols + j]!) ** 2;
  return norm > 0 ? Math.sqrt(sum) : Math.max(0, Math.sqrt(sum) - lambda);
}

/** Half-quadratic weights of the rows named; infinite for a half that is zero. */
function weightsOn(rows: readonly number[], { a, b }: Norms, penalty: Penalty): [Float64Array, Float64Array] {
  const pick = (values: Float64Array): Float64Array => Float64Array.from(rows, (shot) => values[shot]!);
  return rowWeights(pick(a), pick(b), 0, penaltyOn(penalty, rows));
}

/** (G + diag L)⁻¹ B, where an infinite weight holds its row at zero. */
function solveWhereFinite(G: Matrix, L: Float64Array, B: Matrix): Matrix {
  const free = [...L.keys()].filter((i) => Number.isFinite(L[i]!));
  const A = takeColumns(takeRows(G, free), free);
  free.forEach((i, row) => (A.data[row * A.cols + row]! += L[i]!));
  const solved = solveCholesky(cholesky(A), takeRows(B, free));
  const Z = zeros(B.rows, B.cols);
  free.forEach((i, row) => Z.data.set(solved.data.subarray(row * B.cols, (row + 1) * B.cols), i * B.cols));
  return Z;
}

/** The same rows up to a common rotation, with no more columns than rows. */
function compact(B: Matrix): Matrix {
  return B.cols > B.rows ? semidefiniteFactor(outerGram(B)) : B;
}

function beside(left: Matrix, right: Matrix): Matrix {
  const M = zeros(left.rows, left.cols + right.cols);
  for (let i = 0; i < M.rows; i++) {
    M.data.set(left.data.subarray(i * left.cols, (i + 1) * left.cols), i * M.cols);
    M.data.set(right.data.subarray(i * right.cols, (i + 1) * right.cols), i * M.cols + left.cols);
  }
  return M;
}

function weighted(weights: Float64Array, values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > 0) sum += weights[i]! * values[i]!;
  return sum;
}

/** Divides the row of identical shots equally among the cheapest of them: same sums, same penalty in total. */
function shareAmongTwins({ a, b }: Norms, twins: Int32Array, { prices }: Penalty): Norms {
  const isCheapest = (i: number): boolean => prices[i] === prices[twins[i]!];
  const count = new Float64Array(twins.length);
  twins.forEach((first, i) => (count[first]! += isCheapest(i) ? 1 : 0));
  const part = (squares: Float64Array): Float64Array =>
    squares.map((_, i) => (isCheapest(i) ? squares[twins[i]!]! / count[twins[i]!]! ** 2 : 0));
  return { a: part(a), b: part(b) };
}

/**
 * Squared row norms of Z and Z̃ for all shots: the candidates' as solved, the pinned shots' that go with them (pinned.ts),
 * zero for the vetoed.
 */
export function squaresOfAll(
  { features, pinned = [] }: Problem<TallMatrix>,
  reduced: Reduced,
  { a, b }: Norms,
  penalty: Penalty,
  epsilon: number,
): Norms {
  const { own, shared, candidates } = reduced;
  const [all, allShared] = [amongAll(a, candidates, features.rows), amongAll(b, candidates, features.rows)];
  if (pinned.length > 0) {
    const [Z, Zt] = epsilon > 0 ? smoothRows(reduced, a, b, epsilon, penalty) : exactRows(reduced, a, b, penalty);
    const [squares, squaresShared] = [rowSquares(own.pinned(Z)), rowSquares(shared.pinned(Zt))];
    pinned.forEach((shot, k) => ([all[shot], allShared[shot]] = [squares[k]!, squaresShared[k]!]));
  }
  return { a: all, b: allShared };
}

/** Values of the candidates among those of all shots; zero elsewhere. */
export function amongAll(values: Float64Array, candidates: readonly number[], shots: number): Float64Array {
  const all = new Float64Array(shots);
  candidates.forEach((shot, i) => (all[shot] = values[i]!));
  return all;
}

function smoothRows(
  { own, shared }: Reduced,
  a: Float64Array,
  b: Float64Array,
  epsilon: number,
  penalty: Penalty,
): [Iterable<Matrix>, Iterable<Matrix>] {
  const [L, Lt] = rowWeights(a, b, epsilon, penalty);
  return [own.solve(L).rows(), shared.solve(Lt).rows()];
}

function exactRows(reduced: Reduced, a: Float64Array, b: Float64Array, penalty: Penalty): [Matrix[], Matrix[]] {
  const rows = [...a.keys()].filter((i) => a[i]! + b[i]! > 0);
  const { Z, Zt } = rowsAt(reduced, penalty, { rows, a, b });
  const whole = (part: Matrix): Matrix => {
    const all = zeros(a.length, part.cols);
    rows.forEach((row, i) => all.data.set(part.data.subarray(i * part.cols, (i + 1) * part.cols), row * part.cols));
    return all;
  };
  return [[whole(Z)], [whole(Zt)]];
}
