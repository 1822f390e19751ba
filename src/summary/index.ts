/**
 * summary: cuts a ranking to a length, plans clips, chooses and orders the film of a topic, and reads and writes the
 * published record of a run. It touches no files and knows no encoder.
 *
 * - Shares and seconds become whole ticks, rounded down, from the decimal number as written. Ties go to the shorter, then
 *   the earlier shot.
 * - A summary is never empty: if nothing worth showing fits, the best shot is taken and `overBudget` is true.
 * - No frame plays twice, no barred frame plays, and stretches asked for exactly play whole.
 * - Equal runs give equal files: fields in the order of the schema, options by name. `clips` say what plays; `chosen` only
 *   marks shots.
 * - When the schema changes, its number goes up and one upgrade function from the version before is added to `UPGRADES`.
 */
export {
  budgetTicks,
  formatBudget,
  parseBudget,
  allotLengths,
  type Contender,
  type Budget,
  type Cut,
  type Importance,
} from './budget.js';
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
export {
  compareSummaries,
  type SummaryChange,
  mergeNotes,
  parseSummary,
  serialiseSummary,
  summaryWriter,
  type SummaryHead,
  type SummaryTail,
  type SummaryWriter,
  readRecord,
} from './record.js';
export { cutToLength, partsFor, preferBetterPictures, rankShots, type CutWishes } from './cut.js';
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
export { dateVideos, chooseOrder, sameInstant, setClocks, TIME_NAMES, type VideoClock } from './topic-clock.js';
export {
  findMoments,
  divideClips,
  topicClipsOf,
  chooseForTopic,
  type Likeness,
  type SharedMoment,
  type TopicClip,
  type PooledShot,
  type TopicCut,
  type TopicRules,
} from './topic-cut.js';
export {
  counterpartsOf,
  reasonAgainst,
  reasonFor,
  sayFlaws,
  shortReason,
  type ReasonFacts,
  type ReasonNames,
} from './reasons.js';
export {
  scoreLine,
  scoreLines,
  type ScoreLine,
  parseTopics,
  serialiseTopics,
  topicsDocument,
  type TopicsDocument,
} from './topics.js';

/*
 * wishes: what people ask of a summary besides its length. Parsed as written, matched with videos before any work
 * (`resolveWishes`), applied when shots are known (`applyWishes`). It does not know how shots are ranked.
 *
 * - A stretch is exact: pinned frames play, vetoed ones do not. For ranking, a shot counts if at least half of its frames
 *   are meant; the shot with most of a pinned stretch always counts.
 * - Mistakes are refused as early as possible, each with a code: `bad-wish`, `unknown-video`, `unclear-video`,
 *   `contradicting-wishes`, `outside-video`, `unknown-shot`, `all-vetoed`.
 */
export {
  flawOf,
  parseWish,
  WISH_FORM,
  checkRanges,
  resolveWishes,
  applySequence,
  applyWishes,
  largestPart,
  NO_WISHES,
  type Wish,
  type Placed,
  type Wishes,
  type VideoWishes,
} from './wishes.js';
