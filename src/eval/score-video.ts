import { type Contender, type Juror, type Jury, type JuryKnobs, juryOf, type Prepared, prepare } from './jury.js';
import { precisionsOf, shareOfHits } from './metrics/average-precision.js';
import { kendallTau, type Ranks, ranksOf, spearmanRho } from './metrics/correlation.js';
import { overlapOf } from './metrics/f-measure.js';
import { highlightTop5 } from './metrics/highlight.js';
import { firstShots, liftOf } from './metrics/lift.js';
import { greatestOf, type JudgedMean, meanJudged } from './metrics/means.js';
import type { ByMetric } from './metrics/names.js';
import type { LabelledVideo } from './types.js';

/** The share of a video that a summary may have, as is customary in the field. */
export const SUMMARY_SHARE = 0.15;

/** Scores the ranking of one video by every measure. */
export function scoreVideo(
  video: LabelledVideo,
  contender: Contender,
  { summaryShare = SUMMARY_SHARE, ties = 'fraction' }: Partial<JuryKnobs> = {},
): ByMetric<JudgedMean> {
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
