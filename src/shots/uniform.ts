import { UsageError } from '../base/index.js';
import type { Segmenter } from './types.js';

/** `frames` per shot, default 64: the middle of the bounds of the colour segmenter. */
export type UniformKnobs = { readonly frames?: number | undefined };

/**
 * Equal shots, blind to the pictures: as many as `round(total / frames)`, at least one, with starts `⌊i · total / shots⌋`.
 * Lengths differ by at most one frame, no short shot is left at the end, and each has ⅔ to 1½ of `frames` (a shorter video
 * is one shot).
 */
export function uniform(knobs: UniformKnobs = {}): Segmenter {
  const frames = knobs.frames ?? 64;
  if (!Number.isInteger(frames) || frames < 1) {
    throw new UsageError('bad-shot-length', `Expected a whole number of frames per shot, at least 1, found ${frames}.`);
  }
  let total = 0;
  return {
    name: 'uniform',
    version: `uniform.1/${frames}`,
    push() {
      total++;
    },
    end() {
      if (total === 0) return [];
      const shots = Math.max(1, Math.round(total / frames));
      return Array.from({ length: shots }, (_, i) => Math.floor((i * total) / shots));
    },
  };
}
