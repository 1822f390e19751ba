import {
  dot,
  hasUnitRows,
  inMemory,
  leadingEigenvectors,
  type Matrix,
  meanOfRows,
  mirrorLower,
  multiply,
  outerGram,
  rowBlocks,
  rowOf,
  stackRows,
  takeRows,
  type TallMatrix,
  transpose,
  unitRows,
  zeros,
} from '../base/index.js';

/** This many shots, evenly spread, represent a video in comparisons; more would cost time and change little. */
const MAX_SHOTS = 32;

/** A video as it is compared with others; rows have length one, or are zero. */
export type Sketch = {
  /** All its shots, in order. */
  readonly all: TallMatrix;
  /** Some of them, in order; read each time. */
  some(): Matrix;
  /** The mean of all. */
  readonly mean: Float64Array;
};

/** Prepares a video for comparison with others. */
export function sketchOf(features: TallMatrix): Sketch {
  const unit = hasUnitRows(features) ? features : unitRows(inMemory(features));
  return { all: unit, some: () => takeRows(unit, evenly(unit.rows, MAX_SHOTS)), mean: meanRow(unit) };
}

function meanRow(A: TallMatrix): Float64Array {
  const mean = new Float64Array(A.cols);
  for (const { block } of rowBlocks(A)) {
    for (let at = 0; at < block.data.length; at++) mean[at % A.cols]! += block.data[at]! / A.rows;
  }
  return mean;
}

/** The rows less their mean. */
function centred(A: Matrix): Matrix {
  const mean = meanRow(A);
  return { ...A, data: A.data.map((value, at) => value - mean[at % A.cols]!) };
}

/** For each shot of one video the shot of the other that is most like it, and the cosine between the two. */
export function nearestShots(
  video: Matrix,
  other: TallMatrix,
): { readonly shot: Int32Array; readonly cosine: Float64Array } {
  const [shot, cosine] = [new Int32Array(video.rows), new Float64Array(video.rows).fill(-1)];
  for (const { first, block } of rowBlocks(other)) {
    const C = multiply(video, transpose(block));
    for (let i = 0, at = 0; i < C.rows; i++) {
      for (let j = 0; j < C.cols; j++, at++) {
        if (C.data[at]! > cosine[i]!) [shot[i], cosine[i]] = [first + j, C.data[at]!];
      }
    }
  }
  return { shot, cosine };
}

/** cos∠(x, y); 0 if one of them is zero. */
export function cosineOf(x: Float64Array, y: Float64Array): number {
  const lengths = Math.sqrt(dot(x, x) * dot(y, y));
  return lengths === 0 ? 0 : dot(x, y) / lengths;
}

