import { random as randomNumbers, type TallMatrix } from '../base/index.js';
import { rankingFromOrder } from './ranking.js';
import type { Ranking, Selector } from './types.js';

/** A shuffle: what every method must beat. The seed and the number of shots decide it, nothing else. */
export function random({ seed = 1 }: { seed?: number } = {}): Selector<Ranking, TallMatrix> {
  return {
    name: 'random',
    select(problem) {
      const { rows } = problem.features;
      const { below } = randomNumbers(seed);
      const order = Array.from({ length: rows }, (_, shot) => shot);
      for (let i = rows - 1; i > 0; i--) {
        const j = below(i + 1);
        [order[i], order[j]] = [order[j]!, order[i]!];
      }
      return rankingFromOrder(order, problem);
    },
  };
}
