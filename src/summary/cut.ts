import { NumericError, type TimeRange } from '../base/index.js';
import type { Shot } from '../shots/index.js';
import { budgetTicks } from './budget.js';
import type { Budget, Cut } from './types.js';

/** A summary of shots that matter less than this share of the best one would not stand for its video. */
const WORTHY_SHARE = 0.5;

/**
 * The shots of a summary: walks down the ranking and takes every shot that still fits, then puts them in film order.
 * `total` is the whole video, the measure of a share; it and all shots count in one time base. Lengths are whole ticks.
 * Never empty unless there are no shots: when none fits, or none that fits matters half as much as the best shot (by
 * `scores`, where given), the best one is taken whole and `overBudget` says so.
 */
export function cutToLength(
  ranking: readonly number[],
  shots: readonly Pick<Shot, 'range'>[],
  budget: Budget,
  total: TimeRange,
  scores?: ArrayLike<number>,
): Cut {
  const lengths = shots.map(({ range }) => ticksIn(range, total));
  const chosen =
    budget.kind === 'shots' ? ranking.slice(0, budget.shots) : fitting(ranking, lengths, budgetTicks(budget, total));
  const best = ranking[0];
  const scoreOf = (place: number): number => scores?.[place] ?? 0;
  const misses = best !== undefined && !chosen.some((place) => scoreOf(place) >= WORTHY_SHARE * scoreOf(best));
  if (misses) return { chosen: [best], overBudget: true };
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
