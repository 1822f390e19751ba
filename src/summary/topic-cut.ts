import { type TimeRange, toSeconds } from '../base/index.js';
import { budgetUnits, commonLengths, type Budget } from './budget.js';
import { WORTHY_SHARE } from './cut.js';
import type { FrameRange } from '../shots/index.js';
import { clipsOf, type EditableClips, clipOf, ticksOf } from './clips.js';
import type { Clip, TopicShot } from './document.js';

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
  /** What a shot is worth less if it continues one in the film, in standard deviations. */
  readonly continued: number;
  /** Sources take turns until the film has so many shots of each on average; then the best comes next, whoever shows it. */
  readonly turns: number;
  /** Shots that stand lower than this wait for all others, unless they are the first of their source. */
  readonly worthy: number;
  /** Shots that follow each other in one video may show one view up to this many seconds: they play as one clip. */
  readonly longestRun: number;
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
 *   largest  standing + bonus of its moment if the film does not show that moment yet − continued if it touches a chosen shot,
 * so that what many videos show comes before what is only strong, and the new before more of the same. A shot that continues
 * a chosen one makes its clip longer and shows nothing twice, up to `longestRun`. A shot fits if what the film must play of all of them does
 * and the film is not full. Views that were shown are shown again only if the film would be too short with all clips as long
 * as they can be. Lengths are exact across clocks. Never empty unless the pool is: if nothing fits, the best shot is taken.
 */
