import { NumericError, type TimeRange, compareTimes } from '../base/index.js';
import type { Shot } from '../shots/index.js';
import { budgetTicks, type Budget, type Cut, type Importance } from './budget.js';

/** Shots with less than this share of the best score do not represent their video. */
export const WORTHY_SHARE = 0.5;

/** Parts that a film of `allowed` ticks divides its video into, if a clip has about `clip` ticks: one for each clip. */
export function partsFor(allowed: number, clip: number): number {
  return Math.floor(allowed / clip);
}

/** What a cut takes into account besides the ranking. */
export type CutWishes = {
  /** Shots that are in, however long they are, and shots that are not. */
  readonly pinned?: readonly number[];
  readonly vetoed?: readonly number[];
  /** Shots with bad pictures: in only if they are pinned, or if there are no others. */
  readonly flawed?: readonly number[];
  /** How long the film of these shots would be, in ticks; by default the sum of their lengths. */
  readonly ticksOf?: (chosen: readonly number[]) => number;
  /** Whether a shot may join those chosen so far; by default any may. */
  readonly mayJoin?: (chosen: readonly number[], place: number) => boolean;
  /** What a film plays of a shot at least, in ticks, where clips may be trimmed; by default its whole length. */
  readonly leastOf?: (place: number) => number;
  /** Ticks by which two clips overlap where they fade into each other; default none. */
  readonly overlap?: number;
  /** The view that each shot shows; by default every shot shows its own. */
  readonly views?: ArrayLike<number>;
  /** The number of clips that are to cover the video before the rest is filled; by default it is not covered. */
  readonly parts?: number;
  /** Whether a shot continues a chosen one, so that both are one clip of one take. */
  readonly continues?: (chosen: ReadonlySet<number>, place: number) => boolean;
};

/**
 * The shots of a summary, in film order. Walks down the ranking and takes every shot that still fits, in four rounds:
 *   1. shots of new views that together cover the video (`coverBy`)
 *   2. shots that show a new view
 *   3. shots that continue a chosen one
 *   4. any shot, the view shown least often first
 * Without parts and views, that is one walk. `total` is the whole video, the measure of a share; it and all shots count in one
 * time base. Lengths are whole ticks. A shot fits if what the film must play of all of them does (`leastOf`) and the film is
 * not full. Pinned shots are in from the start; if they alone are too long, nothing is added and `overBudget` is true. Never
 * empty unless there are no shots: flawed ones are in if nothing else is left; if none fits, or none that fits has half the score of the best one (with `scores`), the
 * best one is taken and `overBudget` is true.
 */
export function cutToLength(
  ranking: readonly number[],
  shots: readonly Pick<Shot, 'range'>[],
  budget: Budget,
  total: TimeRange,
  scores?: ArrayLike<number>,
  wishes: CutWishes = {},
): Cut {
  const {
    pinned = [],
    vetoed = [],
    flawed = [],
    ticksOf,
    mayJoin = () => true,
    views,
    parts = 0,
    continues,
    overlap = 0,
  } = wishes;
  const lengths = shots.map(({ range }) => ticksIn(range, total));
  const leastOf = wishes.leastOf ?? ((place: number) => lengths[place]!);
  const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);
  const filmTicks = ticksOf ?? ((chosen) => sum(chosen.map(leastOf)));
  const [held, bad] = [new Set([...pinned, ...vetoed]), new Set(flawed)];
  const waiting = ranking.filter((place) => !held.has(place));
  const good = waiting.filter((place) => !bad.has(place));
  const free = good.length + pinned.length > 0 ? good : waiting;
  const byCount = budget.kind === 'shots';
  const allowed = byCount ? budget.shots : budgetTicks(budget, total);
  const taken = new Set(pinned);
  const shown = new Map<number, number>();
  const viewOf = (place: number): number => views?.[place] ?? place;
  const timesShown = (place: number): number => shown.get(viewOf(place)) ?? 0;
  // Running sums: a video of ten hours has 28,000 shots to try.
  let [least, whole] = [0, 0];
  const add = (place: number): void => {
    const lost = taken.size > 0 ? overlap : 0;
    taken.add(place);
    shown.set(viewOf(place), timesShown(place) + 1);
    least += leastOf(place) - lost;
    whole += Math.max(leastOf(place), lengths[place]!) - lost;
  };
  const fits = (place: number): boolean => {
    if (byCount) return taken.size < allowed;
    if (ticksOf) return ticksOf([...taken, place]) <= allowed;
    return least + leastOf(place) - (taken.size > 0 ? overlap : 0) <= allowed && whole < allowed;
  };
  const walk = (places: readonly number[], isWanted: (place: number) => boolean): void => {
    for (const place of places)
      if (!taken.has(place) && isWanted(place) && fits(place) && mayJoin([...taken], place)) add(place);
  };
  for (const place of pinned) add(place);
  const isNew = (place: number): boolean => timesShown(place) === 0;
  if (views && parts > 0) walk(coverBy(free, pinned, shots, total, views, parts), isNew);
  walk(free, isNew);
  if (views && continues && !byCount) {
    for (let before = -1; before < taken.size;) {
      before = taken.size;
      walk(free, (place) => continues(taken, place));
    }
  }
  if (views) {
    const left = free.filter((place) => !taken.has(place));
    for (
      let [times, before] = [1, -1];
      before < taken.size || left.some((place) => timesShown(place) >= times);
      times++
    ) {
      before = taken.size;
      walk(left, (place) => timesShown(place) <= times);
      if (times > left.length) break;
    }
  }
  const chosen = [...taken];
  const isOver = byCount ? pinned.length > allowed : filmTicks(pinned) > allowed;
  const best = free[0];
  const scoreOf = (place: number): number => scores?.[place] ?? 0;
  const isWorthy = (place: number): boolean => best !== undefined && scoreOf(place) >= WORTHY_SHARE * scoreOf(best);
  const misses = best !== undefined && filmTicks(pinned) === 0 && !chosen.some(isWorthy);
  if (misses) return { chosen: [best], overBudget: true };
  return { chosen: chosen.sort((a, b) => startOf(shots, a) - startOf(shots, b) || a - b), overBudget: isOver };
}

