import { type Contender, type Jury, prepare } from './jury.js';
import { greatestOf, meanOf } from './metrics/means.js';
import { type ByMetric, byMetric } from './metrics/names.js';
import { scoreBefore } from './score-video.js';

/** The values of one video by measure, from which a row of a table is made. */
export type VideoValues = ByMetric<number | null>;

/** People as contenders: the least, mean and greatest value any of them reached, measure by measure. */
type HumanValues = { readonly worst: VideoValues; readonly mean: VideoValues; readonly best: VideoValues };

/** Scores each person of the jury against all the others; `null` everywhere for a jury of one. */
export function humanValues(jury: Jury): HumanValues {
  const each = jury.jurors.map((juror) => {
    const others = jury.jurors.filter((other) => other !== juror);
    return scoreBefore(jury, others, juror.asContender);
  });
  const pick = (from: (values: readonly (number | null)[]) => number | null): VideoValues =>
    byMetric((name) => from(each.map(({ [name]: { value } }) => value)));
  return { worst: pick(leastOf), mean: pick(meanOf), best: pick(greatestOf) };
}

function leastOf(values: readonly (number | null)[]): number | null {
  const greatest = greatestOf(values.map((value) => value && -value));
  return greatest && -greatest;
}

/** The mean score of several rankings of one video: one of each seed. */
export function meanValues(jury: Jury, contenders: readonly Contender[], who: string): VideoValues {
  const each = contenders.map((contender) => scoreBefore(jury, jury.jurors, prepare(contender, jury, who)));
  return byMetric((name) => meanOf(each.map(({ [name]: { value } }) => value)));
}
