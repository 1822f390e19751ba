/**
 * eval: how good rankings and summaries are. Data sets, measures, statistics, the scoreboard and benchmarks. It does not
 * know which method is ours. docs/reference/scoring.md defines every measure and choice.
 *
 * - `null` means that the labels allow no value; an empty summary scores 0.
 * - Ties count by fraction: every figure is the expectation over all ways to break them.
 * - People and five floors that look at no picture are in every table. A video that one method did not rank is left out for
 *   all rows and named.
 * - The same labels, rankings and settings give the same bytes. Nothing is downloaded; every file read is listed with its
 *   SHA-256, every defect as a note.
 */
export { readCosum, readSumme } from './datasets/mat-labels.js';
export { readTvsum, TVSUM_GRIDS } from './datasets/tvsum.js';
export { FLOORS, shuffledOrder } from './rank-all.js';
export { type Contender, TIES, scoreOwnRanking, scoreOwnSummary, scoreVideo, SUMMARY_SHARE } from './jury.js';
export {
  averagePrecision,
  type AveragePrecision,
  firstShots,
  liftOf,
  macroMean,
  meanOf,
  LEAD_METRICS,
  METRIC_NAMES,
  METRICS,
  type JudgedMean,
  type MetricName,
} from './metrics/names.js';
export {
  kendallTau,
  ranksOf,
  ranksOfOrder,
  spearmanRho,
  framesInShare,
  overlapOf,
  walkToBudget,
  aboveMedian,
  highlightTop5,
  knapsack,
} from './metrics/f-measure.js';
export { scoreboard, SCOREBOARD_DEFAULTS, CANDIDATES } from './scoreboard.js';
export {
  bootstrapIntervals,
  pairedTest,
  holm,
  signFlipP,
  criticalT,
  powerOfTTest,
  twoSidedP,
} from './statistics/paired-test.js';
export type { Judgement, LabelledVideo, Scoreboard, ScoreRow } from './types.js';
export { benchmarkDocument, type Benchmark, type BenchmarkRequest } from './benchmark.js';
export { rescore, readOwnResult, readReferences } from './own-files.js';
export { publishBenchmark, runBenchmark } from './run-benchmark.js';
export { benchmarkMarkdown, benchmarkTable } from './report/columns.js';
