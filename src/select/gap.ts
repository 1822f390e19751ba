import { enteringScale, type Penalty, penaltyOf } from './penalty.js';
import type { Reduced } from './reduced.js';
import type { Outcome } from './types.js';

/**
 * Duality gap P − D relative to F(0): no point lies lower than F − gap·F(0).
 * The dual point is the negative gradient, shrunk by t ≤ 1 until the penalty's conjugate is finite there:
 *   D(t) = F(0) − ½t²·quad − t(1−t)·lin − ½(1−t)²·tr BᵀG⁺B  (and the same for Z̃) + √ε·Σ rows.
 * `null` where t < 1 and B leaves the span of the features, so that nothing is known below t = 1.
 */
export function dualityGap(reduced: Reduced, outcome: Outcome, penalty: Penalty, epsilon: number): number | null {
  const { lin, linShared, quad, quadShared } = outcome.terms;
  const [t, rows] = epsilon === 0 ? exactRows(outcome, penalty) : smoothedRows(outcome, penalty, epsilon);
  const [own, shared] = [reduced.own.dualTrace, reduced.shared.dualTrace];
  if (t < 1 && (own === null || shared === null)) return null;
  const rest = (own ?? 0) + (shared ?? 0);
  const primal = (quad + quadShared) / 2 - lin - linShared + penaltyOf(outcome.a, outcome.b, epsilon, penalty);
  const dual = -(t * t * (quad + quadShared)) / 2 - t * (1 - t) * (lin + linShared) - ((1 - t) ** 2 * rest) / 2 + rows;
  return Math.max(0, primal - dual) / (reduced.own.atZero + reduced.shared.atZero);
}

/** ε = 0: every row must lie in K (penalty.ts), and adds nothing there. */
function exactRows({ gradient, gradientShared }: Outcome, penalty: Penalty): [number, number] {
  let entering = 1;
  for (let i = 0; i < gradient.length; i++) {
    entering = Math.max(entering, enteringScale(i, gradient[i]!, gradientShared[i]!, penalty));
  }
  return [1 / entering, 0];
}

/**
 * ε > 0: −g_i is split over the three norms of row i in the proportion of their own slopes,
 *   −g_i = w_i(λσ + βτ_u),  −g̃_i = w_i(λ̃σ̃ + βτ_v),    each of σ, σ̃, τ = (τ_u, τ_v) within the unit ball,
 * and adds  −(w_iλ√ε·√(1−‖σ‖²))*  and so on, the conjugate of √(‖z‖²+ε).
 */
function smoothedRows(
  { a, b, gradient, gradientShared }: Outcome,
  { own: lambda, shared: lambdaShared, joint: beta, prices }: Penalty,
  epsilon: number,
): [number, number] {
  const parts = new Float64Array(3 * a.length);
  let longest = 1;
  for (let i = 0; i < a.length; i++) {
    const [root, rootShared, joint] = [
      Math.sqrt(a[i]! + epsilon),
      Math.sqrt(b[i]! + epsilon),
      Math.sqrt(a[i]! + b[i]! + epsilon),
    ];
    // A half that does not count has no gradient and no slope.
    const own = gradient[i]! && gradient[i]! / prices[i]! / (lambda / root + beta / joint);
    const shared = gradientShared[i]! && gradientShared[i]! / prices[i]! / (lambdaShared / rootShared + beta / joint);
    parts.set([own / root, shared / rootShared, Math.hypot(own, shared) / joint], 3 * i);
    longest = Math.max(longest, parts[3 * i]!, parts[3 * i + 1]!, parts[3 * i + 2]!);
  }
  let sum = 0;
  for (let at = 0; at < parts.length; at++) {
    const length = parts[at]! / longest;
    const weight = prices[Math.floor(at / 3)]! * [lambda, lambdaShared, beta][at % 3]!;
    sum += weight * Math.sqrt(Math.max(0, 1 - length * length));
  }
  return [1 / longest, Math.sqrt(epsilon) * sum];
}
