/** wishes: what people ask of a summary. Parsed as written, matched with videos, applied to shots and frames. */
export { flawOf, parseWish, WISH_FORM, type Wish } from './parse.js';
export { checkRanges, placeWishes, type Placed, type Wishes } from './place.js';
export { applySequence, applyWishes, NO_WISHES, type VideoWishes } from './apply.js';
