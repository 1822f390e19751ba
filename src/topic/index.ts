/** topic: what the videos of a topic have in common, as one second moment, and how they relate to each other. */
export { alikeAcrossShapes, alikeFrom, sumOfShots, type ShotSum } from './alike.js';
export { type Belonging, compareVideos, type LikenessTable, type Metric, UNRELATED } from './belonging.js';
export { type Double } from './doubles.js';
export { type FolderLikeness, type Grouping, groupVideos } from './groups.js';
export { addMoments, emptyMoment, mergeMoments, MOMENT_RUN, momentOf, removeMoment, sumInRuns } from './moment.js';
export { evenly } from './likeness.js';
export { decodeMoment, encodeMoment } from './moment-file.js';
export {
  beginProblem,
  type BegunProblem,
  meanOfOthers,
  momentOfTopic,
  type Others,
  poseInTopic,
  problemInTopic,
  problemOf,
  problemsOfTopic,
  type Topic,
  type TopicFacts,
  weightsFor,
} from './problem.js';
export { type Relations, relateVideos } from './relate.js';
export type { Moment, Neighbor, Problem, Votes } from './types.js';
export { sameViewFrom, usualLikeness, viewsOf } from './views.js';
export { whitenTopic, type WhitenKnobs } from './whiten.js';
export { withWishes } from './wishes.js';
// Whether vectors have the length for which `Moment.unitRows` is true.
export { hasUnitRows } from '../base/index.js';
