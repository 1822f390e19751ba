/**
 * render: films, previews, storyboards, contact sheets and the report of a summary. It does not know how shots were chosen.
 *
 * - The same document and pictures give the same bytes; one picture at a time is in memory.
 * - All text of the report passes one template that escapes by default. Paths become URLs part by part, ids are numbers,
 *   and the content security policy lets only the page's own style and script run.
 */
export {
  FILM_FORMATS,
  FILM_VERSION,
  filmFrames,
  filmSeconds,
  renderFilm,
  PREVIEW_VERSION,
  renderPreview,
  type Film,
} from './film.js';
export {
  LOUDNESSES,
  planReel,
  REEL_VERSION,
  renderReel,
  SOUNDS,
  SURROUNDS,
  TITLE_SECONDS,
  type ReelClip,
  type ReelFilm,
} from './reel.js';
export { drawPdf, parsePictures, PICTURES, type PictureKind, drawTopicSheet, type TopicCell } from './sheet.js';
export { renderReport, REPORT_SCRIPT, closePage, openPage } from './report/report.js';
export { formatCount, formatPercent, plural, markup, raw, type Html, strongestOf } from './report/html.js';
export { LISTS, LOOK, PAPER } from './report/page.css.js';
export {
  drawStoryboard,
  STORYBOARD_LIMIT,
  type StoryboardShot,
  drawLinkedStoryboard,
  type LinkedShot,
} from './storyboard.js';
export { findMissingGlyphs } from './text.js';
