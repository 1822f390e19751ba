/** Wishes about shots: read as they are written, placed on the videos they mean, laid on shots and frames. */
export { parseWish, WISH_FORM, type Wish } from './parse.js';
export { checkRanges, placeWishes, type Placed, type Wishes } from './place.js';
export { laySequence, layWishes, NO_WISHES, type VideoWishes } from './lay.js';
