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
  /** What the film plays of it at least, and what its clip may grow to, in ticks; by default its whole length. */
  readonly leastTicks?: number;
  readonly mostTicks?: number;
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
  /** What is known about moments; without it the ranking alone decides. */
  readonly moments?: TopicMoments;
  /** Shots that are in, whatever their length and likeness; if they alone are too long, nothing is added. */
  readonly pinned?: readonly number[];
  /** The most seconds of one source; `null` for no limit. */
  readonly perSource: number | null;
  /** Seconds by which two clips overlap where they fade into each other; default none. */
  readonly fade?: number;
  /** Seconds of the film that its title takes; default none. */
  readonly title?: number;
  /** Whether two pooled shots, by their places, show nearly the same; only one of them is taken. */
  isAlike(a: number, b: number): boolean;
  /** Whether they show one view of one video: another one is taken only if nothing else would make the film as long as asked for. */
  isSameView?(a: number, b: number): boolean;
};

/** What pooled shots are worth, and what several videos show. */
type TopicMoments = {
  /** The standardised rank of each pooled shot in its own video: above 0 in its better half. */
  readonly standing: ArrayLike<number>;
  /** The moment of each pooled shot; `null` if no other video shows it. */
  readonly of: readonly (number | null)[];
  /** What the first shot of each moment adds to its standing. */
  readonly bonus: readonly number[];
};

/** Shots of the film as places in the pool, in the order they were taken. */
export type TopicCut = {
  readonly chosen: readonly number[];
  /** True if the film is longer than asked for: pinned shots alone are, or no shot fits, so the best one is taken whole. */
  readonly overBudget: boolean;
};

/**
 * Which pooled shots make the film: takes the best shot (first in the ranking, places in the pool) that still fits and is
 * not alike to one already taken, again and again; with `balance`, in rounds of one shot per source. There shots that hardly
 * matter wait for all others, unless they are the first of their source. With moments, the best shot is the one with the
 *   largest  standing + bonus of its moment if the film does not show that moment yet,
 * so that what many videos show comes before what is only strong. A shot fits if what the film must play of all of them does
 * and the film is not full. Views that were shown are shown again only if the film would be too short with all clips as long
 * as they can be. Lengths are exact across clocks. Never empty unless the pool is: if nothing fits, the best shot is taken.
 */
export function chooseForTopic(ranking: readonly number[], pool: readonly PooledShot[], rules: TopicRules): TopicCut {
  const room = openRoom(pool, rules);
  const chosen: number[] = [...(rules.pinned ?? [])];
  for (const place of chosen) room.claim(place);
  const isOver = room.isOver();
  const pinned = new Set(chosen);
  const nextOf = openQueue(chosen, rules);
  const { isAlike, isSameView = () => false } = rules;
  const isShown = (place: number): boolean => chosen.some((other) => isSameView(place, other));
  const fill = (places: readonly number[], maySkip: (place: number) => boolean): void => {
    for (let waiting of groupsOf(places, pool, rules)) {
      let served = new Set<number>();
      while (waiting.length > 0) {
        const free = rules.balance ? waiting.filter((place) => !served.has(pool[place]!.source)) : waiting;
        if (free.length === 0) {
          served = new Set();
          continue;
        }
        const place = nextOf(free);
        // What does not fit now never will: room only shrinks. What is alike to a chosen shot stays so.
        waiting = waiting.filter((other) => other !== place);
        if (chosen.some((other) => isAlike(place, other)) || maySkip(place) || !room.take(place)) continue;
        served.add(pool[place]!.source);
        chosen.push(place);
      }
    }
  };
  fill(ranking.filter((place) => !pinned.has(place)), isShown); // prettier-ignore
  fill(ranking.filter((place) => !chosen.includes(place) && isShown(place)), () => !room.isShort()); // prettier-ignore
  const best = ranking[0];
  return chosen.length === 0 && best !== undefined
    ? { chosen: [best], overBudget: true }
    : { chosen, overBudget: isOver };
}

