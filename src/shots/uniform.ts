import { boundsOf, type BoundsAskedFor } from './bounds.js';
import { shotsFromStarts } from './shots-from.js';
import type { Segmenter } from './types.js';

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
