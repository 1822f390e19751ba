/**
 * shots: finds the takes of a video and divides them into the shots that are ranked. It gets small pictures and frame times,
 * nothing else. A take is what lies between two cuts, hard or gradual; a shot is a stretch of a take. Long takes are divided
 * where something changes. What is then still too long is divided equally, and says so: shots with the same `view` are one
 * view, of which a film needs only the best stretch. A take too short to stand alone is a shot with `isShort`.
 */
export { DEFAULT_BOUNDS, shortestFrames, type ShotBounds } from './bounds.js';
export type { ColourKnobs } from './colour.js';
export { createSegmenter, SEGMENTER_NAMES, type SegmenterKnobs, type SegmenterName } from './segmenters.js';
export { readShotList, timeMoment, type ListedMoment, type ListedShot, type ShotList } from './shot-list.js';
export { frameAt, isPastEnd, isSameFile, shotsFromList } from './shots-from-list.js';
export { shotsFromFrames, shotsFromStarts, type FrameClock, type FrameRange } from './shots-from.js';
export type { Segmenter, Segments, Shot, Take } from './types.js';
