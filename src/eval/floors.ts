import { random } from '../base/index.js';
import { createSelector } from '../select/index.js';
import { problemOf } from '../topic/index.js';
import type { Contender } from './jury.js';

/** An order of shots that looks at none of them: what a method must beat to have seen anything. */
export type Floor = {
  /** Drawn anew for every seed; the others are the same for all. */
  readonly isDrawn: boolean;
  contend(shotCount: number, seed: number): Contender;
};

/** The length of a run. */
const RUN = 5;

/** The floors of every table, in the order of its rows. */
export const FLOORS = {
  /** Every order equally likely. */
  random: { isDrawn: true, contend: (shotCount, seed) => ({ order: shuffledOrder(shotCount, seed) }) },
  /** Spread evenly over the film, as the method of that name. */
  uniform: {
    isDrawn: false,
    contend: (rows) => {
      const problem = problemOf({ rows, cols: 1, data: new Float64Array(rows) }, null);
      return { order: createSelector({ method: 'uniform' }).select(problem).order };
    },
  },
  /** The shot nearest to the middle of the film first; of two at the same distance, the earlier. */
  middle: {
    isDrawn: false,
    contend: (shotCount) => {
      const scores = Array.from({ length: shotCount }, (_, shot) => -Math.abs(shot - (shotCount - 1) / 2));
      return { order: [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b), scores };
    },
  },
  /** Five neighbours from a random place, then the others at random. */
  run: {
    isDrawn: true,
    contend: (shotCount, seed) => {
      const shuffled = shuffledOrder(shotCount, seed);
      const start = random(seed ^ RUN).below(Math.max(1, shotCount - RUN + 1));
      const isInRun = (shot: number): boolean => shot >= start && shot < start + RUN;
      return {
        order: [...shuffled.filter(isInRun).sort((a, b) => a - b), ...shuffled.filter((shot) => !isInRun(shot))],
      };
    },
  },
  /** In the order of the film. */
  first: { isDrawn: false, contend: (shotCount) => ({ order: Array.from({ length: shotCount }, (_, shot) => shot) }) },
} as const satisfies Readonly<Record<string, Floor>>;

/** Draws an order; all orders are equally likely. */
export function shuffledOrder(shotCount: number, seed: number): number[] {
  const { below } = random(seed);
  const order = Array.from({ length: shotCount }, (_, shot) => shot);
  for (let last = shotCount - 1; last > 0; last--) {
    const other = below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