/** Gives the best of some places, in the order of the ranking, after those `chosen` so far. */
function openQueue(chosen: readonly number[], { moments }: TopicRules): (free: readonly number[]) => number {
  if (moments === undefined) return (free) => free[0]!;
  const { standing, of, bonus } = moments;
  return (free) => {
    const shown = new Set(chosen.map((place) => of[place]));
    const worth = (place: number): number => {
      const moment = of[place] ?? null;
      return standing[place]! + (moment === null || shown.has(moment) ? 0 : bonus[moment]!);
    };
    return free.reduce((best, place) => (worth(place) > worth(best) ? place : best));
  };
}

/** The shots that take turns first, and those that wait for them: less than half the best score, or the worse half of a video. */
function groupsOf(
  ranking: readonly number[],
  pool: readonly PooledShot[],
  { balance, scores, moments }: TopicRules,
): readonly (readonly number[])[] {
  const best = ranking[0];
  if (!balance || best === undefined || (scores === undefined && moments === undefined)) return [ranking];
  const first = new Map(ranking.toReversed().map((place) => [pool[place]!.source, place]));
  const isWorthy = (place: number): boolean =>
    moments ? moments.standing[place]! >= 0 : scores![place]! >= WORTHY_SHARE * scores![best]!;
  const matters = (place: number): boolean => first.get(pool[place]!.source) === place || isWorthy(place);
  return [ranking.filter(matters), ranking.filter((place) => !matters(place))];
}

/** What is left of the budget, of the whole film and of each source. */
function openRoom(
  pool: readonly PooledShot[],
  { budget, footage, perSource, fade = 0, title = 0 }: TopicRules,
): {
  take(place: number): boolean;
  claim(place: number): void;
  isOver(): boolean;
  /** Whether the film is shorter than asked for even with every clip as long as it can be. */
  isShort(): boolean;
} {
  const upTo = (end: number, { range: { base } }: PooledShot): TimeRange => ({ start: 0, end, base });
  const { lengths, perSecond } = commonLengths([
    ...pool.map(({ range }) => range),
    ...footage,
    ...pool.map((shot) => upTo(shot.leastTicks ?? lengthOf(shot), shot)),
    ...pool.map((shot) => upTo(shot.mostTicks ?? lengthOf(shot), shot)),
  ]);
  const [whole, videos, least, most] = split(lengths, [pool.length, footage.length, pool.length, pool.length]);
  const unit = { num: 1n, den: perSecond };
  const total = videos!.reduce((sum, length) => sum + length, 0n);
  const inUnits = (seconds: number): bigint => budgetUnits({ kind: 'seconds', seconds }, total, unit);
  const allowed = budget.kind === 'shots' ? null : budgetUnits(budget, total, unit) - inUnits(title);
  const maxOfSource = perSource === null ? null : inUnits(perSource);
  const overlap = inUnits(fade);
  const sums = { least: 0n, whole: 0n, most: 0n };
  let count = 0;
  const taken = new Map<number, bigint>();
  /** What a fade takes away: at most half of the clip. */
  const lostAt = (place: number): bigint => (count === 0 ? 0n : min(overlap, least![place]! / 2n));
  const claim = (place: number): void => {
    const { source } = pool[place]!;
    taken.set(source, (taken.get(source) ?? 0n) + least![place]!);
    const lost = lostAt(place);
    count++;
    sums.least += least![place]! - lost;
    sums.whole += max(least![place]!, whole![place]!) - lost;
    sums.most += max(most![place]!, whole![place]!) - lost;
  };
  return {
    claim,
    isOver: () => (budget.kind === 'shots' ? count > budget.shots : sums.least > allowed!),
    isShort: () => allowed === null || sums.most < allowed,
    take(place) {
      const length = least![place]!;
      if (maxOfSource !== null && (taken.get(pool[place]!.source) ?? 0n) + length > maxOfSource) return false;
      if (budget.kind === 'shots' && count >= budget.shots) return false;
      if (allowed !== null && (sums.least + length - lostAt(place) > allowed || sums.whole >= allowed)) return false;
      claim(place);
      return true;
    },
  };
}

const lengthOf = ({ range }: PooledShot): number => range.end - range.start;
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** A list as lists of so many each. */
function split<T>(list: readonly T[], counts: readonly number[]): T[][] {
  let from = 0;
  return counts.map((count) => list.slice(from, (from += count)));
}
