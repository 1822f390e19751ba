import { colour, type ColourKnobs } from './colour.js';
import { kts, type KtsKnobs } from './kts.js';
import type { Segmenter } from './types.js';
import { uniform } from './uniform.js';

/** The ways to divide a video into shots. */
export const SEGMENTER_NAMES = ['colour', 'uniform', 'kts'] as const;

/** One of `SEGMENTER_NAMES`. */
export type SegmenterName = (typeof SEGMENTER_NAMES)[number];

/** Size of the pictures, the shortest and longest shot, and frames per second where `kts` needs them. */
export type SegmenterKnobs = ColourKnobs & KtsKnobs;

/** A new segmenter for one video; each uses the knobs that concern it. */
export function createSegmenter(name: SegmenterName, knobs: SegmenterKnobs): Segmenter {
  switch (name) {
    case 'colour':
      return colour(knobs);
    case 'uniform':
      return uniform(knobs);
    case 'kts':
      return kts(knobs);
  }
}
