import { NumericError, type TallMatrix } from '../base/index.js';
import type { Problem } from '../topic/index.js';

/*
 * The penalty of row i:  w_i·ω(u, v),   ω(u, v) = λ‖u‖ + λ̃‖v‖ + β‖(u, v)‖,   u = z_i, v = z̃_i
 * (paper eq. 5, where λ = λ̃ = λs and every price w_i is 1). Evidence e_i for a shot lowers its price:  w_i = exp(−κ·e_i).
 * The subgradients of ω at zero form the set  K = { (g, g̃) : ‖((‖g‖−λ)₊, (‖g̃‖−λ̃)₊)‖ ≤ β }  (docs/method.md).
 */

/** λ, λ̃ and β, and the price of every row. */
export type Penalty = {
  readonly own: number;
  readonly shared: number;
  readonly joint: number;
  readonly prices: Float64Array;
};

/** The largest |κ·e| allowed. Prices then differ by less than 1e18, and no square of a number overflows. */
const MAX_EXPONENT = 20;

/** The prices of the shots named; all 1 where there is no evidence or κ is 0. */
export function pricesOf(
  { features, evidence }: Pick<Problem<TallMatrix>, 'features' | 'evidence'>,
  kappa: number,
  shots: readonly number[],
): Float64Array {
  if (evidence === undefined) return new Float64Array(shots.length).fill(1);
  if (evidence.length !== features.rows)
    throw new NumericError(
      'bad-evidence',
      `Expected evidence for each of ${features.rows} shots, found ${evidence.length} numbers.`,
    );
  const bad = evidence.findIndex((value) => !(Math.abs(kappa * value) <= MAX_EXPONENT));
  if (bad >= 0)
    throw new NumericError(
      'bad-evidence',
      `Expected evidence times κ between −${MAX_EXPONENT} and ${MAX_EXPONENT}, found ${kappa * evidence[bad]!} for shot ${bad}. Standardise the evidence or lower κ.`,
    );
  return Float64Array.from(shots, (shot) => Math.exp(-kappa * evidence[shot]!));
}

/** The penalty taken `times` times. */
export function scalePenalty({ own, shared, joint, prices }: Penalty, times: number): Penalty {
  return { own: times * own, shared: times * shared, joint: times * joint, prices };
}

/** The penalty of some of the rows. */
export function penaltyOn(penalty: Penalty, rows: readonly number[]): Penalty {
  return { ...penalty, prices: Float64Array.from(rows, (row) => penalty.prices[row]!) };
}

/** What a residual is measured against, times the price of its row: λs + β where both halves count in full. */
export function sizeOf({ own, shared, joint }: Penalty): number {
  return Math.max(own, shared) + joint;
}

/**
 * How many times the penalty must be taken to hold a row with gradient norms (g, g̃) at zero: the smallest t with
 * (x, y) = (g, g̃)/w_i ∈ tK. Above 1 the row leaves zero.
 *   one norm counts:   x − tλ = tβ,   when y ≤ tλ̃ for that t
 *   both count:        (x−tλ)² + (y−tλ̃)² = t²β²
 */
export function enteringScale(
  row: number,
  gradient: number,
  gradientShared: number,
  { own, shared, joint, prices }: Penalty,
): number {
  const [x, y] = [gradient / prices[row]!, gradientShared / prices[row]!];
  const byOwn = x === 0 ? 0 : x / (own + joint);
  if (y <= shared * byOwn) return byOwn;
  const byShared = y / (shared + joint);
  if (x <= own * byShared) return byShared;
  const [slope, squares] = [own * x + shared * y, x * x + y * y];
  const rest = (own * own + shared * shared - joint * joint) * squares;
  // The smaller root, written without the difference that would lose digits.
  return squares / (slope + Math.sqrt(Math.max(0, slope * slope - rest)));
}

