import { UsageError } from '../base/index.js';

/** The shortest and longest shot allowed, in frames. */
export type ShotBounds = { readonly minFrames: number; readonly maxFrames: number };

/** The paper's bounds: every shot has 32 to 96 frames. */
export const DEFAULT_BOUNDS: ShotBounds = { minFrames: 32, maxFrames: 96 };

/** Largest `maxFrames`: shot lengths are kept in two bytes each. */
const LONGEST = 65_535;

/** The bounds asked for, or the default; throws unless they divide every video of at least `minFrames` frames. */
export function boundsOf(knobs: Partial<ShotBounds>): ShotBounds {
  const minFrames = knobs.minFrames ?? DEFAULT_BOUNDS.minFrames;
  const maxFrames = knobs.maxFrames ?? DEFAULT_BOUNDS.maxFrames;
  const whole = Number.isInteger(minFrames) && Number.isInteger(maxFrames) && minFrames >= 1 && maxFrames <= LONGEST;
  // A stretch of maxFrames + 1 must be divisible in two.
  if (!whole || maxFrames + 1 < 2 * minFrames) {
    throw new UsageError(
      'bad-shot-bounds',
      `Expected whole shot bounds with 1 ≤ min and 2·min − 1 ≤ max ≤ ${LONGEST} frames, found min ${minFrames} and ` +
        `max ${maxFrames}. Raise the longest or lower the shortest shot, so that every length can be divided.`,
    );
  }
  return { minFrames, maxFrames };
}
