import { colour, type ColourKnobs } from './colour.js';
import { kts, type KtsKnobs } from './kts.js';
import { type Segmenter, boundsOf, type BoundsAskedFor } from './types.js';
import { shotsFromStarts } from './shots-from.js';

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

/**
 * Equal shots, blind to the pictures, each as long as the middle of the bounds: as many as `round(total / middle)`, at least
 * one, with starts `⌊i · frames / shots⌋`. Lengths differ by at most one frame; no short shot is left at the end.
 */
export function uniform(knobs: BoundsAskedFor = {}): Segmenter {
  const { by, min, max } = boundsOf(knobs);
  return {
    name: 'uniform',
    version: `uniform.2/${(min + max) / 2} ${by}`,
    push: () => undefined,
    end(clock) {
      const { frameTicks, endTicks, timeBase } = clock;
      const frames = frameTicks.length;
      const seconds = ((endTicks - (frameTicks[0] ?? 0)) * timeBase.num) / timeBase.den;
      const shots = Math.round((by === 'frames' ? frames : seconds) / ((min + max) / 2));
      const count = Math.min(frames, Math.max(1, shots));
      return shotsFromStarts(
        Array.from({ length: count }, (_, i) => Math.floor((i * frames) / count)),
        clock,
      );
    },
  };
}
