import { requireShots } from './jury.js';
import { precisionsOf, type RankingScores, referenceOf, tiersOf } from './metrics/average-precision.js';
import { type Overlap, overlapOf } from './metrics/f-measure.js';
import { greatestOf, type JudgedMean, meanJudged } from './metrics/means.js';

/** The scores of a summary against several references. */
export type SummaryScores = {
  readonly precision: JudgedMean;
  readonly recall: JudgedMean;
  /** Named as in a scoreboard: the mean over the references, and the greatest. */
  readonly f1Mean: JudgedMean;
  readonly f1Max: JudgedMean;
};

/** Scores a ranking, best shot first, against sets of shots. It may stop early; shots it lacks are not found. */
export function scoreOwnRanking(
  order: readonly number[],
  references: readonly Iterable<number>[],
  { shotCount = Infinity }: { shotCount?: number } = {},
): RankingScores {
  requireShots(order, shotCount, 'The ranking');
  const sets = setsOf(references, shotCount);
  return precisionsOf(tiersOf(order), sets.map((set) => referenceOf(set))); // prettier-ignore
}

/** Scores a summary against sets of shots: by frames if `lengths` gives those of each shot, else by shots. */
export function scoreOwnSummary(
  chosen: Iterable<number>,
  references: readonly Iterable<number>[],
  { lengths }: { lengths?: ArrayLike<number> } = {},
): SummaryScores {
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
  return references.map((reference, place) => requireShots(reference, shotCount, `Reference ${place + 1}`));
}
