import { rankingFromOrder } from './ranking.js';
import type { Selector } from './types.js';

/**
 * Shots spread evenly over the film: the middle, then always the shot in the middle of the longest stretch without one,
 * the earlier stretch first. Every beginning of the ranking is as even as halving allows. Content plays no part.
 */
export function uniform(): Selector {
  return {
    name: 'uniform',
    select({ features: { rows } }) {
      const order: number[] = [];
      // Stretches [start, end), longest first; halving never makes one longer than those that wait.
      const waiting = rows > 0 ? [{ start: 0, end: rows }] : [];
      while (waiting.length > 0) {
        waiting.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
        const { start, end } = waiting.shift()!;
        const middle = Math.floor((start + end - 1) / 2);
        order.push(middle);
        if (middle > start) waiting.push({ start, end: middle });
        if (middle + 1 < end) waiting.push({ start: middle + 1, end });
      }
      return rankingFromOrder(order);
    },
  };
}
