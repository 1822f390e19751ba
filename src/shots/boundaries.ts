import type { ShotBounds } from './bounds.js';
import { localQuantile } from './local-quantile.js';

/** Changes are whole numbers from 0 to this (everything changed). */
export const FULL_CHANGE = 65_535;

/** `typical` is taken over this many frames either side: about one and a half shots in all. */
const TYPICAL_REACH = 48;
/** High enough that grain and steady motion gain nothing, low enough that a few cuts nearby do not raise it. */
const TYPICAL_QUANTILE = 0.9;
/** Cost of a shot at either bound, 1/64 of a full change: above coding noise (under 1 %), far below any cut. */
const UNEVENNESS = 1024;

/** A hard cut changes at least this much of the colour: real cuts measured 23 to 78 %, shaky cameras up to 11 %. */
const HARD_CHANGE = Math.ceil(0.12 * FULL_CHANGE);
/** ... and within so many frames either side at most `HARD_RIVALS` frames change more than half as much. */
const HARD_REACH = 12;
const HARD_RIVALS = 2;
/** Keeping one cut displaces at most 2 boundaries and adds at most 2 more, each worth at most 1: 40 · 12 % > 4. */
const HARD_WEIGHT = 40;

/**
 * What a boundary before each frame costs, in whole numbers (negative = worth having); entry 0 is 0.
 *
 *     cost(t) = −40 · change(t)              at a hard cut: change(t) ≥ 12 % and, within 12 frames either side,
 *                                            at most two other frames change more than half as much
 *     cost(t) = typical(t) − change(t)       elsewhere; typical(t) = 90th percentile of change within 48 frames
 */
export function boundaryCosts(change: Uint16Array): Int32Array {
  const typical = localQuantile(change, TYPICAL_REACH, TYPICAL_QUANTILE);
  const costs = new Int32Array(change.length);
  for (let t = 1; t < change.length; t++) {
    const here = change[t] as number;
    costs[t] = isHardCut(change, t) ? -HARD_WEIGHT * here : (typical[t] as number) - here;
  }
  return costs;
}

function isHardCut(change: Uint16Array, t: number): boolean {
  const here = change[t] as number;
  if (here < HARD_CHANGE) return false;
  let rivals = 0;
  const last = Math.min(change.length - 1, t + HARD_REACH);
  for (let i = Math.max(1, t - HARD_REACH); i <= last; i++) {
    if (i !== t && 2 * (change[i] as number) > here) rivals++;
  }
  return rivals <= HARD_RIVALS;
}

/** For each length up to `maxFrames`: 1024 · ((length − middle) / half the span)², rounded; 0 in the middle. */
export function unevenness({ minFrames, maxFrames }: ShotBounds): Float64Array {
  const span = Math.max(1, maxFrames - minFrames);
  return Float64Array.from({ length: maxFrames + 1 }, (_, length) =>
    Math.round((UNEVENNESS * (2 * length - minFrames - maxFrames) ** 2) / span ** 2),
  );
}

/**
 * The starts of the shots, chosen all together:
 *
 *     minimise  Σ cost(t) over the starts t > 0  +  Σ unevenness(length) over the shots
 *     subject to  minFrames ≤ length ≤ maxFrames for every shot
 *
 * by dynamic programming over the end of the last shot:  best(e) = min over lengths ℓ of best(e−ℓ) + cost(e−ℓ) +
 * unevenness(ℓ). All terms are whole numbers, so the optimum is exact; equal optima take the longer last shot.
 * Fewer than `minFrames` frames are one shot. Time O(frames · (maxFrames − minFrames)); 10 bytes per frame besides the costs.
 */
export function chooseStarts(costs: Int32Array, bounds: ShotBounds): number[] {
  const { minFrames, maxFrames } = bounds;
  const frames = costs.length;
  if (frames === 0) return [];
  if (frames < minFrames) return [0];

  const uneven = unevenness(bounds);
  const best = new Float64Array(frames + 1).fill(Infinity);
  const lastLength = new Uint16Array(frames + 1);
  best[0] = 0;
  for (let end = minFrames; end <= frames; end++) {
    let least = Infinity;
    let length = 0;
    for (let l = Math.min(maxFrames, end); l >= minFrames; l--) {
      const total = (best[end - l] as number) + (uneven[l] as number);
      if (total < least) {
        least = total;
        length = l;
      }
    }
    lastLength[end] = length;
    // A later shot that begins here pays for this boundary, so it is added once, to what `best` offers.
    best[end] = end < frames ? least + (costs[end] as number) : least;
  }

  const starts: number[] = [];
  for (let end = frames; end > 0;) {
    end -= lastLength[end] as number;
    starts.push(end);
  }
  return starts.reverse();
}
