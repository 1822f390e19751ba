import { random } from '../../base/index.js';
import type { Lead } from '../types.js';

/** Student's paired t-test, two-sided, with what it could have seen. */
export type PairedTest = Omit<NonNullable<Lead['byVideo']>, 'holm'>;

/** Differences that vary by less than this share of the largest are equal: their spread is rounding. */
const ROUNDING = 1e-12;

/**
 * Tests whether differences of pairs have mean zero; `null` for fewer than two. Equal differences have an answer too:
 * all zero is no effect (t 0, p 1, power = level), all the same other value an infinite one (t `null`, p 0, power 1).
 */
export function pairedTest(differences: readonly number[], level: number): PairedTest | null {
  const pairCount = differences.length;
  if (pairCount < 2) return null;
  const meanDifference = differences.reduce((sum, value) => sum + value, 0) / pairCount;
  const degreesOfFreedom = pairCount - 1;
  const squares = differences.reduce((sum, value) => sum + (value - meanDifference) ** 2, 0);
  const deviation = Math.sqrt(squares / degreesOfFreedom);
  const largest = differences.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const common = { pairCount, meanDifference, degreesOfFreedom };
  if (largest <= ROUNDING) return { ...common, effectSize: 0, t: 0, p: 1, power: level };
  if (deviation <= ROUNDING * largest) return { ...common, effectSize: null, t: null, p: 0, power: 1 };
  const effectSize = meanDifference / deviation;
  const t = effectSize * Math.sqrt(pairCount);
  return {
    ...common,
    effectSize,
    t,
    p: twoSidedP(t, degreesOfFreedom),
    power: powerOfTTest(t, degreesOfFreedom, level),
  };
}

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

/** More differences than this are not enumerated: 2²⁴ sign patterns take a tenth of a second. */
const MAX = 24;

/** Sums that differ by less than this share of the sum of all sizes are equal: they differ only by rounding. */
const FLIP_ROUNDING = 1e-12;

/**
 * The exact two-sided test of differences against a distribution symmetric around zero: the share of all 2ⁿ patterns of
 * signs whose sum is at least as far from zero as the one seen. It is never below 2¹⁻ⁿ. `null` for fewer than two
 * differences, and for more than 24.
 */
export function signFlipP(differences: readonly number[]): number | null {
  const count = differences.length;
  if (count < 2 || count > MAX) return null;
  const total = differences.reduce((sum, value) => sum + value, 0);
  const slack = FLIP_ROUNDING * differences.reduce((sum, value) => sum + Math.abs(value), 0);
  const bound = Math.abs(total) - slack;
  const signs = new Int8Array(count).fill(1);
  let [sum, extreme] = [total, 0];
  // Gray code: each pattern differs from the one before by one sign, so that a sum costs one step.
  for (let pattern = 1; ; pattern++) {
    if (Math.abs(sum) >= bound) extreme++;
    if (pattern === 2 ** count) break;
    const at = 31 - Math.clz32(pattern & -pattern);
    signs[at]! *= -1;
    sum += 2 * signs[at]! * differences[at]!;
  }
  return extreme / 2 ** count;
}

/**
 * Holm's correction of several p-values: the smallest times their number, the next times one less, and so on, never below
 * the one before and never above 1. `null`s are comparisons that were not made; they do not count.
 */
export function holm(ps: readonly (number | null)[]): (number | null)[] {
  const made = ps.flatMap((p, at) => (p === null ? [] : [{ p, at }])).sort((one, other) => one.p - other.p);
  const corrected: (number | null)[] = ps.map(() => null);
  let least = 0;
  made.forEach(({ p, at }, rank) => (corrected[at] = least = Math.min(1, Math.max(least, p * (made.length - rank)))));
  return corrected;
}

/** Where the true mean is expected, at the confidence that the interval was made for. */
export type Interval = { readonly low: number; readonly high: number };

/** Interval of the mean over topics of the mean over videos; `valuesByTopic` has one array per topic; empty ones are ignored. */
export type IntervalMaker = (valuesByTopic: readonly (readonly number[])[]) => Interval | null;

/** How intervals are made. */
type BootstrapKnobs = {
  readonly seed: number;
  readonly resamples: number;
  /** 0.95 leaves 2.5 % on either side. */
  readonly confidence: number;
};

/**
 * Percentile bootstrap in two steps: topics are drawn with replacement, then the videos inside each drawn topic, so that an
 * interval is about other topics too. Of T topics T − 1 are drawn: T draws would make the variance between topics smaller by
 * 1/T (Rao & Wu 1988). Each drawn topic has as many videos as it has. A single topic stays, and n − 1 of its n videos are
 * drawn; a single video cannot vary: `null`. The same seed and sizes give the same draws, so rows of a table are comparable.
 */
export function bootstrapIntervals({ seed, resamples, confidence }: BootstrapKnobs): IntervalMaker {
  const known = new Map<string, readonly Int32Array[]>();
  return (valuesByTopic) => {
    const topics = valuesByTopic.filter((values) => values.length > 0);
    const sizes = topics.map((values) => values.length);
    if (sizes.length < 2 && (sizes[0] ?? 0) < 2) return null;
    const key = sizes.join();
    const draws = known.get(key) ?? drawWeights(sizes, resamples, seed);
    known.set(key, draws);
    const values = Float64Array.from(topics.flat());
    const means = Float64Array.from(draws, (weights) => weigh(weights, values)).sort();
    const tail = (1 - confidence) / 2;
    return { low: quantile(means, tail), high: quantile(means, 1 - tail) };
  };
}

/** One resample: pairs of a video, counted over all topics, and how many videos its topic has drawn. */
function drawWeights(sizes: readonly number[], resamples: number, seed: number): readonly Int32Array[] {
  const { below } = random(seed);
  const starts = sizes.map((_, topic) => sizes.slice(0, topic).reduce((sum, size) => sum + size, 0));
  const isAlone = sizes.length === 1;
  return Array.from({ length: resamples }, () => {
    const drawn: number[] = [];
    for (let left = Math.max(1, sizes.length - 1); left > 0; left--) {
      const topic = isAlone ? 0 : below(sizes.length);
      const size = sizes[topic]!;
      const count = isAlone ? size - 1 : size;
      for (let video = count; video > 0; video--) drawn.push(starts[topic]! + below(size), count);
    }
    return Int32Array.from(drawn);
  });
}

/** The mean over drawn topics of the mean over drawn videos. */
function weigh(drawn: Int32Array, values: Float64Array): number {
  let [sum, topics] = [0, 0];
  for (let at = 0; at < drawn.length; at += 2) {
    sum += values[drawn[at]!]! / drawn[at + 1]!;
    topics += 1 / drawn[at + 1]!;
  }
  return sum / topics;
}

/** Between the two nearest of the sorted values, in proportion (Hyndman & Fan 1996, type 7). */
function quantile(sorted: Float64Array, share: number): number {
  const index = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(index)]!, sorted[Math.ceil(index)]!];
  return below + (above - below) * (index - Math.floor(index));
}
