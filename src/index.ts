/** Throughline as a library: the same run as the command line, with typed options, events and errors. */
export { CancelledError, MediaError, NumericError, StoreError, ThroughlineError, UsageError } from './base/index.js';
export type { Rational, RunEvent, Stage, TimeRange } from './base/index.js';
export type { DemoTopic } from './demo/index.js';
export type { Benchmark, BenchmarkRequest } from './eval/index.js';
export {
  importTimeline,
  timelineFormats,
  timelineOfConcept,
  timelineOfTopic,
  timelineOfVideo,
  type Timeline,
  type TimelineFormat,
  type PickedClip,
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
  type Workbench,
} from './library.js';
export { optionsSchema, type Options, type OptionsInput } from './options/index.js';
export { describeTopic, type Growth, type Project } from './pipeline/index.js';
export type { Outcome, TopicsOutcome } from './pipeline/run.js';
export {
  parseSummary,
  parseTopics,
  type Clip,
  type SummaryDocument,
  type SummaryShot,
  type SummaryChange,
  type Support,
  type TopicsDocument,
  type VideoSummary,
} from './summary/index.js';
export { VERSION } from './version.js';
export { defaultCacheFolder, type RunHooks } from './pipeline/run.js';
