/**
 * shots: finds the takes of a video and divides them into the shots that are ranked. It gets small pictures and frame
 * times, opens no file and sees no features.
 *
 * A take is what lies between two cuts, hard or gradual; a shot is a stretch of a take. Long takes are divided where
 * something changes. What is then still too long is divided equally: shots with the same `view` are one view, of which a
 * film needs only the best stretch. A take too short to stand alone is a shot with `isShort`.
 *
 * - Every video needs a segmenter of its own. It keeps no pictures; memory is a few bytes per frame. Its `version` and
 *   bounds are part of the cache key.
 * - The same pictures give the same shots: whole numbers, and a rule for ties.
 * - A shot ends at the tick of the next frame, the last one at `endTicks`. Listed shots may leave gaps; each is its own
 *   take.
 */
export { DEFAULT_BOUNDS, shortestFrames, type Segmenter, type Segments, type Shot, type Take } from './types.js';
export { createSegmenter, SEGMENTER_NAMES } from './segmenters.js';
export {
  readShotList,
  timeMoment,
  frameAt,
  isPastEnd,
  isSameFile,
  shotsFromList,
  type ListedMoment,
  type ShotList,
} from './shot-list.js';
export { shotsFromFrames, shotsFromStarts, type FrameClock, type FrameRange } from './shots-from.js';

/*
 * flaws and measures: what is wrong with pictures, from small measures of every frame and sample. Measures are stored with the
 * analysis; flaws are decided from them later, so that a threshold changes without decoding again. It knows no files and no
 * decoder, and never refuses a whole video.
 */
export { detailScale } from './detail-scale.js';
export { findFlaws, FLAW_KINDS, isUsable, pictureQuality, refusedShots, type Flaw } from './flaws.js';
export { activityOf, frameMeter, readMeasures, type FrameMeasures } from './measures.js';
export { measureSample, readSamples, writeSamples, type SampleMeasures } from './measured-samples.js';