/** Of shots that show one view, those with at least this share of the best score may stand in for it. */
const NEARLY_AS_GOOD = 0.8;

/**
 * The order with the better picture first: where another shot of a view is nearly as important as the first one and its
 * pictures are better, the two change places. `qualityOf` is asked once per shot.
 */
export function preferBetterPictures(
  order: readonly number[],
  views: ArrayLike<number>,
  scores: ArrayLike<number>,
  qualityOf: (shot: number) => number,
): number[] {
  const first = new Map<number, { place: number; best: number; quality: number }>();
  for (const [place, shot] of order.entries()) {
    const leader = first.get(views[shot]!);
    if (leader === undefined) {
      first.set(views[shot]!, { place, best: place, quality: qualityOf(shot) });
    } else if (scores[shot]! >= NEARLY_AS_GOOD * scores[order[leader.place]!]!) {
      const quality = qualityOf(shot);
      if (quality > leader.quality) Object.assign(leader, { best: place, quality });
    }
  }
  const better = [...order];
  for (const { place, best } of first.values()) [better[place], better[best]] = [order[best]!, order[place]!];
  return better;
}

/**
 * Shots that with the pinned ones are at most `count` and together cover a video, with as many as possible from the top of the order. A shot speaks for a
 * `count`-th of the video before and after its middle. Each shows another view; a stretch whose views are all among them has
 * none of its own. The best shots come first, then those that fill the gaps between them.
 */
export function coverBy(
  order: readonly number[],
  pinned: readonly number[],
  shots: readonly Pick<Shot, 'range'>[],
  total: TimeRange,
  views: ArrayLike<number>,
  count: number,
): number[] {
  const reach = (total.end - total.start) / count;
  const middles = shots.map(({ range }) => (range.start + range.end) / 2);
  const rankOf = new Map(order.map((shot, rank) => [shot, rank]));
  const seen = new Set(pinned.map((shot) => views[shot]));
  const fresh = order.filter((shot) => !seen.has(views[shot]) && seen.add(views[shot]));
  /** The first `top` of the order, and what fills the gaps between them. */
  const cover = (top: number): number[] => {
    const best = fresh.slice(0, top);
    const shown = new Set([...pinned, ...best].map((shot) => views[shot]));
    const fillers: number[] = [];
    /** The best shot of a new view with its middle after `low` and at or before `high`. */
    const bestIn = (low: number, high: number): number | null => {
      let best: number | null = null;
      for (let shot = firstAfter(middles, low); shot < shots.length && middles[shot]! <= high; shot++) {
        if (!rankOf.has(shot) || shown.has(views[shot])) continue;
        if (best === null || rankOf.get(shot)! < rankOf.get(best)!) best = shot;
      }
      return best;
    };
    let last = total.start - reach;
    for (const next of [
      ...[...pinned, ...best].map((shot) => middles[shot]!).sort((a, b) => a - b),
      total.end + reach,
    ]) {
      while (next - last > 2 * reach) {
        const high = last + 2 * reach;
        // One shot fills a gap if it is near enough to both of its ends; otherwise the gap shrinks by one reach or more.
        const filler = (next - 2 * reach <= high ? bestIn(next - 2 * reach, high) : null) ?? bestIn(last + reach, high);
        if (filler !== null) {
          fillers.push(filler);
          shown.add(views[filler]);
        }
        // Without one, everything up to `high` is shown elsewhere.
        last = filler === null ? high - reach : middles[filler]!;
      }
      last = next;
    }
    return [...best, ...fillers];
  };
  let [low, high] = [0, Math.min(count, fresh.length)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pinned.length + cover(middle).length <= count) low = middle;
    else high = middle - 1;
  }
  return cover(low);
}

/** The first of rising values that is greater than `value`. */
function firstAfter(values: readonly number[], value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
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
