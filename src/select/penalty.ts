/*
 * The penalty of a row:  ω(u, v) = λ‖u‖ + λ̃‖v‖ + β‖(u, v)‖,   u = z_i, v = z̃_i  (paper eq. 5, where λ = λ̃ = λs).
 * Its subgradients at zero form the set  K = { (g, g̃) : ‖((‖g‖−λ)₊, (‖g̃‖−λ̃)₊)‖ ≤ β }  (docs/method.md).
 */

/** λ, λ̃ and β. */
export type Penalty = { readonly own: number; readonly shared: number; readonly joint: number };

/** The penalty taken `times` times. */
export function scalePenalty({ own, shared, joint }: Penalty, times: number): Penalty {
  return { own: times * own, shared: times * shared, joint: times * joint };
}

/** What a residual is measured against: λs + β where both halves count in full. */
export function sizeOf({ own, shared, joint }: Penalty): number {
  return Math.max(own, shared) + joint;
}

/**
 * How many times the penalty must be taken to hold a row with gradient norms (x, y) at zero: the smallest t with
 * (x, y) ∈ tK. Above 1 the row leaves zero.
 *   one norm counts:   x − tλ = tβ,   when y ≤ tλ̃ for that t
 *   both count:        (x−tλ)² + (y−tλ̃)² = t²β²
 */
export function enteringScale(x: number, y: number, { own, shared, joint }: Penalty): number {
  const byOwn = x === 0 ? 0 : x / (own + joint);
  if (y <= shared * byOwn) return byOwn;
  const byShared = y / (shared + joint);
  if (x <= own * byShared) return byShared;
  const [slope, squares] = [own * x + shared * y, x * x + y * y];
  const rest = (own * own + shared * shared - joint * joint) * squares;
  // The smaller root, written without the difference that would lose digits.
  return squares / (slope + Math.sqrt(Math.max(0, slope * slope - rest)));
}

/** The weights of the half-quadratic step: 2λs·p + 2β·r = λ/√(a+ε) + β/√(a+b+ε), and with λ̃ and b in the first. */
export function rowWeights(
  a: Float64Array,
  b: Float64Array,
  epsilon: number,
  penalty: Penalty,
): [Float64Array, Float64Array] {
  const [L, Lt] = [new Float64Array(a.length), new Float64Array(a.length)];
  for (let i = 0; i < a.length; i++) {
    const joint = penalty.joint / Math.sqrt(a[i]! + b[i]! + epsilon);
    L[i] = penalty.own / Math.sqrt(a[i]! + epsilon) + joint;
    Lt[i] = penalty.shared / Math.sqrt(b[i]! + epsilon) + joint;
  }
  return [L, Lt];
}

/** How steeply those weights fall: −2 ∂L/∂ log(a+ε) = λ/√(a+ε) + β(a+ε)/√(a+b+ε)³, and with λ̃ and b. */
export function rowSlopes(
  a: Float64Array,
  b: Float64Array,
  epsilon: number,
  penalty: Penalty,
): [Float64Array, Float64Array] {
  const [slopes, slopesShared] = [new Float64Array(a.length), new Float64Array(a.length)];
  for (let i = 0; i < a.length; i++) {
    const both = a[i]! + b[i]! + epsilon;
    const joint = penalty.joint / (both * Math.sqrt(both));
    slopes[i] = penalty.own / Math.sqrt(a[i]! + epsilon) + joint * (a[i]! + epsilon);
    slopesShared[i] = penalty.shared / Math.sqrt(b[i]! + epsilon) + joint * (b[i]! + epsilon);
  }
  return [slopes, slopesShared];
}

/** Σ_i ω with √(·+ε) for the norms; ε = 0 gives the paper's eq. 5 itself. */
export function penaltyOf(a: Float64Array, b: Float64Array, epsilon: number, penalty: Penalty): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    sum += penalty.own * Math.sqrt(a[i]! + epsilon) + penalty.shared * Math.sqrt(b[i]! + epsilon);
    sum += penalty.joint * Math.sqrt(a[i]! + b[i]! + epsilon);
  }
  return sum;
}