export function chooseForTopic(ranking: readonly number[], pool: readonly PooledShot[], rules: TopicRules): TopicCut {
  const room = openRoom(pool, rules);
  const chosen: number[] = [...(rules.pinned ?? [])];
  for (const place of chosen) room.claim(place);
  const isOver = room.isOver();
  const pinned = new Set(chosen);
  const nextOf = openQueue(chosen, pool, rules);
  const { isAlike, isSameView = () => false } = rules;
  /** The chosen shots that a place must not repeat: all but those that it continues. */
  const notContinued = (place: number): readonly number[] => {
    const run = rules.moments === undefined ? [] : runOf(place, chosen, pool, rules.moments.longestRun);
    return run.length === 0 ? chosen : chosen.filter((other) => !run.includes(other));
  };
  const sourceCount = new Set(pool.map(({ source }) => source)).size;
  const takeTurns = (): boolean => rules.balance && chosen.length < (rules.moments?.turns ?? Infinity) * sourceCount;
  const isShown = (place: number): boolean => notContinued(place).some((other) => isSameView(place, other));
  const fill = (places: readonly number[], maySkip: (place: number) => boolean): void => {
    for (const { shots, rounds } of groupsOf(places, rules)) {
      let waiting = shots.filter((place) => !chosen.includes(place));
      let [served, round] = [new Set<number>(), 1];
      while (waiting.length > 0) {
        const free = takeTurns() ? waiting.filter((place) => !served.has(pool[place]!.source)) : waiting;
        if (free.length === 0) {
          if (round++ === rounds) break;
          served = new Set();
          continue;
        }
        const place = nextOf(free);
        // What does not fit now never will: room only shrinks. What is alike to a chosen shot stays so.
        waiting = waiting.filter((other) => other !== place);
        if (notContinued(place).some((other) => isAlike(place, other)) || maySkip(place) || !room.take(place)) continue;
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
function openQueue(
  chosen: readonly number[],
  pool: readonly PooledShot[],
  { moments }: TopicRules,
): (free: readonly number[]) => number {
  if (moments === undefined) return (free) => free[0]!;
  const { standing, of, bonus, continued } = moments;
  return (free) => {
    const shown = new Set(chosen.map((place) => of[place]));
    const starts = new Set(chosen.map((place) => edgeOf(pool[place]!, 'start')));
    const ends = new Set(chosen.map((place) => edgeOf(pool[place]!, 'end')));
    const worth = (place: number): number => {
      const moment = of[place] ?? null;
      const added = moment === null || shown.has(moment) ? 0 : bonus[moment]!;
      const isContinued = ends.has(edgeOf(pool[place]!, 'start')) || starts.has(edgeOf(pool[place]!, 'end'));
      return standing[place]! + added - (isContinued ? continued : 0);
    };
    return free.reduce((best, place) => (worth(place) > worth(best) ? place : best));
  };
}

/** Where a shot begins or ends in its video. */
function edgeOf({ source, range }: PooledShot, edge: 'start' | 'end'): string {
  return `${source} ${range[edge]}`;
}

/** Whether one shot begins where the other ends. */
function touch(a: PooledShot, b: PooledShot): boolean {
  return a.source === b.source && (a.range.end === b.range.start || b.range.end === a.range.start);
}

/** The chosen shots that would play without a cut with this one; none if they would be too long together. */
function runOf(
  place: number,
  chosen: readonly number[],
  pool: readonly PooledShot[],
  longestS: number,
): readonly number[] {
  const run = [place];
  for (let at = 0; at < run.length; at++) {
    for (const other of chosen) if (!run.includes(other) && touch(pool[run[at]!]!, pool[other]!)) run.push(other);
  }
  const ticks = run.reduce((sum, member) => sum + lengthOf(pool[member]!), 0);
  return toSeconds(ticks, pool[place]!.range.base) > longestS ? [] : run.slice(1);
}

/**
 * The shots in the order in which they are asked: first one of every source, the best that repeats nothing; then those that
 * matter; then those that wait for them: less than half the best score, or a low standing.
 */
function groupsOf(
  ranking: readonly number[],
  { balance, scores, moments }: TopicRules,
): readonly { readonly shots: readonly number[]; readonly rounds: number }[] {
  const best = ranking[0];
  const all = { shots: ranking, rounds: Infinity };
  if (!balance || best === undefined || (scores === undefined && moments === undefined)) return [all];
  const matters = (place: number): boolean =>
    moments ? moments.standing[place]! >= moments.worthy : scores![place]! >= WORTHY_SHARE * scores![best]!;
  return [
    { shots: ranking, rounds: 1 },
    { shots: ranking.filter(matters), rounds: Infinity },
    { shots: ranking.filter((place) => !matters(place)), rounds: Infinity },
  ];
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

/** A shot of a moment, as a place in the pool, and how alike it is to the first of them. */
type Member = { readonly place: number; readonly similarity: number };

/** Shots of different videos that show the same thing. */
export type SharedMoment = {
  /** First the shot that the others were compared with, then these, most similar first. */
  readonly members: readonly Member[];
  /** How many videos show it; two or more. */
  readonly videos: number;
};

/** What moments are found in: the video of each pooled shot, and how alike two of them are. */
export type Likeness = {
  readonly sources: readonly number[];
  /** Symmetric; shots show the same thing from `from` up. */
  similarity(a: number, b: number): number;
  readonly from: number;
};

/**
 * Groups shots into moments, each shot into one at most. The shot that most videos show (of several the one with the most
 * similarity in sum, then the first) and all that show the same as it are a moment; then again among the shots left, until
 * no shot is shown by another video. Groups have a middle, so that chains of similar shots do not become one moment.
 */
export function findMoments({ sources: given, similarity, from }: Likeness): SharedMoment[] {
  const ids = [...new Set(given)];
  const [sources, videoCount] = [given.map((source) => ids.indexOf(source)), ids.length];
  const near: Member[][] = given.map(() => []);
  for (let a = 0; a < near.length; a++) {
    for (let b = 0; b < a; b++) {
      const value = similarity(a, b);
      if (value < from) continue;
      near[a]!.push({ place: b, similarity: value });
      near[b]!.push({ place: a, similarity: value });
    }
  }
  // For each shot: how many shots of each video show the same, how many videos do, and the sum of their similarities.
  const counts = new Uint16Array(sources.length * videoCount);
  const [videos, sums] = [new Int32Array(sources.length), new Float64Array(sources.length)];
  const count = (place: number, source: number, by: 1 | -1): void => {
    const at = place * videoCount + source;
    const before = counts[at]!;
    counts[at] = before + by;
    if (before === 0) videos[place]!++;
    else if (before + by === 0) videos[place]!--;
  };
  near.forEach((list, place) => {
    count(place, sources[place]!, 1);
    for (const other of list) {
      count(place, sources[other.place]!, 1);
      sums[place]! += other.similarity;
    }
  });
  const left = new Set(sources.keys());
  const remove = (place: number): void => {
    left.delete(place);
    for (const other of near[place]!) {
      count(other.place, sources[place]!, -1);
      sums[other.place]! -= other.similarity;
    }
  };
  const moments: SharedMoment[] = [];
  for (;;) {
    let middle: number | null = null;
    for (const place of left) {
      const lead = middle === null ? 1 : videos[place]! - videos[middle]! || sums[place]! - sums[middle]!;
      if (lead > 0) middle = place;
    }
    if (middle === null || videos[middle]! < 2) return moments;
    const others = near[middle]!.filter(({ place }) => left.has(place));
    const members = others.toSorted((a, b) => b.similarity - a.similarity || a.place - b.place);
    moments.push({
      members: [{ place: middle, similarity: similarity(middle, middle) }, ...members],
      videos: videos[middle]!,
    });
    for (const { place } of moments.at(-1)!.members) remove(place);
  }
}

/** A stretch of one video that the film of a topic plays without a cut, and the shots it is made of. */
export type TopicClip<S extends FilmShot = TopicShot> = {
  readonly video: string;
  readonly clip: Clip;
  readonly shots: readonly S[];
};
type FilmShot = Pick<TopicShot, 'video' | 'startFrame' | 'endFrame' | 'range'>;

/** The stretches a film of many videos plays, in its order: shots that follow each other in one video become one clip. */
export function topicClipsOf<S extends FilmShot>(shots: readonly S[]): TopicClip<S>[] {
  const clips: TopicClip<S>[] = [];
  for (const shot of shots) {
    const last = clips.at(-1);
    const joined = last?.video === shot.video ? clipsOf([last.clip, shot]) : [];
    if (last !== undefined && joined.length === 1 && joined[0]!.startFrame === last.clip.startFrame) {
      clips[clips.length - 1] = { video: last.video, clip: joined[0]!, shots: [...last.shots, shot] };
    } else clips.push({ video: shot.video, clip: clipsOf([shot])[0]!, shots: [shot] });
  }
  return clips;
}

/**
 * What shots of one video play of its edited clips: each from its own start, the first of a clip from the start of the clip,
 * to the start of the next or the end of the clip. A shot that is left with less than `visible` ticks gives way to its
 * neighbour; `null` for those that play nothing.
 */
export function divideClips(
  plays: readonly FrameRange[],
  { pieces, origins, clock }: Pick<EditableClips, 'pieces' | 'origins' | 'clock'>,
  visible: number,
): (Clip | null)[] {
  const parts = plays.map((): FrameRange | null => null);
  for (const [at, { startFrame, endFrame, fixed }] of pieces.entries()) {
    const origin = origins[at]!;
    let members = [...plays.keys()]
      .filter((place) => plays[place]!.startFrame < origin.endFrame && plays[place]!.endFrame > origin.startFrame)
      .sort((a, b) => plays[a]!.startFrame - plays[b]!.startFrame);
    const edgeOf = (nth: number): number => {
      const member = members[nth];
      if (nth === 0) return startFrame;
      return member === undefined ? endFrame : Math.max(startFrame, Math.min(endFrame, plays[member]!.startFrame));
    };
    const partOf = (nth: number): FrameRange => ({ startFrame: edgeOf(nth), endFrame: edgeOf(nth + 1) });
    while (members.length > 1 && !fixed) {
      const tooShort = members.findIndex((_, nth) => ticksOf(partOf(nth), clock) < visible);
      if (tooShort < 0) break;
      members = members.filter((_, nth) => nth !== tooShort);
    }
    for (const [nth, place] of members.entries()) parts[place] = partOf(nth);
  }
  return parts.map((part) => part && clipOf(part, clock));
}
