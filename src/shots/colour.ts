import { boundsOf, type BoundsAskedFor } from './bounds.js';
import { divide } from './divide.js';
import { signalMeter } from './signal.js';
import { findTakes } from './takes.js';
import type { Segmenter } from './types.js';

/** Size of the pictures, and the shortest and longest shot. */
export type ColourKnobs = { readonly widthPx: number; readonly heightPx: number } & BoundsAskedFor;

/** Takes from what changes between pictures (`findTakes`), and shots from what changes inside takes (`divide`). */
export function colour(knobs: ColourKnobs): Segmenter {
  const bounds = boundsOf(knobs);
  const meter = signalMeter(knobs.widthPx, knobs.heightPx);
  return {
    name: 'colour',
    version: `colour.2/${bounds.min}-${bounds.max} ${bounds.by}`,
    push: (picture, seconds) => meter.push(picture, seconds),
    end(clock) {
      const { frameTicks, timeBase } = clock;
      const times = Float64Array.from(
        frameTicks,
        (tick) => ((tick - (frameTicks[0] as number)) * timeBase.num) / timeBase.den,
      );
      const signal = meter.end();
      return divide(findTakes(signal, times), signal.novelty, times, clock, bounds);
    },
  };
}
