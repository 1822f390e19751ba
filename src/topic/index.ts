/** topic: what the videos of a topic have in common, as one second moment. It knows features, not films. */
export { alikeFrom } from './alike.js';
export { addMoments, emptyMoment, hasUnitRows, mergeMoments, momentOf, removeMoment } from './moment.js';
export { decodeMoment, encodeMoment } from './moment-file.js';
export { problemOf, problemsOfTopic } from './problem.js';
export type { Moment, Neighbor, Problem } from './types.js';
export { whitenTopic, type WhitenKnobs } from './whiten.js';
export { withWishes } from './wishes.js';
