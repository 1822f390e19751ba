import type { TimeRange } from '../base/index.js';
import { budgetUnits } from './budget.js';
import { commonLengths } from './common-lengths.js';
import { WORTHY_SHARE } from './cut.js';
import type { Budget } from './types.js';

/** A shot that may go into the film of a topic. */
export type PooledShot = {
  /** The video it is from, as a number that no other video has. */
  readonly source: number;
  readonly range: TimeRange;
};

/** The limits of the film of a topic. */
export type TopicRules = {
  readonly budget: Budget;
  /** The videos whole: what a share is a share of. */
  readonly footage: readonly TimeRange[];
  /** Sources take turns: none gets another shot before every other source that has one. */
  readonly balance: boolean;
  /** Importance of each pooled shot: if sources take turns, shots that hardly matter wait for those that do. */
  readonly scores?: ArrayLike<number>;
  /** Shots that are in, whatever their length and likeness; if they alone are too long, nothing is added. */
  readonly pinned?: readonly number[];
  /** The most seconds of one source; `null` for no limit. */
  readonly perSource: number | null;
  /** Whether two pooled shots, by their places, show nearly the same; only one of them is taken. */
  isAlike(a: number, b: number): boolean;
};

/** Shots of the film as places in the pool, in the order they were taken. */
export type TopicCut = {
  readonly chosen: readonly number[];
  /** True if the film is longer than asked for: pinned shots alone are, or no shot fits, so the best one is taken whole. */
  readonly overBudget: boolean;
};

/**
 * Which pooled shots make the film: walks down the ranking (places in the pool, best first) and takes every shot that
 * still fits and is not alike to one already taken; with `balance`, in rounds of one shot per source. There a
 * shot with less than half the score of the best waits for all others, unless it is the first of its source. Lengths are
 * exact across clocks. Never empty unless the pool is: if nothing fits, the best shot is taken whole.
 */
export function chooseForTopic(ranking: readonly number[], pool: readonly PooledShot[], rules: TopicRules): TopicCut {
  const room = openRoom(pool, rules);
  const chosen: number[] = [...(rules.pinned ?? [])];
  for (const place of chosen) room.claim(place);
  const isOver = room.isOver();
  /** One walk down the ranking; returns the shots that wait for the next one. */
  const walk = (places: readonly number[]): number[] => {
    const served = new Set<number>();
    return places.filter((place) => {
      const { source } = pool[place]!;
      if (rules.balance && served.has(source)) return true;
      // What does not fit now never will: room only shrinks. What is alike to a chosen shot stays so.
      if (chosen.some((other) => rules.isAlike(place, other)) || !room.take(place)) return false;
      served.add(source);
      chosen.push(place);
      return false;
    });
  };
  const pinned = new Set(chosen);
  const free = ranking.filter((place) => !pinned.has(place));
  for (let waiting of groupsOf(free, pool, rules)) while (waiting.length > 0) waiting = walk(waiting);
  const best = ranking[0];
  return chosen.length === 0 && best !== undefined
    ? { chosen: [best], overBudget: true }
    : { chosen, overBudget: isOver };
}

/** The shots that take turns first, and those that wait for them. */
function groupsOf(
  ranking: readonly number[],
  pool: readonly PooledShot[],
  { balance, scores }: TopicRules,
): readonly (readonly number[])[] {
  const best = ranking[0];
  if (!balance || scores === undefined || best === undefined) return [ranking];
  const first = new Map(ranking.toReversed().map((place) => [pool[place]!.source, place]));
  const matters = (place: number): boolean =>
    first.get(pool[place]!.source) === place || scores[place]! >= WORTHY_SHARE * scores[best]!;
  return [ranking.filter(matters), ranking.filter((place) => !matters(place))];
}

/** What is left of the budget, of the whole film and of each source. */
function openRoom(
  pool: readonly PooledShot[],
  { budget, footage, perSource }: TopicRules,
): {
  take(place: number): boolean;
  claim(place: number): void;
  isOver(): boolean;
} {
  const { lengths, perSecond } = commonLengths([...pool.map(({ range }) => range), ...footage]);
  const unit = { num: 1n, den: perSecond };
  const total = lengths.slice(pool.length).reduce((sum, length) => sum + length, 0n);
  let left = budget.kind === 'shots' ? total : budgetUnits(budget, total, unit);
  let shotsLeft = budget.kind === 'shots' ? budget.shots : pool.length;
  const most = perSource === null ? total : budgetUnits({ kind: 'seconds', seconds: perSource }, total, unit);
  const taken = new Map<number, bigint>();
  const claim = (place: number): void => {
    const [{ source }, length] = [pool[place]!, lengths[place]!];
    taken.set(source, (taken.get(source) ?? 0n) + length);
    left -= length;
    shotsLeft--;
  };
  return {
    claim,
    isOver: () => left < 0n || shotsLeft < 0,
    take(place) {
      const length = lengths[place]!;
      const ofSource = (taken.get(pool[place]!.source) ?? 0n) + length;
      if (shotsLeft <= 0 || length > left || ofSource > most) return false;
      claim(place);
      return true;
    },
  };
}