/** At most `most` of the numbers 0 … count−1, evenly spread, in order. */
export function evenly(count: number, most: number): number[] {
  const taken = Math.min(count, most);
  return Array.from({ length: taken }, (_, i) => Math.floor(((i + 0.5) * count) / taken));
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The n in 1/mean cosⁿ, which counts views: two shots with a cosine of 0.93 are one view and a half. */
const VIEW_POWER = 16;

/** How many different views the shots of a video amount to. */
export function viewCount({ some }: Sketch): number {
  const G = outerGram(some());
  const alike = G.data.reduce((sum, cosine) => sum + Math.max(0, cosine) ** VIEW_POWER, 0) / G.data.length;
  return alike > 0 ? 1 / alike : 1;
}

/** `dims` directions are kept; `shrink` in [0, 1] keeps a part of how much their spreads differ: 0 makes them all equal. */
export type WhitenKnobs = { readonly dims: number; readonly shrink?: number };

/** Directions in which the shots differ less than this share of the first one are roundings. */
const SMALLEST_SPREAD = 1e-9;

/**
 * PCA-whitening on the topic. With the mean μ of all its shots, and their spread λ_k along direction v_k, largest first,
 *     y = z / ‖z‖,   z_k = v_k·(x − μ) / √((1 − s)·λ_k + s·λ̄),   k = 1 … dims
 * so that no direction counts for more because many shots differ in it. A zero vector stays zero; where all shots are the
 * same there is nothing to even out, and the vectors stay as they are.
 */
export function whitenTopic(features: readonly Matrix[], { dims, shrink = 0 }: WhitenKnobs): Matrix[] {
  const all = stackRows(features);
  const apart = centred(all);
  const spread = multiply(transpose(apart), apart);
  mirrorLower(spread);
  const { values, vectors } = leadingEigenvectors(spread, Math.min(dims, all.rows, all.cols), 0);
  const kept = values.filter((value) => value > SMALLEST_SPREAD * values[0]!).length;
  if (kept === 0 || !(values[0]! > 0)) return [...features];
  const typical = values.slice(0, kept).reduce((sum, value) => sum + value, 0) / kept;
  const along = multiply(apart, transpose(vectors));
  const whitened = zeros(all.rows, kept);
  for (let i = 0; i < all.rows; i++) {
    if (rowOf(all, i).every((value) => value === 0)) continue;
    const [from, to] = [rowOf(along, i), rowOf(whitened, i)];
    for (let k = 0; k < kept; k++) to[k] = from[k]! / Math.sqrt((1 - shrink) * values[k]! + shrink * typical);
    const length = Math.sqrt(to.reduce((sum, value) => sum + value * value, 0));
    if (length > 0) to.forEach((value, k) => (to[k] = value / length));
  }
  let first = 0;
  return features.map(({ rows }) => {
    const data = whitened.data.slice(first * kept, (first + rows) * kept);
    first += rows;
    return { rows, cols: kept, data };
  });
}

/** Shots this similar show the same, however alike the videos of a topic are to each other. */
const SURELY_ALIKE = 0.97;

/** Two shots show nearly the same if their distance is at most this share of the average between videos (decision 13). */
const NEARNESS = 0.6;

/** The same for an upright and a wide picture of one thing, which lie further apart (decision 13). */
const NEARNESS_ACROSS_SHAPES = 0.75;

/**
 * The similarity (x·y of unit vectors) from which two shots of this topic show nearly the same. With s the mean over
 * pairs of shots of different videos, and ‖x−y‖² = 2(1 − x·y):      1 − x·y ≤ NEARNESS² (1 − s).
 * It is relative to the spread of the topic, so it means the same for every kind of features.
 */
export function alikeFrom(videos: Iterable<ShotSum>): number {
  const usual = meanAcross(videos);
  return usual === null ? SURELY_ALIKE : Math.min(SURELY_ALIKE, 1 - NEARNESS ** 2 * (1 - usual));
}

/** The similarity from which an upright and a wide picture show nearly the same, where `alike` is that of one shape. */
export function alikeAcrossShapes(alike: number): number {
  return 1 - (NEARNESS_ACROSS_SHAPES / NEARNESS) ** 2 * (1 - alike);
}

/** What `alikeFrom` needs to know about a video: Σ x over its shots, and how many there are. */
export type ShotSum = { readonly sum: Float64Array; readonly count: number };

/** Adds up the shots of a video. */
export function sumOfShots(features: TallMatrix): ShotSum {
  const sum = new Float64Array(features.cols);
  for (const { block } of rowBlocks(features)) {
    for (let at = 0; at < block.data.length; at++) sum[at % sum.length]! += block.data[at]!;
  }
  return { sum, count: features.rows };
}

/** Mean of x·y over all pairs from different videos:  (‖Σ_v s_v‖² − Σ_v ‖s_v‖²) / (N² − Σ_v n_v²),  s_v the sum of v's shots. */
function meanAcross(videos: Iterable<ShotSum>): number | null {
  let all: Float64Array | null = null;
  let [within, shotCount, pairsWithin] = [0, 0, 0];
  for (const { sum, count } of videos) {
    all ??= new Float64Array(sum.length);
    for (let k = 0; k < sum.length; k++) all[k]! += sum[k]!;
    within += dot(sum, sum);
    shotCount += count;
    pairsWithin += count * count;
  }
  const pairs = shotCount * shotCount - pairsWithin;
  return all !== null && pairs > 0 ? (dot(all, all) - within) / pairs : null;
}

/** Shots whose distance is at most this share of the distance between unrelated shots show the same view (bench/coverage/views.ts). */
export const VIEW_NEARNESS = 0.7;
/** More views than this are not told apart: every further shot then shows its own. */
const MAX_VIEWS = 2000;

/** The similarity from which two shots show the same view:  1 − x·y ≤ VIEW_NEARNESS² (1 − usual),  usual: x·y of unrelated shots. */
export function sameViewFrom(usual: number): number {
  return Math.min(SURELY_ALIKE, 1 - VIEW_NEARNESS ** 2 * (1 - usual));
}

/** The mean of x·y over all pairs of rows: ‖mean row‖². */
export function usualLikeness(rows: TallMatrix): number {
  const mean = meanOfRows(rows);
  return dot(mean, mean);
}

/**
 * The view that each shot of a video shows, as a number from 0: in film order, a shot shows the view of the most similar
 * first shot of a view if they are at least `alike`, else a new one. Rows have length one.
 */
export function viewsOf(looks: TallMatrix, alike: number): number[] {
  const firsts: Float64Array[] = [];
  const views: number[] = [];
  let count = 0;
  for (const { block } of rowBlocks(looks)) {
    for (let i = 0; i < block.rows; i++) {
      const row = rowOf(block, i);
      let [best, nearest] = [-1, -Infinity];
      for (const [view, first] of firsts.entries()) {
        const likeness = dot(row, first);
        if (likeness > nearest) [best, nearest] = [view, likeness];
      }
      if (nearest >= alike) views.push(best);
      else {
        if (firsts.length < MAX_VIEWS) firsts.push(row.slice());
        views.push(count++);
      }
    }
  }
  return views;
}
