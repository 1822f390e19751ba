import { UsageError } from '../base/index.js';
import { type Reference, referenceOf, type Tiers, tiersOf } from './metrics/average-precision.js';
import { type Ranks, ranksOf, ranksOfOrder } from './metrics/correlation.js';
import { framesInShare, walkToBudget, aboveMedian, knapsack } from './metrics/f-measure.js';
import type { Judgement, LabelledVideo } from './types.js';

/**
 * How shots with equal marks of a person count. `fraction`: they share the positions they take, in a reference and in
 * the person's own ranking. `earlier`: the earlier shot comes first, as in most published figures.
 */
export const TIES = ['fraction', 'earlier'] as const;
/** One of `TIES`. */
export type Ties = (typeof TIES)[number];

/** How the labels of a video are read. */
export type JuryKnobs = { readonly summaryShare: number; readonly ties: (typeof TIES)[number] };

/** What a method says about one video. */
export type Contender = {
  /** All shots, best first. */
  readonly order: readonly number[];
  /** One number per shot, more is better, equal is tied: what correlations compare. Without it they use the order. */
  readonly scores?: ArrayLike<number>;
  /** The shots of its summary, which F1 compares. Without it: every shot down the order that still fits the budget. */
  readonly chosen?: Iterable<number>;
};

/** A contender as the measures need it. */
export type Prepared = {
  readonly order: readonly number[];
  /** The order with what is tied in it: nothing in that of a method, equal marks in that of a person. */
  readonly tiers: Tiers;
  readonly ranks: Ranks;
  readonly chosen: ReadonlySet<number>;
};

/** One person of a jury: a judge of contenders, and a contender when people are scored. */
export type Juror = {
  readonly reference: Reference;
  readonly marks: Float64Array | null;
  /** Ranks of the marks; `null` without marks. */
  readonly ranks: Ranks | null;
  /** Shots marked above this person's median; `null` without marks. */
  readonly liked: ReadonlySet<number> | null;
  /** The person's summary: the reference if it fits the budget or there are no marks, else the best marks that fit. */
  readonly summary: ReadonlySet<number>;
  readonly asContender: Prepared;
};

/** A labelled video, prepared for scoring many contenders. */
export type Jury = {
  readonly videoId: string;
  readonly shotCount: number;
  /** Frames of each shot. */
  readonly lengths: Int32Array;
  readonly budgetFrames: number;
  readonly jurors: readonly Juror[];
};

/** Prepares a video; summaries may have `summaryShare` of its frames. */
export function juryOf(video: LabelledVideo, { summaryShare, ties }: JuryKnobs): Jury {
  const lengths = Int32Array.from(video.shots, ({ startFrame, endFrame }) => endFrame - startFrame);
  const budgetFrames = framesInShare(video.frameCount, summaryShare);
  const empty = { videoId: video.id, shotCount: lengths.length, lengths, budgetFrames };
  const jurors = video.judgements.map((judgement) => jurorOf(judgement, { ...empty, jurors: [] }, ties));
  return { ...empty, jurors };
}

function jurorOf({ judge, reference, order, marks }: Judgement, jury: Jury, ties: Ties): Juror {
  const who = `Judge ${judge}`;
  requireShots(reference, jury.shotCount, `${who}, video ${jury.videoId}`);
  const chosenFrames = [...reference].reduce((sum, shot) => sum + jury.lengths[shot]!, 0);
  const summary =
    marks && chosenFrames > jury.budgetFrames ? knapsack(marks, jury.lengths, jury.budgetFrames) : reference;
  const asContender = prepare({ order, chosen: summary, ...(marks ? { scores: marks } : {}) }, jury, who);
  const isTied = ties === 'fraction';
  return {
    reference: referenceOf(reference, isTied ? marks : null),
    marks,
    ranks: marks ? asContender.ranks : null,
    liked: marks ? aboveMedian(marks) : null,
    summary,
    asContender: isTied
      ? { ...asContender, tiers: tiersOfPerson(order, marks ?? membershipOf(reference, order)) }
      : asContender,
  };
}

/** A person who only chose shots ranks those before the others, and says no more. */
function membershipOf(reference: ReadonlySet<number>, order: readonly number[]): Float64Array {
  return Float64Array.from(order, (_, shot) => (reference.has(shot) ? 1 : 0));
}

function tiersOfPerson(order: readonly number[], marks: Float64Array): Tiers {
  const tiers: number[][] = [];
  for (const shot of order) {
    const last = tiers.at(-1);
    if (last && marks[last[0]!] === marks[shot]) last.push(shot);
    else tiers.push([shot]);
  }
  return tiers;
}

/** Checks a contender and fills in what it left out; `who` names it in errors. */
export function prepare({ order, scores, chosen }: Contender, jury: Jury, who: string): Prepared {
  const where = `${who}, video ${jury.videoId}`;
  requireShots(order, jury.shotCount, where);
  if (order.length !== jury.shotCount)
    throw new UsageError('bad-ranking', `${where}: expected all ${jury.shotCount} shots, found ${order.length}.`);
  if (scores && scores.length !== jury.shotCount)
    throw new UsageError(
      'bad-ranking',
      `${where}: expected a score for each of ${jury.shotCount} shots, found ${scores.length}.`,
    );
  const given = chosen && requireShots(chosen, jury.shotCount, where);
  return {
    order,
    tiers: tiersOf(order),
    ranks: scores ? ranksOf(scores) : ranksOfOrder(order),
    chosen: given ?? walkToBudget(order, jury.lengths, jury.budgetFrames),
  };
}

/** The shots as a set. Each must be a whole number below `shotCount` (`Infinity` if unknown) and occur once. */
export function requireShots(shots: Iterable<number>, shotCount: number, where: string): ReadonlySet<number> {
  const seen = new Set<number>();
  for (const shot of shots) {
    if (!Number.isInteger(shot) || shot < 0 || shot >= shotCount) {
      const most = shotCount === Infinity ? '' : ` below ${shotCount}`;
      throw new UsageError('bad-shot', `${where}: expected whole numbers${most} for shots, found ${shot}.`);
    }
    if (seen.has(shot)) throw new UsageError('bad-shot', `${where}: expected each shot once, found ${shot} again.`);
    seen.add(shot);
  }
  return seen;
}
