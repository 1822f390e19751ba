/**
 * topic: what the videos of a topic have in common, as one second moment, and how they relate: doubles, strays, the topics
 * of a mixed folder. It knows vectors and positions in a list, no files and no time.
 *
 * - A moment is dim² numbers, whatever the size of the topic. Moments add and subtract; sums over a topic run in groups of
 *   64 (`MOMENT_RUN`), so that many machines get the same bits as one.
 * - A problem's context contains the video itself, once, with its own weight; selectors subtract it.
 * - Methods say what they need of the other videos: nothing, their moment, or their shots (`neighbors`).
 * - `unitRows` holds while every vector has length one or zero; cosine is then exact from the moment alone.
 * - All vectors of a topic must come from one model: only their length can be checked here.
 */
export {
  alikeAcrossShapes,
  alikeFrom,
  sumOfShots,
  type ShotSum,
  evenly,
  whitenTopic,
  type WhitenKnobs,
  VIEW_NEARNESS,
  sameViewFrom,
  usualLikeness,
  viewsOf,
} from './likeness.js';
export {
  compareVideos,
  UNRELATED,
  relateVideos,
  type Belonging,
  type LikenessTable,
  type Metric,
  type Double,
  type Relations,
} from './relate.js';
export { type FolderLikeness, type Grouping, groupVideos } from './groups.js';
export {
  addMoments,
  emptyMoment,
  mergeMoments,
  MOMENT_RUN,
  momentOf,
  removeMoment,
  sumInRuns,
  decodeMoment,
  encodeMoment,
} from './moment.js';
export {
  beginProblem,
  meanOfOthers,
  momentOfTopic,
  poseInTopic,
  problemInTopic,
  problemOf,
  problemsOfTopic,
  weightsFor,
  withWishes,
  type PartialProblem,
  type Others,
  type Topic,
  type TopicFacts,
} from './problem.js';
export type { Moment, Neighbor, Problem, Votes } from './types.js';
// Whether vectors have the length for which `Moment.unitRows` is true.
export { hasUnitRows } from '../base/index.js';

/*
 * evidence/: how much each shot of a video is worth showing, from vectors and motion. Four terms, standardised within the video
 * and added with equal weights; no labels, no training. The result is a price for each shot in select (docs/evidence.md).
 * Also whether two shots show the same thing, measured against unrelated footage.
 * Pure: it knows neither files nor how shots are chosen. A term that cannot be computed is left out.
 */
export { backgroundOf, spreadOfRows, type Background } from './evidence/background.js';
export {
  type Evidence,
  openEvidence,
  type EvidenceKnobs,
  EVIDENCE_TERMS,
  type EvidenceTerm,
} from './evidence/evidence.js';
export { type Comparable, comparable, KIN_FROM, plainlyComparable, sameFrom, sameness } from './evidence/sameness.js';
