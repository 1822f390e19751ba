import type { AveragePrecision } from '../index.js';

/**
 * E[AP@k] over all orders of n shots, R of them in the reference: place i is a hit with chance R/n, and then the places
 * before it hold (i−1)(R−1)/(n−1) more on average. With h hits among k places the same sum, on k places, is E[AP·h | h].
 */
export function expectedAveragePrecision(shotCount: number, referenceSize: number, k: number): AveragePrecision {
  const depth = Math.min(k, shotCount);
  let retrieved = 0;
  for (let hits = 1; hits <= Math.min(depth, referenceSize); hits++) {
    const chance =
      (choose(referenceSize, hits) * choose(shotCount - referenceSize, depth - hits)) / choose(shotCount, depth);
    retrieved += (chance * expectedSum(depth, hits, depth)) / hits;
  }
  return { textbook: expectedSum(shotCount, referenceSize, depth) / Math.min(k, referenceSize), retrieved };
}

/** E[Σ hits(i)/i over the hits among the first `depth` of n places, R of which are hits]. */
function expectedSum(n: number, R: number, depth: number): number {
  let sum = 0;
  for (let i = 1; i <= depth; i++) sum += ((R / n) * (1 + (n > 1 ? ((i - 1) * (R - 1)) / (n - 1) : 0))) / i;
  return sum;
}

function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let ways = 1;
  for (let i = 1; i <= k; i++) ways *= (n - k + i) / i;
  return ways;
}
