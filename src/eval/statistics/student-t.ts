/**
 * P(|T| > |t|), T Student with whole `df` ≥ 1:  I_x(df/2, ½) at x = df/(df + t²)     (Abramowitz & Stegun 26.7.1)
 * Relative error below 1e-12, far into the tail too.
 */
export function twoSidedP(t: number, df: number): number {
  const [a, b] = [df / 2, 0.5];
  const ratio = (t * t) / df;
  if (ratio === Infinity) return 0;
  const [x, y] = [1 / (1 + ratio), ratio / (1 + ratio)];
  const density = Math.exp(-a * Math.log1p(ratio)) * Math.sqrt(y);
  const beta = betaWithHalf(df);
  // The fraction converges fast on the near side of the mean; the far side is its complement.
  return x < (a + 1) / (a + b + 2)
    ? (density / (a * beta)) * betaFraction(a, b, x)
    : 1 - (density / (b * beta)) * betaFraction(b, a, y);
}

/** The t that |T| exceeds with probability `level`, by halving: `twoSidedP` falls all the way. */
export function criticalT(level: number, df: number): number {
  let [low, high] = [0, 1];
  while (twoSidedP(high, df) > level) high *= 2;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return high;
    if (twoSidedP(middle, df) > level) low = middle;
    else high = middle;
  }
}

/** exp(−CUT) is what the power integral leaves out at either end. */
const CUT = 40;

/**
 * Power of the two-sided t-test: P(|T| > c) for T non-central with shift δ and c the critical value at `level`.
 *
 *   E_s[ Φ(δ − cs) + Φ(−δ − cs) ],  s = √(χ²/df):  density ∝ s^(df−1) e^(−df s²/2)
 *
 * The trapezoid rule in u = ln s converges faster than any power of its step. Absolute error below 1e-13.
 */
export function powerOfTTest(shift: number, df: number, level: number): number {
  const [delta, c] = [Math.abs(shift), criticalT(level, df)];
  // Beyond these bounds df·(u − (e²ᵘ − 1)/2) < −CUT, which also holds s to the values that matter.
  const from = -(CUT / df + 0.5 + Math.sqrt(CUT / df));
  const to = Math.min(Math.sqrt(CUT / df), Math.log(7 + (2 * CUT) / df) / 2);
  if (delta - c * Math.exp(to) > NORMAL_END) return 1;
  const steps = Math.ceil((to - from) * 4 * Math.max(Math.sqrt(2 * df), delta, 2));
  let [sum, mass] = [0, 0];
  for (let step = 0; step <= steps; step++) {
    const u = from + ((to - from) * step) / steps;
    const weight = Math.exp(df * (u - Math.expm1(2 * u) / 2));
    const cs = c * Math.exp(u);
    mass += weight;
    sum += weight * (normalCdf(delta - cs) + normalCdf(-delta - cs));
  }
  return sum / mass;
}

/** Φ is 0 or 1 to 1e-15 from here on. */
const NORMAL_END = 8;

/** Φ(x) = ½ + φ(x) (x + x³/3 + x⁵/(3·5) + …), absolute error 1e-15     (Marsaglia 2004). */
function normalCdf(x: number): number {
  if (Math.abs(x) >= NORMAL_END) return x > 0 ? 1 : 0;
  let [sum, term] = [x, x];
  for (let odd = 3; Math.abs(term) > 1e-17 * Math.abs(sum); odd += 2) sum += term *= (x * x) / odd;
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** B(df/2, ½) for whole df, by B(a + 1, ½) = B(a, ½) · a/(a + ½). */
function betaWithHalf(df: number): number {
  let beta = df % 2 === 0 ? 2 : Math.PI;
  for (let a = df % 2 === 0 ? 1 : 0.5; a < df / 2; a++) beta *= a / (a + 0.5);
  return beta;
}

/** The continued fraction of I_x(a, b) by Lentz's method     (Abramowitz & Stegun 26.5.8). */
function betaFraction(a: number, b: number, x: number): number {
  const tiny = Number.MIN_VALUE / Number.EPSILON;
  const awayFromZero = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let [c, d] = [1, 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))];
  let fraction = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    fraction *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return fraction;
}
