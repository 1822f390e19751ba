import { type TallMatrix, random as randomNumbers } from '../../base/index.js';
import { rankingFromOrder } from '../ranking.js';
import type { Ranking, Selector } from '../types.js';

/**
 * Shots spread evenly over the film: the middle, then always the shot in the middle of the longest stretch without one,
 * the earlier stretch first. Every beginning of the ranking is as even as halving allows. Content plays no part. Pinned
 * shots divide the film first; where the middle is vetoed, the shot nearest to it is taken, the earlier of two.
 */
export function uniform(): Selector<Ranking, TallMatrix> {
  return {
    name: 'uniform',
    select(problem) {
      const { rows } = problem.features;
      const [pinned, vetoed] = [inFilmOrder(problem.pinned), inFilmOrder(problem.vetoed)];
      const nearestFree = freeShots(rows, vetoed);
      const order = [...pinned];
      // Where the stretches without a shot start, by their length. Halves are shorter, so a list is complete when its turn comes.
      const starts = Array.from({ length: rows + 1 }, (): number[] => []);
      const borders = [-1, ...pinned, rows];
      for (let k = 1; k < borders.length; k++) starts[borders[k]! - borders[k - 1]! - 1]!.push(borders[k - 1]! + 1);
      for (let length = rows; length > 0; length--) {
        for (const start of starts[length]!.sort((a, b) => a - b)) {
          const end = start + length;
          const taken = nearestFree(Math.floor((start + end - 1) / 2), start, end);
          if (taken === null) continue;
          order.push(taken);
          starts[taken - start]!.push(start);
          starts[end - taken - 1]!.push(taken + 1);
        }
      }
      return rankingFromOrder([...order, ...vetoed], problem);
    },
  };
}

function inFilmOrder(shots: readonly number[] = []): number[] {
  return [...new Set(shots)].sort((a, b) => a - b);
}

/** Finds the shot nearest to a middle, in [start, end), that is not vetoed; the earlier of two, `null` if there is none. */
function freeShots(
  rows: number,
  vetoed: readonly number[],
): (middle: number, start: number, end: number) => number | null {
  const isVetoed = new Set(vetoed);
  // The last free shot up to each shot, and the first from each shot on.
  const [before, after] = [new Int32Array(rows), new Int32Array(rows)];
  for (let shot = 0, last = -1; shot < rows; shot++) before[shot] = last = isVetoed.has(shot) ? last : shot;
  for (let shot = rows - 1, first = rows; shot >= 0; shot--) after[shot] = first = isVetoed.has(shot) ? first : shot;
  return (middle, start, end) => {
    const [left, right] = [before[middle]!, after[middle]!];
    if (left < start) return right < end ? right : null;
    return right >= end || middle - left <= right - middle ? left : right;
  };
}

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
