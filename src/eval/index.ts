/** eval: how good rankings and summaries are. Data sets, measures, statistics, the scoreboard and benchmarks. */
export { readCosum, readSumme, readTvsum, TVSUM_GRIDS, type TvsumGrid } from './datasets/index.js';
export { FLOORS, type Floor, shuffledOrder } from './floors.js';
export { type Contender, type JuryKnobs, type Ties, TIES } from './jury.js';
export {
  averagePrecision,
  type AveragePrecision,
  type RankingScores,
  type Reference,
  type Tiers,
} from './metrics/average-precision.js';
export { kendallTau, type Ranks, ranksOf, ranksOfOrder, spearmanRho } from './metrics/correlation.js';
export { framesInShare, type Overlap, overlapOf, walkToBudget } from './metrics/f-measure.js';
export { aboveMedian, highlightTop5 } from './metrics/highlight.js';
export { firstShots, liftOf } from './metrics/lift.js';
export { knapsack } from './metrics/knapsack.js';
export { type JudgedMean, macroMean, type MacroMean, meanOf, type Topics } from './metrics/means.js';
export { type ByMetric, LEAD_METRICS, METRIC_NAMES, type MetricName, METRICS } from './metrics/names.js';
export { scoreOwnRanking, scoreOwnSummary, type SummaryScores } from './score-own.js';
export { scoreVideo, SUMMARY_SHARE } from './score-video.js';
export type {
  Corrected,
  Lead,
  Score,
  Scoreboard,
  ScoreboardSettings,
  ScoredVideo,
  ScoreRow,
  TopicTest,
} from './scoreboard-record.js';
export { type MethodResults, scoreboard, SCOREBOARD_DEFAULTS } from './scoreboard.js';
export { bootstrapIntervals, type BootstrapKnobs, type Interval, type IntervalMaker } from './statistics/bootstrap.js';
export { pairedTest, type PairedTest } from './statistics/paired-test.js';
export { holm, signFlipP } from './statistics/sign-flips.js';
export { criticalT, powerOfTTest, twoSidedP } from './statistics/student-t.js';
export type { Dataset, Judgement, LabelledVideo, ShotFrames } from './types.js';
export type { Benchmark, Example, FeatureFacts, SavedRanking, VideoRankings } from './benchmark.js';
export { CANDIDATES } from './candidates.js';
export { benchmarkDocument } from './benchmark-schema.js';
export type { Candidate, CandidateLists, NestedRecord, NestedRow } from './nested.js';
export { rescore } from './rescore.js';
export { type BenchmarkFiles, publishBenchmark } from './publish.js';
export { benchmarkMarkdown, benchmarkTable } from './report/index.js';
export { type BenchmarkOutcome, type BenchmarkRequest, runBenchmark } from './run-benchmark.js';
export { type OwnResult, readOwnResult, readReferences } from './own-files.js';
