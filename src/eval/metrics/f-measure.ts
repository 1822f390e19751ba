import { NumericError } from '../../base/index.js';

/** How far a summary and a reference share their frames. */
export type Overlap = {
  /** Share of the summary's frames that are in the reference. */
  readonly precision: number;
  /** Share of the reference's frames that are in the summary. */
  readonly recall: number;
  /** Harmonic mean of both; 0 if nothing is shared. */
  readonly f1: number;
};

/**
 * The overlap of two sets of shots in frames; `lengthOf` gives the frames of a shot. An empty summary has 0 everywhere;
 * for an empty reference the result is `null`.
 */
export function overlapOf(
  chosen: ReadonlySet<number>,
  reference: ReadonlySet<number>,
  lengthOf: (shot: number) => number,
): Overlap | null {
  let [own, theirs, both] = [0, 0, 0];
  for (const shot of chosen) {
    own += lengthOf(shot);
    if (reference.has(shot)) both += lengthOf(shot);
  }
  for (const shot of reference) theirs += lengthOf(shot);
  if (theirs === 0) return null;
  return { precision: own === 0 ? 0 : both / own, recall: both / theirs, f1: (2 * both) / (own + theirs) };
}

/** Whole frames in a share of a video, rounded down; 0.29 of 100 frames is 29 although 0.29 · 100 < 29 in floats. */
export function framesInShare(frameCount: number, share: number): number {
  return Math.floor(frameCount * share + 1e-6);
}

/** Goes down an order and takes every shot that still fits. */
export function walkToBudget(
  order: readonly number[],
  lengths: ArrayLike<number>,
  budgetFrames: number,
): ReadonlySet<number> {
  const chosen = new Set<number>();
  let left = budgetFrames;
  for (const shot of order) {
    if (lengths[shot]! > left) continue;
    chosen.add(shot);
    left -= lengths[shot]!;
  }
  return chosen;
}

/** The most cells of the table of choices: 128 MB at one bit each. */
const MAX_CELLS = 2 ** 30;

/**
 * The shots of largest total value whose lengths fit the budget, exactly (0/1 knapsack over whole frames). Values are not
 * rounded or weighted by length. Shots worth nothing stay out; of equally good choices the one with the earlier shots wins.
 *
 *   best_i(c) = max(best_i₊₁(c), value_i + best_i₊₁(c − length_i))
 */
export function knapsack(
  values: ArrayLike<number>,
  lengths: ArrayLike<number>,
  budgetFrames: number,
): ReadonlySet<number> {
  const count = values.length;
  const capacity = Math.min(budgetFrames, sumOf(lengths));
  const stride = capacity + 1;
  if (count * stride > MAX_CELLS)
    throw new NumericError(
      'knapsack-too-large',
      `Expected at most ${MAX_CELLS} shots times budgeted frames, found ${count} × ${stride}. Take longer shots or a smaller budget.`,
    );
  const best = new Float64Array(stride);
  const taken = new Uint8Array((count * stride + 7) >> 3);
  for (let i = count - 1; i >= 0; i--) {
    const [value, length] = [values[i]!, lengths[i]!];
    if (!(value > 0)) continue;
    for (let c = capacity; c >= length; c--) {
      const withShot = value + best[c - length]!;
      if (withShot < best[c]!) continue;
      best[c] = withShot;
      const cell = i * stride + c;
      taken[cell >> 3]! |= 1 << (cell & 7);
    }
  }
  const chosen = new Set<number>();
  for (let i = 0, left = capacity; i < count; i++) {
    const cell = i * stride + left;
    if (!(taken[cell >> 3]! & (1 << (cell & 7)))) continue;
    chosen.add(i);
    left -= lengths[i]!;
  }
  return chosen;
}

function sumOf(lengths: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < lengths.length; i++) sum += lengths[i]!;
  return sum;
}

/** How many shots are scored. */
const PLACES = 5;

/**
 * The TVSum top-5 mAP of highlight detection, for one annotator, as the scorers of MINI-Net and UMT compute it and
 * later work took over. `liked` comes from `aboveMedian`. Recall counts against the hits inside the first five:
 *
 *   AP = Σ_i (R_i − R_i₋₁) · (P_i + P_i₋₁)/2,   P_i = hits(i)/i,  R_i = hits(i)/hits(5),  R_0 = 0, P_0 = 1
 */
export function highlightTop5(order: readonly number[], liked: ReadonlySet<number>): number {
  const places = order.slice(0, PLACES).map((shot) => liked.has(shot));
  const found = places.filter(Boolean).length;
  let [hits, precision, sum] = [0, 1, 0];
  places.forEach((hit, position) => {
    if (hit) hits++;
    const next = hits / (position + 1);
    if (hit) sum += (next + precision) / 2;
    precision = next;
  });
  return found === 0 ? 0 : sum / found;
}

/** The shots marked strictly above the median; of an even number of marks the median is the lower middle one. */
export function aboveMedian(marks: Float64Array): ReadonlySet<number> {
  const median = marks.toSorted()[(marks.length - 1) >> 1];
  const liked = new Set<number>();
  if (median !== undefined) marks.forEach((mark, shot) => mark > median && liked.add(shot));
  return liked;
}
