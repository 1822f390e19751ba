/**
 * timeline: a summary as cut lists that editing systems open, chapters of its film, and cut lists read back.
 *
 * - A clip has ticks, frames as decoded, and frames of the source's rate; timelines count in fractions of whole numbers, so
 *   there is no drift. Clips of the timeline's rate keep every frame.
 * - Cut lists from elsewhere are untrusted: limits on lines and clips, errors with the line or field.
 */
import { csv, json } from './json.js';
import { edl } from './edl.js';
import { fcpxml } from './fcpxml.js';
import { mkvChapters, vtt, youtube } from './chapters.js';
import { mlt } from './mlt.js';
import { otio } from './otio.js';
import type { TimelineFormat } from './types.js';
import { xges } from './xges.js';
import { xmeml } from './xmeml.js';

export {
  timelineOfConcept,
  timelineOfTopic,
  timelineOfVideo,
  type PickedClip,
  type TimelineOptions,
  timelineOfSelects,
  timelineOfStringout,
} from './build.js';
export {
  CAPTION_FORMATS,
  captionsOf,
  parseCaptions,
  writeCaptions,
  type Caption,
  type CaptionFormat,
} from './chapters.js';
export { commentSchema, parseComments, serialiseComments, type Comment, MARKS, type MarkKind } from './marks.js';
export { importTimeline } from './import.js';
export {
  countableRate,
  formatTimecode,
  frameBase,
  nearestStandard,
  parseRate,
  parseTimecode,
  RATE_NAMES,
  rateOfNumber,
  timelineRateFor,
  type Counting,
} from './rates.js';
export { endingFor, TARGETS } from './targets.js';
export {
  timelineSchema,
  type Target,
  type Timeline,
  type TimelineClip,
  type TimelineFormat,
  type TimelineSource,
} from './types.js';
export { fileUrls, relativeUrls, rootUrls, startOf, type Locate } from './sources.js';

/** Every format a timeline can be written in, by the name the command line uses. */
export const timelineFormats = {
  edl,
  fcpxml,
  xmeml,
  otio,
  mlt,
  xges,
  csv,
  json,
  vtt,
  youtube,
  'mkv-chapters': mkvChapters,
} as const satisfies Record<string, TimelineFormat>;

/** The name of a format, as `--format` of the command line takes it. */
export type TimelineFormatName = keyof typeof timelineFormats;
