/** Wishes about shots: read as they are written, placed on the videos they mean, laid on shots and frames. */
export {
  checkRanges,
  laySequence,
  layWishes,
  NO_WISHES,
  parseWish,
  placeWishes,
  WISH_FORM,
  type Placed,
  type VideoWishes,
  type Wish,
  type Wishes,
} from './lay.js';
