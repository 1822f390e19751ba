/**
 * pipeline: from a folder of videos to films, record and report. `pipeline.ts` tells the story on one screen; its steps
 * are the other files. Each takes the records of the step before and a `Run` (options,
 * storage, listener, signal); none knows who called it, so one machine, many machines and the studio get the same bytes.
 *
 * - If one video fails, the others continue (`keepGoing`); an error of the machine ends the run; `nothing-done` if no video
 *   is left.
 * - Videos are processed in parallel and appear in name order in every result; notes are sorted.
 * - Mistakes in options and wishes are refused before any video is analysed.
 */
export { collectInputs, isVideo, VIDEO_ENDINGS, withIds } from './collect-inputs.js';
export {
  admitVideos,
  findTwins,
  infoSchema,
  keepGoing,
  requireSome,
  skip,
  skippedInOrder,
  WHOLE_RUN,
  noteLostWishes,
  wishesOf,
  type Video,
  type RunWishes,
} from './admit.js';
export {
  analyseEach,
  analyseVideos,
  recallOutline,
  recallVideo,
  noteShortcuts,
  tryTools,
  type AnalysedVideo,
  type KnownVideo,
  type OutlinedVideo,
} from './analyse-videos.js';
export { isCompared, relateTopic, type Related } from './relate.js';
export { pictureVectors, SAMPLED, sampleShots, shotVectors, spreadOver, type ShotVectors } from './shot-vectors.js';
export {
  othersWanted,
  buildProblems,
  rankShotsOfTopic,
  rankVideo,
  noteLimits,
  weighingOf,
  allot,
  extentOf,
  type Extent,
} from './rank.js';
export {
  BACKGROUND_SHOTS,
  backgroundFrom,
  embeddedSources,
  type EvidenceOptions,
  readBackground,
  sampleBackground,
  type Weigh,
  viewsOfVideo,
  weigher,
  weigherAgainst,
  decodeBackground,
  encodeBackground,
} from './evidence.js';
export { counterpartsAmong, openMeasure } from './supporters.js';
export { cutVideo, type RankedVideo } from './cut-video.js';
export { renderVideos, type RenderedVideo } from './render.js';
export { chooseConcept, type ChosenConcept } from './concept.js';
export { renderConcept } from './render-concept.js';
export { publishEach } from './publish.js';
export { COMPARED_VIDEOS, maxCompared } from './limits.js';

/*
 * analysis/: one pass over a video finds its shots, with a vector and a picture for each, and records them. It knows no other
 * videos.
 *
 * - Memory is a few bytes per frame; vectors and pictures wait on disk until the shots are known.
 * - A damaged file is read again in one thread, so that it gives the same result every time. A file that changed while it
 *   was read is an error.
 * - A stored record that does not fit together counts as missing. Raise `ANALYSIS_VERSION` when the same file would be
 *   analysed differently.
 */
export { ANALYSIS_VERSION, SIGNAL_SIZE } from './analysis/analyse.js';
export { readAnalysis, type Analysis } from './analysis/record.js';

/*
 * growing-topic: a topic that lives in a folder and grows. It stores the list of videos, the options and all analyses, so that a
 * new video costs only its own analysis. The caller says how videos are summarised.
 *
 * - `topic.json` is written last, and only if no other run changed it meanwhile (`topic-changed`): an interrupted run
 *   changes nothing.
 * - Content decides: the same video under another name is not added twice. A video that is missing or changed stops the
 *   run.
 * - Paths are relative to the folder.
 */
export {
  addVideos,
  beginTopic,
  describeTopic,
  includeVideos,
  isTopic,
  keepOptions,
  placesOf,
  removeVideos,
  updateTopic,
  wishesWithout,
  withdrawVideos,
  parseProject,
  projectDocument,
  serialiseProject,
  type Growth,
  type Project,
  type ProjectVideo,
} from './growing-topic.js';
export {
  defaultOutFolder,
  type Run,
  type Workspace,
  type Outcome,
  type TopicsOutcome,
  withRun,
  type RunHooks,
} from './run.js';
export { findTopicsIn, summarizeByTopic } from './topics.js';
export { summarize } from './pipeline.js';
export { openAnalysedTopic, type RankedTopic, type AnalysedTopic } from './workbench.js';
