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

/** Numbers prepared once for many comparisons of ranks. Equal numbers are ties. */
export type Ranks = {
  /** Items by rising value. */
  readonly ascending: Int32Array;
  /** Which of the distinct values an item has, counted from 0 for the smallest. */
  readonly level: Int32Array;
  /** Pairs of items that are not tied. */
  readonly untiedPairs: number;
  /** Mid-rank of each item less the mean rank. */
  readonly centred: Float64Array;
};

/** Prepares numbers, one per item; all must be finite. */
export function ranksOf(values: ArrayLike<number>): Ranks {
  const count = values.length;
  for (let i = 0; i < count; i++)
    if (!Number.isFinite(values[i]))
      throw new NumericError(
        'not-finite',
        `Expected finite numbers to rank, found ${values[i]} at place ${i}. Correct the scores.`,
      );
  const ascending = Int32Array.from({ length: count }, (_, item) => item).sort((i, j) => values[i]! - values[j]!);
  const level = new Int32Array(count);
  const centred = new Float64Array(count);
  let untiedPairs = (count * (count - 1)) / 2;
  for (let start = 0, levels = 0; start < count; levels++) {
    let end = start + 1;
    while (end < count && values[ascending[end]!] === values[ascending[start]!]) end++;
    for (let position = start; position < end; position++) {
      level[ascending[position]!] = levels;
      centred[ascending[position]!] = (start + end - count) / 2;
    }
    untiedPairs -= ((end - start) * (end - start - 1)) / 2;
    start = end;
  }
  return { ascending, level, untiedPairs, centred };
}

/** Ranks of an order, best first: the first item has the highest value and no two tie. */
export function ranksOfOrder(order: readonly number[]): Ranks {
  const values = new Float64Array(order.length);
  order.forEach((item, position) => (values[item] = -position));
  return ranksOf(values);
}

/**
 * τ_b = (C − D) / √((n₀ − n₁)(n₀ − n₂))     Kendall 1945; C, D: concordant and discordant pairs, n₀ − nᵢ: untied pairs
 * `null` if all items of either side are tied. O(n log n).
 */
export function kendallTau(x: Ranks, y: Ranks): number | null {
  if (x.untiedPairs === 0 || y.untiedPairs === 0) return null;
  return excessPairs(x, y) / Math.sqrt(x.untiedPairs * y.untiedPairs);
}

/** C − D: items enter by rising x, and each meets those that entered with a smaller x. */
function excessPairs(x: Ranks, y: Ranks): number {
  const count = x.ascending.length;
  const tree = new Int32Array(count + 1);
  const enteredUpTo = (level: number): number => {
    let sum = 0;
    for (let node = level + 1; node > 0; node -= node & -node) sum += tree[node]!;
    return sum;
  };
  let excess = 0;
  for (let start = 0; start < count;) {
    let end = start;
    for (; end < count && x.level[x.ascending[end]!] === x.level[x.ascending[start]!]; end++) {
      const level = y.level[x.ascending[end]!]!;
      const below = enteredUpTo(level - 1);
      const above = start - enteredUpTo(level);
      excess += below - above;
    }
    for (; start < end; start++)
      for (let node = y.level[x.ascending[start]!]! + 1; node <= count; node += node & -node) tree[node]!++;
  }
  return excess;
}

/** Spearman's ρ: Pearson's correlation of the mid-ranks. `null` if all items of either side are tied. */
export function spearmanRho(x: Ranks, y: Ranks): number | null {
  if (x.untiedPairs === 0 || y.untiedPairs === 0) return null;
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.centred.length; i++) {
    const [a, b] = [x.centred[i]!, y.centred[i]!];
    xy += a * b;
    xx += a * a;
    yy += b * b;
  }
  return xy / Math.sqrt(xx * yy);
}
