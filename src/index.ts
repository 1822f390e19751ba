/** Throughline as a library: the same run as the command line, with typed options, events and errors. */
export { CancelledError, MediaError, NumericError, StoreError, ThroughlineError, UsageError } from './base/index.js';
export type { Listener, Rational, RunEvent, Stage, TimeRange } from './base/index.js';
export type { DemoTopic } from './demo/index.js';
export type { Benchmark, BenchmarkRequest } from './eval/index.js';
export {
  importTimeline,
  timelineFormats,
  timelineOfConcept,
  timelineOfTopic,
  timelineOfVideo,
  type Imported,
  type Timeline,
  type TimelineFormat,
  type TimelineFormatName,
  type TimelineOptions,
} from './timeline/index.js';
export {
  addToTopic,
  benchmark,
  drawDemo,
  findTopics,
  makeBackground,
  openWorkbench,
  removeFromTopic,
  summarizeTopic,
  summarizeTopics,
  updateTopic,
  type BenchmarkResult,
  type Workbench,
  type TopicWork,
} from './library.js';
export { optionsSchema, type Options, type OptionsInput } from './options/index.js';
export { describeTopic, type Growth, type Project, type VideoState } from './pipeline/index.js';
export type { Outcome, TopicsOutcome } from './pipeline/run.js';
export {
  parseSummary,
  parseTopics,
  type Clip,
  type SummaryDocument,
  type SummaryShot,
  type Support,
  type TopicsDocument,
  type VideoSummary,
} from './summary/index.js';
export { VERSION } from './version.js';
export { defaultCacheFolder, type RunHooks } from './pipeline/run.js';
export type { RankedTopic } from './pipeline/workbench.js';
