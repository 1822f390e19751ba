import { type Matrix, multiply, multiplyTransposed, rowOf, unitRows } from '../../base/index.js';
import { type Background, minusRow } from './background.js';

/** From this many standard deviations two shots show the same kind of thing (decision 38). */
export const KIN_FROM = 5;

/** From this many they show the same thing in any topic (decision 48). */
const ALWAYS_SAME = 10;

/** How far above the mean of its topic a pair shows the same thing, in standard deviations of the topic (decision 48). */
const ABOVE_TOPIC = 1.5;

/** Shots, prepared for comparison with each other. */
export type Comparable = {
  /** x̂, one row per shot. */
  readonly rows: Matrix;
  /** Mean and standard deviation of x̂·b̂ over the shots b of the background. */
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
};

/** Deviations below this come from rounding: the shot is as far from all of the background. */
const LEAST_DEVIATION = 1e-6;

/** Prepares shots, given as vectors of pictures, for `sameness`. */
export function comparable(X: Matrix, { mean: mu, unrelated }: Background): Comparable {
  const rows = unitRows(minusRow(X, mu));
  const S = multiply(rows, unrelated);
  const [mean, deviation] = [new Float64Array(S.rows), new Float64Array(S.rows)];
  for (let i = 0; i < S.rows; i++) {
    const own = rowOf(S, i);
    const average = own.reduce((sum, value) => sum + value, 0) / own.length;
    const variance = own.reduce((sum, value) => sum + (value - average) ** 2, 0) / own.length;
    mean[i] = average;
    deviation[i] = Math.max(LEAST_DEVIATION, Math.sqrt(variance));
  }
  return { rows, mean, deviation };
}

/** Vectors compared by their cosines alone, where there is no background: s(x, y) = x·y. */
export function plainlyComparable(rows: Matrix): Comparable {
  return { rows, mean: new Float64Array(rows.rows), deviation: new Float64Array(rows.rows).fill(1) };
}

/**
 * How much more alike each shot of `a` is to each of `b` than unrelated footage, in standard deviations:
 *   s(x, y) = ½ [(x̂·ŷ − m_x)/σ_x + (x̂·ŷ − m_y)/σ_y],   x̂ = (x − μ)/‖x − μ‖,
 * m_x, σ_x: mean and deviation of x̂·b̂ over the background. Shots that resemble everything need more to be the same.
 */
export function sameness(a: Comparable, b: Comparable): Matrix {
  const S = multiplyTransposed(a.rows, b.rows);
  for (let i = 0; i < S.rows; i++) {
    const own = rowOf(S, i);
    own.forEach((cosine, j) => {
      own[j] = ((cosine - a.mean[i]!) / a.deviation[i]! + (cosine - b.mean[j]!) / b.deviation[j]!) / 2;
    });
  }
  return S;
}

/**
 * The sameness from which two shots of a topic show the same thing, and not only the same kind of thing:
 *   from = m + 1.5 σ, at least 5 and at most 10,   m, σ: mean and deviation of s(x, y) over pairs of different videos.
 */
export function sameFrom(videos: readonly Comparable[]): number {
  let [pairs, sum, squares] = [0, 0, 0];
  videos.forEach((video, at) => {
    for (const other of videos.slice(0, at)) {
      const { data } = sameness(video, other);
      pairs += data.length;
      for (const value of data) {
        sum += value;
        squares += value * value;
      }
    }
  });
  if (pairs === 0) return KIN_FROM;
  const mean = sum / pairs;
  const deviation = Math.sqrt(Math.max(0, squares / pairs - mean * mean));
  return Math.min(ALWAYS_SAME, Math.max(KIN_FROM, mean + ABOVE_TOPIC * deviation));
}
