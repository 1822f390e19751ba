import { NumericError, type TimeRange } from '../base/index.js';
import type { Shot } from '../shots/index.js';
import { budgetTicks } from './budget.js';
import type { Budget, Cut } from './types.js';

/** Shots with less than this share of the best score do not represent their video. */
export const WORTHY_SHARE = 0.5;

/** What a cut takes into account besides the ranking. */
export type CutWishes = {
  /** Shots that are in, however long they are, and shots that are not. */
  readonly pinned?: readonly number[];
  readonly vetoed?: readonly number[];
  /** How long the film of these shots would be, in ticks; by default the sum of their lengths. */
  readonly ticksOf?: (chosen: readonly number[]) => number;
  /** Whether a shot may join those chosen so far; by default any may. */
  readonly mayJoin?: (chosen: readonly number[], place: number) => boolean;
};

/**
 * The shots of a summary: walks down the ranking and takes every shot that still fits, then puts them in film order.
 * `total` is the whole video, the measure of a share; it and all shots count in one time base. Lengths are whole ticks.
 * Pinned shots are in from the start; if they alone are too long, nothing is added and `overBudget` is true. Never empty
 * unless there are no shots: if none fits, or none that fits has half the score of the best one (with `scores`), the
 * best one is taken whole and `overBudget` is true.
 */
export function cutToLength(
  ranking: readonly number[],
  shots: readonly Pick<Shot, 'range'>[],
  budget: Budget,
  total: TimeRange,
  scores?: ArrayLike<number>,
  { pinned = [], vetoed = [], ticksOf, mayJoin = () => true }: CutWishes = {},
): Cut {
  const lengths = shots.map(({ range }) => ticksIn(range, total));
  const filmTicks = ticksOf ?? ((chosen) => chosen.reduce((sum, place) => sum + lengths[place]!, 0));
  const held = new Set([...pinned, ...vetoed]);
  const free = ranking.filter((place) => !held.has(place));
  const [size, allowed] =
    budget.kind === 'shots'
      ? [(chosen: readonly number[]) => chosen.length, budget.shots]
      : [filmTicks, budgetTicks(budget, total)];
  const chosen = [...pinned];
  // If lengths simply add up, a running sum is enough: a video of ten hours has 28,000 shots to try.
  const addsUp = budget.kind === 'shots' || ticksOf === undefined;
  let used = size(chosen);
  for (const place of free) {
    const next = !addsUp ? size([...chosen, place]) : used + (budget.kind === 'shots' ? 1 : lengths[place]!);
    if (next > allowed || !mayJoin(chosen, place)) continue;
    chosen.push(place);
    used = next;
  }
  const isOver = size(pinned) > allowed;
  const best = free[0];
  const scoreOf = (place: number): number => scores?.[place] ?? 0;
  const isWorthy = (place: number): boolean => best !== undefined && scoreOf(place) >= WORTHY_SHARE * scoreOf(best);
  const misses = best !== undefined && filmTicks(pinned) === 0 && !chosen.some(isWorthy);
  if (misses) return { chosen: [best], overBudget: true };
  return { chosen: chosen.sort((a, b) => startOf(shots, a) - startOf(shots, b) || a - b), overBudget: isOver };
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
