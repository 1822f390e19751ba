import { NumericError } from '../../base/index.js';

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
