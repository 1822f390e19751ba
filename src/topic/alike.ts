import { dot, rowBlocks, type TallMatrix } from '../base/index.js';

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