/** The weights of the half-quadratic step: w_i(2λs·p + 2β·r) = w_i(λ/√(a+ε) + β/√(a+b+ε)), and with λ̃ and b in the first. */
export function rowWeights(
  a: Float64Array,
  b: Float64Array,
  epsilon: number,
  penalty: Penalty,
): [Float64Array, Float64Array] {
  const [L, Lt] = [new Float64Array(a.length), new Float64Array(a.length)];
  for (let i = 0; i < a.length; i++) {
    const joint = penalty.joint / Math.sqrt(a[i]! + b[i]! + epsilon);
    L[i] = penalty.prices[i]! * (penalty.own / Math.sqrt(a[i]! + epsilon) + joint);
    Lt[i] = penalty.prices[i]! * (penalty.shared / Math.sqrt(b[i]! + epsilon) + joint);
  }
  return [L, Lt];
}

/** How steeply those weights fall: −2 ∂L/∂ log(a+ε) = w_i(λ/√(a+ε) + β(a+ε)/√(a+b+ε)³), and with λ̃ and b. */
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
    slopes[i] = penalty.prices[i]! * (penalty.own / Math.sqrt(a[i]! + epsilon) + joint * (a[i]! + epsilon));
    slopesShared[i] = penalty.prices[i]! * (penalty.shared / Math.sqrt(b[i]! + epsilon) + joint * (b[i]! + epsilon));
  }
  return [slopes, slopesShared];
}

/** Σ_i w_i·ω with √(·+ε) for the norms. */
export function penaltyOf(a: Float64Array, b: Float64Array, epsilon: number, penalty: Penalty): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const price = penalty.prices[i]!;
    sum += price * (penalty.own * Math.sqrt(a[i]! + epsilon) + penalty.shared * Math.sqrt(b[i]! + epsilon));
    sum += price * (penalty.joint * Math.sqrt(a[i]! + b[i]! + epsilon));
  }
  return sum;
}

/*
 * Own against shared, s from 0 to 1. Both halves of eq. 5 get a weight, penalties included:
 *     w·(½‖X − XZ‖² + λs‖Z‖₂,₁ + λd tr DᵀZ) + w̃·((α/2)‖X̃ − XZ̃‖² + λs‖Z̃‖₂,₁ + λd tr D̃ᵀZ̃) + β‖[Z | Z̃]‖₂,₁,
 *     w = min(1, q⁻¹),   w̃ = min(1, q),   q = (s/(1−s))².
 * At ½ it is the paper's. As a weight goes to 0, the β term alone is left of its half and takes it to zero with it; the
 * other half ends as a problem by itself, with the penalty (λs + β)‖·‖₂,₁.
 *
 * Rebuilding a video from itself likes what the topic shares as much as what only this video has. Below ½ the others may
 * therefore help to rebuild it, for a price ρ: what they can show needs no shot of this video,
 *     min over C   ½‖X − XZ − X̃C‖² + (ρ/2)‖C‖²   =   ½ tr (X−XZ)ᵀ(I + M̃/ρ)⁻¹(X−XZ).
 * So the own half sees the features through T, T² = (I + θ·M̃/tr M̃)⁻¹: a direction that fills a share p of what the others
 * show is left with 1/(1+θp) of its square. X̃ is seen as far as this video's own shots reach, so that T² is r × r (n × n).
 */

/** w, w̃ and θ. */
export type Balance = { readonly own: number; readonly shared: number; readonly discount: number };

/** θ at s = 0: what fills a hundredth of the other videos counts half. */
const FULL_DISCOUNT = 100;

/** The balance for a knob between 0 (what only this video has) and 1 (what the topic shares). */
export function balanceOf(shared: number): Balance {
  const odds = (shared / (1 - shared)) ** 2;
  return {
    own: Math.min(1, 1 / odds),
    shared: Math.min(1, odds),
    discount: FULL_DISCOUNT * Math.max(0, 1 - 2 * shared) ** 2,
  };
}
