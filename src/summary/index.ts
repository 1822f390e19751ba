/** summary: cuts a ranking to a length, and reads and writes the published record of a run. It touches no files. */
export { budgetTicks, formatBudget, parseBudget } from './budget.js';
export { allotLengths, type Contender } from './allotment.js';
export {
  clipsOf,
  editClips,
  fitClips,
  planClips,
  type ClipRules,
  type EditableClips,
  type EditRules,
  type Footage,
} from './clips.js';
export { compareSummaries, type SummaryChange } from './compare.js';
export { cutToLength, partsFor, preferBetterPictures, type CutWishes } from './cut.js';
export { pauseFinder, type Course } from './pauses.js';
export {
  leastAlike,
  summaryDocument,
  wishOf,
  type Clip,
  type Concept,
  type Counterpart,
  type Shown,
  type SummaryDocument,
  type SummaryShot,
  type Support,
  type TopicShot,
  type VideoBelonging,
  type VideoStanding,
  type VideoSummary,
} from './document.js';
export { arrange, FILM_ORDERS, orderFilm, type FilmOrder, type OrderedShot } from './film-order.js';
export { dateVideos } from './recorded.js';
export { chooseOrder, sameInstant, setClocks, TIME_NAMES, type VideoClock } from './topic-clock.js';
export { mergeNotes } from './notes.js';
export { findMoments, type Likeness, type SharedMoment } from './moments.js';
export { rankShots } from './rank.js';
export { reasonAgainst, reasonFor, shortReason, type ReasonFacts, type ReasonNames } from './reasons.js';
export {
  parseSummary,
  serialiseSummary,
  summaryWriter,
  type SummaryHead,
  type SummaryTail,
  type SummaryWriter,
} from './record.js';
export { divideClips, topicClipsOf, type TopicClip } from './topic-clips.js';
export { chooseForTopic, type PooledShot, type TopicCut, type TopicRules } from './topic-cut.js';
export { parseTopics, serialiseTopics, topicsDocument, type TopicsDocument } from './topics.js';
export type { Budget, Cut, Importance } from './types.js';
export { readRecord } from './upgrade.js';
