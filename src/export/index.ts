/** export: films, storyboards, the report and cut lists from a summary. It does not know how shots were chosen. */
export { csvText, type CsvCell } from './csv.js';
export { FILM_FORMATS, FILM_VERSION, filmFrames, filmSeconds, renderFilm, type Film } from './film.js';
export { PREVIEW_VERSION, renderPreview, type FilmPreview } from './preview.js';
export {
  LOUDNESSES,
  planReel,
  REEL_VERSION,
  renderReel,
  SOUNDS,
  SURROUNDS,
  TITLE_SECONDS,
  type FilmFrame,
  type PlannedReel,
  type ReelClip,
  type ReelFilm,
} from './reel.js';
export { parsePictures, PICTURES, type PictureKind } from './pictures.js';
export { renderReport, REPORT_SCRIPT } from './report.js';
export { formatCount, formatPercent, plural } from './report/format.js';
export { strongestOf } from './report/importance.js';
export { markup, raw, type Html } from './report/html.js';
export { LISTS, LOOK, PAPER } from './report/look.css.js';
export { closePage, openPage, type Shell } from './report/shell.js';
export { drawStoryboard, STORYBOARD_LIMIT, type Storyboard, type StoryboardShot } from './storyboard.js';
export { drawLinkedStoryboard, type LinkedShot, type LinkedStoryboard } from './storyboard-svg.js';
export { findMissingGlyphs } from './text.js';
export { drawTopicSheet, type TopicCell, type TopicSheet } from './topic-sheet.js';
export {
  fileUrls,
  importTimeline,
  parseRate,
  RATE_NAMES,
  relativeUrls,
  timelineFormats,
  timelineOfConcept,
  timelineOfTopic,
  timelineOfVideo,
  timelineSchema,
  type Counting,
  type Imported,
  type PickedClip,
  type Timeline,
  type TimelineClip,
  type TimelineFormat,
  type TimelineFormatName,
  type TimelineOptions,
  type TimelineSource,
} from './timeline/index.js';
