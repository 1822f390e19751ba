import { NumericError, type TimeRange } from '../base/index.js';
import type { Shot } from '../shots/index.js';
import { budgetTicks } from './budget.js';
import type { Budget, Cut } from './types.js';

/**
 * The shots of a summary: walks down the ranking and takes every shot that still fits, then puts them in film order.
 * `total` is the whole video, the measure of a share; it and all shots count in one time base. Lengths are whole ticks.
 * Never empty unless there are no shots: when none fits, the best one is taken whole and `overBudget` says so.
 */
export function cutToLength(
  ranking: readonly number[],
  shots: readonly Pick<Shot, 'range'>[],
  budget: Budget,
  total: TimeRange,
): Cut {
  const lengths = shots.map(({ range }) => ticksIn(range, total));
  const chosen =
    budget.kind === 'shots' ? ranking.slice(0, budget.shots) : fitting(ranking, lengths, budgetTicks(budget, total));
  const best = ranking[0];
  if (chosen.length === 0 && best !== undefined) return { chosen: [best], overBudget: true };
  return { chosen: chosen.sort((a, b) => startOf(shots, a) - startOf(shots, b) || a - b), overBudget: false };
}

function fitting(ranking: readonly number[], lengths: readonly number[], allowedTicks: number): number[] {
  let left = allowedTicks;
  return ranking.filter((place) => {
    const length = lengths[place] as number;
    if (length > left) return false;
    left -= length;
    return true;
  });
}

function startOf(shots: readonly Pick<Shot, 'range'>[], place: number): number {
  return (shots[place] as Shot).range.start;
}

function ticksIn(range: TimeRange, total: TimeRange): number {
  if (range.base.num !== total.base.num || range.base.den !== total.base.den) {
    throw new NumericError(
      'mixed-time-bases',
      `Expected shots on the video's clock of ${total.base.num}/${total.base.den} s, found ${range.base.num}/${range.base.den} s.`,
    );
  }
  return range.end - range.start;
}
