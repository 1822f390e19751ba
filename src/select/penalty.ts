/*
 * The penalty of a row:  ω(u, v) = λ‖u‖ + λ‖v‖ + κλ‖(u, v)‖,   u = z_i, v = z̃_i, κ = β/λs  (paper eq. 5).
 * Its subgradients at zero form the set  λK,  K = { (g, g̃) : ‖((‖g‖−1)₊, (‖g̃‖−1)₊)‖ ≤ κ }  (docs/method.md).
 */

/** λs and β. */
export type Penalty = { readonly lambda: number; readonly beta: number };

/**
 * The λ at which a row with gradient norms (x, y) leaves zero: the smallest λ with (x, y) ∈ λK.
 *   one norm counts:   max(x, y) − λ = κλ,   when that λ is above the smaller norm
 *   both count:        (x−λ)² + (y−λ)² = κ²λ²
 */
export function enteringLambda(x: number, y: number, kappa: number): number {
  const single = Math.max(x, y) / (1 + kappa);
  if (single >= Math.min(x, y)) return single;
  const [sum, squares] = [x + y, x * x + y * y];
  // The smaller root, written without the difference that would lose digits.
  return squares / (sum + Math.sqrt(Math.max(0, sum * sum - (2 - kappa * kappa) * squares)));
}

/** The weights of the half-quadratic step: 2λs·p + 2β·r = λs/√(a+ε) + β/√(a+b+ε), and with b for a in the first. */
export function rowWeights(
  a: Float64Array,
  b: Float64Array,
  epsilon: number,
  penalty: Penalty,
): [Float64Array, Float64Array] {
  const [L, Lt] = [new Float64Array(a.length), new Float64Array(a.length)];
  for (let i = 0; i < a.length; i++) {
    const joint = penalty.beta / Math.sqrt(a[i]! + b[i]! + epsilon);
    L[i] = penalty.lambda / Math.sqrt(a[i]! + epsilon) + joint;
    Lt[i] = penalty.lambda / Math.sqrt(b[i]! + epsilon) + joint;
  }
  return [L, Lt];
}

/** Σ_i ω with √(·+ε) for the norms; ε = 0 gives the paper's eq. 5 itself. */
export function penaltyOf(a: Float64Array, b: Float64Array, epsilon: number, penalty: Penalty): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    sum += penalty.lambda * (Math.sqrt(a[i]! + epsilon) + Math.sqrt(b[i]! + epsilon));
    sum += penalty.beta * Math.sqrt(a[i]! + b[i]! + epsilon);
  }
  return sum;
}
