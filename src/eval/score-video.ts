import { type Contender, type Juror, type Jury, juryOf, type Prepared, prepare, requireShots } from './jury.js';
import { precisionsOf, shareOfHits, referenceOf, tiersOf } from './metrics/average-precision.js';
import { kendallTau, type Ranks, ranksOf, spearmanRho } from './metrics/correlation.js';
import { overlapOf, highlightTop5, type Overlap } from './metrics/f-measure.js';
import {
  firstShots,
  liftOf,
  greatestOf,
  type JudgedMean,
  meanJudged,
  type ByMetric,
  type MetricName,
} from './metrics/names.js';
import type { LabelledVideo, Scoreboard } from './types.js';

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
