import type { TallMatrix } from '../base/index.js';
import { rankingFromOrder } from './ranking.js';
import type { Ranking, Selector } from './types.js';

/**
 * Shots spread evenly over the film: the middle, then always the shot in the middle of the longest stretch without one,
 * the earlier stretch first. Every beginning of the ranking is as even as halving allows. Content plays no part. Pinned
 * shots divide the film before it begins; where the middle is vetoed, the shot nearest to it is taken.
 */
export function uniform(): Selector<Ranking, TallMatrix> {
  return {
    name: 'uniform',
    select(problem) {
      const { rows } = problem.features;
      const vetoed = new Set(problem.vetoed);
      const order = (problem.pinned ?? []).toSorted((a, b) => a - b);
      const borders = [-1, ...order, rows];
      // Stretches [start, end), longest first; halving never makes one longer than those that wait.
      const waiting = borders.slice(1).map((end, k) => ({ start: borders[k]! + 1, end }));
      while (waiting.length > 0) {
        waiting.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
        const { start, end } = waiting.shift()!;
        const middle = Math.floor((start + end - 1) / 2);
        const free = Array.from({ length: end - start }, (_, k) => start + k).filter((shot) => !vetoed.has(shot));
        const [taken] = free.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle) || a - b);
        if (taken === undefined) continue;
        order.push(taken);
        waiting.push({ start, end: taken }, { start: taken + 1, end });
      }
      return rankingFromOrder([...order, ...[...vetoed].sort((a, b) => a - b)], problem);
    },
  };
}
