import { dot, rowSquares, type Matrix, trace, zeros } from '../base/index.js';
import { type Penalty, penaltyOf, rowSlopes, rowWeights, sizeOf } from './penalty.js';
import type { Reduced, Solved } from './reduced.js';
import type { CvsKnobs, Norms, Outcome, Step } from './types.js';

/** Steps remembered for a leap. */
const MEMORY = 5;

/** Steps without stretching. Most topics end within them; a video alone, or little smoothing, takes many more. */
const PLAIN_STEPS = 8;

/** A row's own step is stretched by at most this factor: rows with little influence on themselves say little. */
const MAX_STRETCHED = 50;

/** How far a leap may take the logarithm of a squared norm: a factor of about 20. */
const REACH = 3;

/** How it runs: ε above zero, and when to stop. */
type Course = Pick<CvsKnobs, 'tolerance' | 'maxIterations'> & { readonly epsilon: number };

/**
 * The paper's Algorithm 1 on the reduced problem (eq. 6-9; docs/method.md), step after step.
 * Stops when the KKT residual meets the tolerance; if it never does, says `converged: false`.
 */
export function halfQuadratic(
  reduced: Reduced,
  penalty: Penalty,
  course: Course,
  onIteration?: (step: Step) => void | 'stop',
  start: Norms = flatStart(reduced),
): Outcome {
  const trace: Step[] = [];
  for (let iteration = 1, norms = start; ; iteration++) {
    const state = stepFrom(reduced, penalty, course.epsilon, norms);
    const step = { iteration, objective: state.objective, residual: state.residual };
    trace.push(step);
    const converged = state.residual <= course.tolerance;
    if (converged || onIteration?.(step) === 'stop' || iteration >= course.maxIterations)
      return { ...state, trace, converged };
    norms = state;
  }
}

/**
 * The same optimum in fewer iterations: before each step the last few are extrapolated (Anderson), in the logarithms of
 * a + ε and b + ε. A step that would raise the objective is repeated from the last good point instead.
 * After `PLAIN_STEPS`, the steps to extrapolate from are stretched first, as Newton would stretch each row alone.
 */
export function acceleratedHalfQuadratic(
  reduced: Reduced,
  penalty: Penalty,
  course: Course,
  onIteration?: (step: Step) => void | 'stop',
  start: Norms = flatStart(reduced),
): Outcome {
  const { epsilon } = course;
  const trace: Step[] = [];
  let from = start;
  let good = stepFrom(reduced, penalty, epsilon, from);
  let [points, images]: [Float64Array[], Float64Array[]] = [[], []];
  for (let iteration = 1; ; iteration++) {
    const step = { iteration, objective: good.objective, residual: good.residual };
    trace.push(step);
    const converged = good.residual <= course.tolerance;
    if (converged || onIteration?.(step) === 'stop' || iteration >= course.maxIterations)
      return { ...good, trace, converged };
    if (iteration === PLAIN_STEPS) [points, images] = [[], []];
    const isStretched = iteration >= PLAIN_STEPS;
    points = [...points, logs(from, epsilon)].slice(-MEMORY);
    images = [...images, isStretched ? stretched(from, good, penalty, epsilon) : logs(good, epsilon)].slice(-MEMORY);
    const leap = points.length > 1 ? andersonLeap(points, images) : isStretched ? images[0]! : null;
    from = leap === null ? good : fromLogs(near(leap, images.at(-1)!), epsilon, reduced.hasContext);
    let next = stepFrom(reduced, penalty, epsilon, from);
    if (!(next.objective <= good.objective)) {
      [points, images] = [[], []];
      from = good;
      next = stepFrom(reduced, penalty, epsilon, from);
    }
    good = next;
  }
}

function flatStart({ candidates, hasContext }: Reduced): Norms {
  const flat = (value: number): Float64Array => new Float64Array(candidates.length).fill(value);
  return { a: flat(1), b: flat(hasContext ? 1 : 0) };
}

function logs({ a, b }: Norms, epsilon: number): Float64Array {
  const x = new Float64Array(2 * a.length);
  for (let i = 0; i < a.length; i++) {
    x[i] = Math.log(a[i]! + epsilon);
    x[a.length + i] = Math.log(b[i]! + epsilon);
  }
  return x;
}

/** A leap no longer than REACH in any direction: past that, extrapolation is a guess, and its exponential may overflow. */
function near(leap: Float64Array, last: Float64Array): Float64Array {
  return leap.map((value, k) => Math.min(last[k]! + REACH, Math.max(last[k]! - REACH, value)));
}

/**
 * Where Newton's step would end for each row alone. A weight changes only its own row at first order,
 *   ∂ log(a'+ε)/∂ log(a+ε) = ρ = (1 − leverage)·a'/(a'+ε)·(−2 ∂L/∂ log(a+ε))/L,
 * so the way left from x = log(a+ε) is the step just made, x' − x, taken 1/(1 − ρ) times.
 */
function stretched(
  from: Norms,
  { a, b, L, Lt, own, shared }: Stepped,
  penalty: Penalty,
  epsilon: number,
): Float64Array {
  const [x, image] = [logs(from, epsilon), logs({ a, b }, epsilon)];
  const [slopes, slopesShared] = rowSlopes(from.a, from.b, epsilon, penalty);
  const stretchHalf = (
    first: number,
    squares: Float64Array,
    weights: Float64Array,
    slope: Float64Array,
    half: Solved,
  ): void => {
    half.leverages().forEach((leverage, i) => {
      const rate = ((1 - leverage) * squares[i]! * slope[i]!) / ((squares[i]! + epsilon) * weights[i]!);
      const times = Math.min(MAX_STRETCHED, 1 / Math.max(0, 1 - rate));
      const step = times * (image[first + i]! - x[first + i]!);
      image[first + i] = x[first + i]! + Math.min(REACH, Math.max(-REACH, step));
    });
  };
  stretchHalf(0, a, L, slopes, own);
  stretchHalf(a.length, b, Lt, slopesShared, shared);
  return image;
}

