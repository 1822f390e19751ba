import { compareTimes, NumericError } from '../base/index.js';
import type { Shot } from '../shots/index.js';
import type { CutWishes } from './cut.js';
import type { Importance } from './types.js';

/** What decides a tie between shots. */
type Timed = Pick<Shot, 'range'>;

/**
 * Places of the shots, most important first. Shots with a score above zero come by decreasing score; of equal scores the
 * shorter shot, then the earlier one, compared exactly in ticks. Shots with score zero follow in the selector's order.
 * Pinned shots come before all others, then good ones, then flawed ones, then vetoed ones, each group in that order.
 */
export function rankShots(
  { scores, order }: Importance,
  shots: readonly Timed[],
  { pinned = [], vetoed = [], flawed = [] }: Pick<CutWishes, 'pinned' | 'vetoed' | 'flawed'> = {},
): number[] {
  checkImportance(scores, order, shots.length);
  const scoreOf = (place: number): number => scores[place] as number;
  const places = Array.from(order);
  const scored = places.filter((place) => scoreOf(place) > 0);
  const unscored = places.filter((place) => scoreOf(place) === 0);
  scored.sort(
    (a, b) =>
      scoreOf(b) - scoreOf(a) || compareLengths(shots[a] as Timed, shots[b] as Timed) || compareStarts(shots, a, b),
  );
  const groups = [new Set(pinned), new Set(vetoed), new Set(flawed)] as const;
  const groupOf = (place: number): number =>
    groups[0].has(place) ? 0 : groups[1].has(place) ? 3 : groups[2].has(place) ? 2 : 1;
  return [...scored, ...unscored].sort((a, b) => groupOf(a) - groupOf(b));
}

function compareLengths(a: Timed, b: Timed): number {
  return compareTimes(
    { ticks: a.range.end - a.range.start, base: a.range.base },
    { ticks: b.range.end - b.range.start, base: b.range.base },
  );
}

function compareStarts(shots: readonly Timed[], a: number, b: number): number {
  const [first, second] = [(shots[a] as Timed).range, (shots[b] as Timed).range];
  return compareTimes({ ticks: first.start, base: first.base }, { ticks: second.start, base: second.base }) || a - b;
}

function checkImportance(scores: ArrayLike<number>, order: ArrayLike<number>, shotCount: number): void {
  if (scores.length !== shotCount || order.length !== shotCount) {
    throw new NumericError(
      'bad-ranking',
      `Expected a score and a place for each of ${shotCount} shots, found ${scores.length} scores and ${order.length} places.`,
    );
  }
  const seen = new Set<number>();
  for (let i = 0; i < shotCount; i++) {
    const [score, place] = [scores[i] as number, order[i] as number];
    if (!(score >= 0 && score < Infinity)) {
      throw new NumericError('bad-score', `Expected scores of zero or more, found ${score} for shot ${i}.`);
    }
    if (!Number.isInteger(place) || place < 0 || place >= shotCount || seen.has(place)) {
      throw new NumericError('bad-ranking', `Expected every shot once in the order, found ${place} at place ${i}.`);
    }
    seen.add(place);
  }
}
