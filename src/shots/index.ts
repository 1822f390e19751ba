/** shots: divides a video into the stretches that are ranked. It gets small pictures and frame times, nothing else. */
export { DEFAULT_BOUNDS, type ShotBounds } from './bounds.js';
export type { ColourKnobs } from './colour.js';
export { createSegmenter, SEGMENTER_NAMES, type SegmenterKnobs, type SegmenterName } from './segmenters.js';
export { readShotList, timeMoment, type ListedMoment, type ListedShot, type ShotList } from './shot-list.js';
export { frameAt, isPastEnd, isSameFile, shotsFromList } from './shots-from-list.js';
export { shotsFromFrames, shotsFromStarts, type FrameClock, type FrameRange } from './shots-from.js';
export type { Segmenter, Shot } from './types.js';
export type { UniformKnobs } from './uniform.js';