function fromLogs(x: Float64Array, epsilon: number, hasContext: boolean): Norms {
  const norm = (value: number): number => Math.max(0, Math.exp(value) - epsilon);
  const half = x.length / 2;
  return { a: x.slice(0, half).map(norm), b: hasContext ? x.slice(half).map(norm) : new Float64Array(half) };
}

/** Where a step ended, and the weights and solves that led there. */
type Stepped = Omit<Outcome, 'trace' | 'converged'> & {
  readonly objective: number;
  readonly L: Float64Array;
  readonly Lt: Float64Array;
  readonly own: Solved;
  readonly shared: Solved;
};

/**
 * One iteration:
 *   L = w(λ/√(a+ε) + β/√(a+b+ε)),    Z = (sG + diag L)⁻¹B,      a_i ← ‖z_i‖²
 *   L̃ = w(λ̃/√(b+ε) + β/√(a+b+ε)),    Z̃ = (s̃G̃ + diag L̃)⁻¹B̃,     b_i ← ‖z̃_i‖²
 * After the solve the gradient is sGZ − B = −diag(L)Z, so the objective and the KKT residual of the smoothed problem,
 *   F = F(0) − ½⟨B,Z⟩ − ½Σ L_i a_i − (the same for Z̃) + Σ penalties,      row i: ‖z_i‖·|L_i − L_i(new)|,
 * cost nothing extra.
 */
function stepFrom(reduced: Reduced, penalty: Penalty, epsilon: number, norms: Norms): Stepped {
  const [L, Lt] = rowWeights(norms.a, norms.b, epsilon, penalty);
  const [own, shared] = [reduced.own.solve(L), reduced.shared.solve(Lt)];
  const [a, b] = [squaresOf(own, L.length), squaresOf(shared, L.length)];
  const [lin, linShared] = [own.linear, shared.linear];
  const [quad, quadShared] = [lin - dot(L, a), linShared - dot(Lt, b)];
  const smooth = reduced.own.atZero + reduced.shared.atZero + (quad + quadShared) / 2 - lin - linShared;
  const [next, nextShared] = rowWeights(a, b, epsilon, penalty);
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const off = Math.sqrt(a[i]!) * Math.abs(L[i]! - next[i]!);
    const offShared = Math.sqrt(b[i]!) * Math.abs(Lt[i]! - nextShared[i]!);
    worst = Math.max(worst, Math.hypot(off, offShared) / penalty.prices[i]!);
  }
  return {
    a,
    b,
    gradient: a.map((square, i) => L[i]! * Math.sqrt(square)),
    gradientShared: b.map((square, i) => Lt[i]! * Math.sqrt(square)),
    nearness: null,
    terms: { lin, linShared, quad, quadShared },
    objective: smooth + penaltyOf(a, b, epsilon, penalty),
    residual: worst / sizeOf(penalty),
    L,
    Lt,
    own,
    shared,
  };
}

function squaresOf(half: Solved, rowCount: number): Float64Array {
  const squares = new Float64Array(rowCount);
  let row = 0;
  for (const Z of half.rows()) {
    squares.set(rowSquares(Z), row);
    row += Z.rows;
  }
  return squares;
}

/**
 * Anderson's leap for a fixed point x = Φ(x), from points x_t and their images Φ(x_t):
 *   Σ w_t Φ(x_t),   the weights summing to one and making ‖Σ w_t (Φ(x_t) − x_t)‖ least.
 * `null` where the steps say too little to tell.
 */
export function andersonLeap(points: readonly Float64Array[], images: readonly Float64Array[]): Float64Array | null {
  const count = points.length;
  const steps = points.map((point, t) => images[t]!.map((value, k) => value - point[k]!));
  const N = zeros(count, count);
  for (let s = 0; s < count; s++) {
    for (let t = 0; t <= s; t++) N.data[s * count + t] = N.data[t * count + s] = dot(steps[s]!, steps[t]!);
  }
  const weights = solveOnes(N);
  if (weights === null) return null;
  const leap = new Float64Array(points[0]!.length);
  weights.forEach((weight, t) => {
    for (let k = 0; k < leap.length; k++) leap[k]! += weight * images[t]![k]!;
  });
  return leap;
}

/** w with N·w ∝ 1 and Σw = 1, N nudged away from singular. */
function solveOnes(N: Matrix): number[] | null {
  const count = N.rows;
  const nudge = 1e-12 * trace(N);
  const rows = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count + 1 }, (_, j) => (j === count ? 1 : N.data[i * count + j]! + (i === j ? nudge : 0))),
  );
  for (let k = 0; k < count; k++) {
    const pivot = rows[k]![k]!;
    if (!(pivot > 0)) return null;
    for (let i = 0; i < count; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]! / pivot;
      for (let j = k; j <= count; j++) rows[i]![j]! -= factor * rows[k]![j]!;
    }
  }
  const raw = rows.map((row, k) => row[count]! / row[k]!);
  const sum = raw.reduce((total, value) => total + value, 0);
  return Number.isFinite(1 / sum) ? raw.map((value) => value / sum) : null;
}
