import { rowSquares } from '../base/index.js';
import { andersonLeap } from './anderson.js';
import { type Penalty, penaltyOf, rowWeights, sizeOf } from './penalty.js';
import type { Half, Reduced } from './reduced.js';
import type { CvsKnobs, Outcome, Step } from './types.js';

/** Squared row norms of Z and Z̃: all that one iteration hands to the next. */
export type Norms = { readonly a: Float64Array; readonly b: Float64Array };

/** Steps remembered for a leap. */
const MEMORY = 5;

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
 * a + ε and b + ε. A step that would raise the objective is taken back and made from the last good point instead.
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
    points = [...points, logs(from, epsilon)].slice(-MEMORY);
    images = [...images, logs(good, epsilon)].slice(-MEMORY);
    const leap = points.length > 1 ? andersonLeap(points, images) : null;
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

function fromLogs(x: Float64Array, epsilon: number, hasContext: boolean): Norms {
  const norm = (value: number): number => Math.max(0, Math.exp(value) - epsilon);
  const half = x.length / 2;
  return { a: x.slice(0, half).map(norm), b: hasContext ? x.slice(half).map(norm) : new Float64Array(half) };
}

/**
 * One iteration:
 *   L = λ/√(a+ε) + β/√(a+b+ε),       Z = (sG + diag L)⁻¹B,      a_i ← ‖z_i‖²
 *   L̃ = λ̃/√(b+ε) + β/√(a+b+ε),       Z̃ = (s̃G̃ + diag L̃)⁻¹B̃,     b_i ← ‖z̃_i‖²
 * After the solve the gradient is sGZ − B = −diag(L)Z, so the objective and the KKT residual of the smoothed problem,
 *   F = F(0) − ½⟨B,Z⟩ − ½Σ L_i a_i − (the same for Z̃) + Σ penalties,      row i: ‖z_i‖·|L_i − L_i(new)|,
 * cost nothing extra.
 */
function stepFrom(
  reduced: Reduced,
  penalty: Penalty,
  epsilon: number,
  norms: Norms,
): Omit<Outcome, 'trace' | 'converged'> & { objective: number } {
  const [L, Lt] = rowWeights(norms.a, norms.b, epsilon, penalty);
  const { squares: a, linear: lin } = solved(reduced.own, L);
  const { squares: b, linear: linShared } = solved(reduced.shared, Lt);
  const [quad, quadShared] = [lin - weightedSum(L, a), linShared - weightedSum(Lt, b)];
  const smooth = reduced.own.atZero + reduced.shared.atZero + (quad + quadShared) / 2 - lin - linShared;
  const [next, nextShared] = rowWeights(a, b, epsilon, penalty);
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const own = Math.sqrt(a[i]!) * Math.abs(L[i]! - next[i]!);
    const shared = Math.sqrt(b[i]!) * Math.abs(Lt[i]! - nextShared[i]!);
    worst = Math.max(worst, Math.hypot(own, shared));
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
  };
}

/** Of Z = (sG + diag L)⁻¹B, row after row: the squared norm of each, and ⟨B,Z⟩. */
function solved({ B, solve }: Half, L: Float64Array): { squares: Float64Array; linear: number } {
  const squares = new Float64Array(L.length);
  let [row, at, linear] = [0, 0, 0];
  for (const Z of solve(L)) {
    squares.set(rowSquares(Z), row);
    for (let k = 0; k < Z.data.length; k++) linear += B.data[at + k]! * Z.data[k]!;
    row += Z.rows;
    at += Z.data.length;
  }
  return { squares, linear };
}

function weightedSum(weights: Float64Array, values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += weights[i]! * values[i]!;
  return sum;
}
