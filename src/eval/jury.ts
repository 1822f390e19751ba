import { UsageError } from '../base/index.js';
import {
  aboveMedian,
  framesInShare,
  highlightTop5,
  kendallTau,
  knapsack,
  type Overlap,
  overlapOf,
  type Ranks,
  ranksOf,
  ranksOfOrder,
  spearmanRho,
  walkToBudget,
} from './metrics/f-measure.js';
import {
  type ByMetric,
  firstShots,
  greatestOf,
  type JudgedMean,
  liftOf,
  meanJudged,
  type MetricName,
  precisionsOf,
  type Reference,
  referenceOf,
  shareOfHits,
  type Tiers,
  tiersOf,
} from './metrics/names.js';
import type { Judgement, LabelledVideo, Scoreboard } from './types.js';

/**
 * How shots with equal marks of a person count. `fraction`: they share the positions they take, in a reference and in
 * the person's own ranking. `earlier`: the earlier shot comes first, as in most published figures.
 */
export const TIES = ['fraction', 'earlier'] as const;
/** One of `TIES`. */
export type Ties = (typeof TIES)[number];

/** How the labels of a video are read. */
type JuryKnobs = { readonly summaryShare: number; readonly ties: (typeof TIES)[number] };

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
type Prepared = {
  readonly order: readonly number[];
  /** The order with what is tied in it: nothing in that of a method, equal marks in that of a person. */
  readonly tiers: Tiers;
  readonly ranks: Ranks;
  readonly chosen: ReadonlySet<number>;
};

/** One person of a jury: a judge of contenders, and a contender when people are scored. */
type Juror = {
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
function requireShots(shots: Iterable<number>, shotCount: number, where: string): ReadonlySet<number> {
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

/** The share of a video that a summary may have, as is customary in the field. */
export const SUMMARY_SHARE = 0.15;

/** Scores the ranking of one video by every measure. */
export function scoreVideo(
  video: LabelledVideo,
  contender: Contender,
  {
    summaryShare = SUMMARY_SHARE,
    ties = 'fraction',
  }: Partial<Pick<Scoreboard['settings'], 'summaryShare' | 'ties'>> = {},
): Readonly<Record<MetricName, JudgedMean>> {
  const jury = juryOf(video, { summaryShare, ties });
  return scoreBefore(jury, jury.jurors, prepare(contender, jury, 'The ranking'));
}

/** Like `scoreVideo`, for a prepared video and contender, against some or all of the jury. */
export function scoreBefore(
  jury: Jury,
  jurors: readonly Juror[],
  { order, tiers, ranks, chosen }: Prepared,
): ByMetric<JudgedMean> {
  const overlaps = jurors.map(({ summary }) => overlapOf(chosen, summary, (shot) => jury.lengths[shot]!)?.f1 ?? null);
  const references = jurors.map(({ reference }) => reference);
  const marks = sumOfMarks(jurors, jury.shotCount);
  const consensus = marks && ranksOf(marks);
  const first = firstShots(jury.shotCount);
  const alone = (value: number | null): JudgedMean => ({ value, perJudge: [] });
  return {
    spearman: meanJudged(jurors.map((juror) => agreement(spearmanRho, ranks, juror.ranks))),
    p15: meanJudged(references.map((reference) => shareOfHits(tiers, reference, first))),
    lift: alone(marks && liftOf(tiers, marks, first)),
    ...precisionsOf(tiers, references),
    highlightTop5: meanJudged(jurors.map(({ liked }) => liked && highlightTop5(order, liked))),
    kendall: meanJudged(jurors.map((juror) => agreement(kendallTau, ranks, juror.ranks))),
    kendallConsensus: alone(agreement(kendallTau, ranks, consensus)),
    spearmanConsensus: alone(agreement(spearmanRho, ranks, consensus)),
    f1Mean: meanJudged(overlaps),
    f1Max: { value: greatestOf(overlaps), perJudge: overlaps },
  };
}

/** A judge whose marks are all equal is left out; a contender whose scores are all equal agrees with nobody: 0. */
function agreement(measure: typeof kendallTau, ranks: Ranks, theirs: Ranks | null): number | null {
  if (theirs === null || theirs.untiedPairs === 0) return null;
  return measure(ranks, theirs) ?? 0;
}

/** Sums of marks closer than this share of the largest are tied: they differ only by rounding. */
const TIE = 1e-9;

/** The sum of the marks of each shot over the judges with marks, which ranks and lift take for the mean. */
function sumOfMarks(jurors: readonly Juror[], shotCount: number): Float64Array | null {
  const marked = jurors.flatMap(({ marks }) => (marks ? [marks] : []));
  if (marked.length === 0) return null;
  const sums = new Float64Array(shotCount);
  for (const marks of marked) for (let shot = 0; shot < shotCount; shot++) sums[shot]! += marks[shot]!;
  const grid = TIE * sums.reduce((largest, sum) => Math.max(largest, Math.abs(sum)), 0) || 1;
  return sums.map((sum) => Math.round(sum / grid));
}

/** Scores a ranking, best shot first, against sets of shots. It may stop early; shots it lacks are not found. */
export function scoreOwnRanking(
  order: readonly number[],
  references: readonly Iterable<number>[],
  { shotCount = Infinity }: { shotCount?: number } = {},
): Readonly<Record<'p5' | 'ap5' | 'ap15' | 'ap5Retrieved' | 'ap15Retrieved', JudgedMean>> {
  requireShots(order, shotCount, 'The ranking');
  const sets = setsOf(references, shotCount);
  return precisionsOf(tiersOf(order), sets.map((set) => referenceOf(set))); // prettier-ignore
}

/** Scores a summary against sets of shots: by frames if `lengths` gives those of each shot, else by shots. */
export function scoreOwnSummary(
  chosen: Iterable<number>,
  references: readonly Iterable<number>[],
  { lengths }: { lengths?: ArrayLike<number> } = {},
): Readonly<Record<'precision' | 'recall' | 'f1Mean' | 'f1Max', JudgedMean>> {
  const shotCount = lengths?.length ?? Infinity;
  const summary = requireShots(chosen, shotCount, 'The summary');
  const overlaps = setsOf(references, shotCount).map((reference) =>
    overlapOf(summary, reference, (shot) => lengths?.[shot] ?? 1),
  );
  const each = (measure: keyof Overlap): (number | null)[] => overlaps.map((overlap) => overlap && overlap[measure]);
  return {
    precision: meanJudged(each('precision')),
    recall: meanJudged(each('recall')),
    f1Mean: meanJudged(each('f1')),
    f1Max: { value: greatestOf(each('f1')), perJudge: each('f1') },
  };
}

function setsOf(references: readonly Iterable<number>[], shotCount: number): readonly ReadonlySet<number>[] {
  return references.map((reference, index) => requireShots(reference, shotCount, `Reference ${index + 1}`));
}
