/**
 * stages: the steps of the pipeline, in the order of a run. Each takes the records of the step before and a `Run`; none
 * knows who called it.
 */
export { collectInputs, foldersOf, VIDEO_ENDINGS } from './collect-inputs.js';
export { admitVideos, requireSome, skip, skippedInOrder, stampOf, WHOLE_RUN, type Video } from './admit.js';
export {
  analyseEach,
  analyseVideos,
  recallOutline,
  recallVideo,
  tellShortcuts,
  tryTools,
  type AnalysedVideo,
  type KnownVideo,
  type OutlinedVideo,
} from './analyse-videos.js';
export { isCompared, relateTopic, type Related } from './relate.js';
export { groupIntoTopics } from './group.js';
export { pictureVectors, shotVectors, spreadOver, type ShotVectors } from './shot-vectors.js';
export {
  othersWanted,
  poseProblems,
  rankShotsOfTopic,
  rankVideo,
  tellLimits,
  weighingOf,
  WORTH_THREADS,
  type Posed,
} from './rank.js';
export {
  backgroundFrom,
  embeddedSources,
  type EvidenceOptions,
  readBackground,
  sampleBackground,
  type Weigh,
  viewsOfVideo,
  weigher,
  weigherAgainst,
} from './evidence.js';
export { tellLostWishes, wishesAbout, wishesOf, type RunWishes } from './run-wishes.js';
export { counterpartsAmong, openMeasure } from './counterparts.js';
export { allot, extentOf, type Extent } from './allot.js';
export { cutVideo, type RankedVideo } from './cut-video.js';
export { renderVideos, type RenderedVideo } from './render.js';
export { chooseConcept, type ChosenConcept } from './concept.js';
export { describeConcept, renderConcept, requireMusic } from './render-concept.js';
export { publish, publishEach, recordOf, writeTopics } from './publish.js';
export { COMPARED_VIDEOS, mostCompared } from './limits.js';
