import { innerProduct, rowSquares } from '../base/index.js';
import { type Penalty, penaltyOf, rowWeights } from './penalty.js';
import type { Reduced } from './reduced.js';
import type { CvsKnobs, Outcome, Step } from './types.js';

/**
 * The paper's Algorithm 1 on the reduced problem (eq. 6-9; method.md, facts 1 and 2):
 *   L  = λs/√(a+ε) + β/√(a+b+ε),      Z = (G + diag L)⁻¹B,      a_i = ‖z_i‖²
 *   L̃  = λs/√(b+ε) + β/√(a+b+ε),      Z̃ = (αG + diag L̃)⁻¹B̃,    b_i = ‖z̃_i‖²
 * After the solve the gradient is GZ − B = −diag(L)Z, so the objective and the KKT residual of the smoothed problem,
 *   F = F(0) − ½⟨B,Z⟩ − ½Σ L_i a_i − (the same for Z̃) + Σ penalties,      row i: ‖z_i‖·|L_i − L_i(new)|,
 * cost nothing extra. Stops when the residual meets the tolerance; if it never does, says `converged: false`.
 */
export function halfQuadratic(
  reduced: Reduced,
  penalty: Penalty,
  knobs: Pick<CvsKnobs, 'smoothing' | 'tolerance' | 'maxIterations'>,
  onIteration?: (step: Step) => void | 'stop',
  start?: { readonly a: Float64Array; readonly b: Float64Array },
): Outcome {
  const epsilon = knobs.smoothing;
  let a = start?.a ?? new Float64Array(reduced.shotCount).fill(1);
  let b = start?.b ?? new Float64Array(reduced.shotCount).fill(reduced.hasContext ? 1 : 0);
  const trace: Step[] = [];
  for (let iteration = 1; ; iteration++) {
    const [L, Lt] = rowWeights(a, b, epsilon, penalty);
    const Z = reduced.solveOwn(L);
    const Zt = reduced.solveShared(Lt);
    a = rowSquares(Z);
    b = rowSquares(Zt);
    const lin = innerProduct(reduced.B, Z);
    const linShared = innerProduct(reduced.Bt, Zt);
    const quad = lin - weightedSum(L, a);
    const quadShared = linShared - weightedSum(Lt, b);
    const objective =
      reduced.objectiveAtZero + (quad + quadShared) / 2 - lin - linShared + penaltyOf(a, b, epsilon, penalty);
    const residual = smoothedResidual(a, b, L, Lt, epsilon, penalty);
    const step = { iteration, objective, residual };
    trace.push(step);
    const converged = residual <= knobs.tolerance;
    if (converged || onIteration?.(step) === 'stop' || iteration >= knobs.maxIterations) {
      const gradient = a.map((square, i) => L[i]! * Math.sqrt(square));
      const gradientShared = b.map((square, i) => Lt[i]! * Math.sqrt(square));
      const terms = { lin, linShared, quad, quadShared };
      return { a, b, gradient, gradientShared, nearness: null, terms, trace, residual, converged };
    }
  }
}

function weightedSum(weights: Float64Array, values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += weights[i]! * values[i]!;
  return sum;
}

function smoothedResidual(
  a: Float64Array,
  b: Float64Array,
  L: Float64Array,
  Lt: Float64Array,
  epsilon: number,
  penalty: Penalty,
): number {
  const [next, nextShared] = rowWeights(a, b, epsilon, penalty);
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const own = Math.sqrt(a[i]!) * Math.abs(L[i]! - next[i]!);
    const shared = Math.sqrt(b[i]!) * Math.abs(Lt[i]! - nextShared[i]!);
    worst = Math.max(worst, Math.hypot(own, shared));
  }
  return worst / (penalty.lambda + penalty.beta);
}
