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
