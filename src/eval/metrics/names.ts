import type { Tiers } from './average-precision.js';

/** Every measure of a ranking or its summary, in the order of tables, with the heading of its column. More is better. */
export const METRICS = {
  spearman: 'ρ',
  p5: 'P@5',
  p15: 'P@15 %',
  lift: 'lift',
  ap5: 'AP@5',
  ap15: 'AP@15',
  ap5Retrieved: 'AP@5 by hits',
  ap15Retrieved: 'AP@15 by hits',
  highlightTop5: 'highlight top-5',
  kendall: 'Kendall τ',
  kendallConsensus: 'τ to the mean mark',
  spearmanConsensus: 'ρ to the mean mark',
  f1Mean: 'F1, mean',
  f1Max: 'F1, best',
} as const;

/** The name of a measure, as in records. */
export type MetricName = keyof typeof METRICS;

/** All names, in the order of tables. */
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];

/** The measures that lead every table: those that a run of neighbouring shots, chosen blindly, does not raise. */
export const LEAD_METRICS = ['spearman', 'p5', 'p15', 'lift'] as const satisfies readonly MetricName[];

/** One value per measure. */
export type ByMetric<T> = { readonly [Name in MetricName]: T };

/** Builds a record of all measures. */
export function byMetric<T>(valueOf: (name: MetricName) => T): ByMetric<T> {
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, valueOf(name)])) as ByMetric<T>;
}

/** The mean of the numbers that are not `null`; `null` if there are none. */
export function meanOf(values: Iterable<number | null>): number | null {
  let [sum, count] = [0, 0];
  for (const value of values) {
    if (value === null) continue;
    sum += value;
    count++;
  }
  return count === 0 ? null : sum / count;
}

/** The greatest of the numbers that are not `null`; `null` if there are none. */
export function greatestOf(values: Iterable<number | null>): number | null {
  let greatest: number | null = null;
  for (const value of values) if (value !== null && (greatest === null || value > greatest)) greatest = value;
  return greatest;
}

/** One measure with several judges. */
export type JudgedMean = {
  /** The value of the measure; `null` if the labels of no judge allow one. */
  readonly value: number | null;
  /** In the order of the judges, `null` for those whose labels allow no value; empty for measures against all at once. */
  readonly perJudge: readonly (number | null)[];
};

/** A measure whose value is the mean over the judges that have one. */
export function meanJudged(perJudge: readonly (number | null)[]): JudgedMean {
  return { value: meanOf(perJudge), perJudge };
}

/** The videos of each topic, by index in a list of videos. */
export type Topics = readonly (readonly number[])[];

/** Values of videos averaged in two steps, so that every topic counts the same. */
export type MacroMean = {
  /** One per topic; `null` if none of its videos has a value. */
  readonly perTopic: readonly (number | null)[];
  /** Mean of the topics that have a value. */
  readonly overall: number | null;
};

/** Mean over the videos of each topic, then over topics. */
export function macroMean(perVideo: readonly (number | null)[], topics: Topics): MacroMean {
  const perTopic = valuesByTopic(perVideo, topics).map(meanOf);
  return { perTopic, overall: meanOf(perTopic) };
}

/** The values that are not `null`, topic by topic. */
export function valuesByTopic(perVideo: readonly (number | null)[], topics: Topics): number[][] {
  return topics.map((videos) => videos.map((video) => perVideo[video]!).filter((value) => value !== null));
}

/** The share of a video that P@15 % and lift look at. */
const SHARE = 0.15;

/** How many shots are the first 15 %: rounded to the nearest, halves up, at least one. */
export function firstShots(shotCount: number): number {
  return Math.max(1, Math.round(SHARE * shotCount));
}

/** Values that vary by less than this share of the largest are equal: they differ only by rounding. */
const EQUAL = 1e-9;

/**
 * lift = mean over the first k shots of (m − mean(m)) / sd(m)     m: a value for each shot; sd over all shots (divided by n)
 * A position in a tier of tied shots counts their mean. `null` if all values are equal.
 */
export function liftOf(tiers: Tiers, values: Float64Array, k: number): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(deviation > EQUAL * largest)) return null;
  let [position, sum] = [0, 0];
  for (const tier of tiers) {
    if (position >= k) break;
    const taken = Math.min(tier.length, k - position);
    sum += (taken * tier.reduce((all, shot) => all + values[shot]!, 0)) / tier.length;
    position += taken;
  }
  return (sum / position - mean) / deviation;
}
