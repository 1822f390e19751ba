import { random } from '../base/index.js';
import { type Jury, prepare } from './jury.js';
import { greatestOf, meanOf } from './metrics/means.js';
import { type ByMetric, byMetric } from './metrics/names.js';
import { scoreBefore } from './score-video.js';

/** The values of one video by measure, from which a row of a table is made. */
export type VideoValues = ByMetric<number | null>;

/** People as contenders: the least, mean and greatest value any of them reached, measure by measure. */
type HumanValues = { readonly worst: VideoValues; readonly mean: VideoValues; readonly best: VideoValues };

/** Draws an order of all shots. Different seeds draw independently; the same seed draws the same. */
export type DrawOrder = (shotCount: number, seed: number) => readonly number[];

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

/** The mean score of random orders, one seed each. */
export function randomValues(jury: Jury, seeds: readonly number[], drawOrder: DrawOrder): VideoValues {
  const draws = seeds.map((seed) =>
    scoreBefore(jury, jury.jurors, prepare({ order: drawOrder(jury.shotCount, seed) }, jury, 'A random order')),
  );
  return byMetric((name) => meanOf(draws.map(({ [name]: { value } }) => value)));
}

/** Draws an order; all orders are equally likely. */
export function shuffledOrder(shotCount: number, seed: number): number[] {
  const { below } = random(seed);
  const order = Array.from({ length: shotCount }, (_, shot) => shot);
  for (let last = shotCount - 1; last > 0; last--) {
    const other = below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
