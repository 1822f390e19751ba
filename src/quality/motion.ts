import type { FrameMeasures } from './measures.js';

/** Footage whose median shot changes less than this between frames, in levels of brightness, is made of stills. */
const STILL = 0.05;
/** Added before the logarithm, so that noise in a shot where nothing happens does not count. */
const NOISE = 0.2;

type Frames = { readonly startFrame: number; readonly endFrame: number };

/**
 * How much happens in each shot, less what the camera does:
 *   h_i = log( NOISE + mean over its frames t of  motion_t / (1 + |move_t|) ),   move in pixels of the measured picture
 * The first frame of a shot is left out: its change is the cut. Returns null for stills, of which this says nothing.
 */
export function activityOf(
  shots: readonly Frames[],
  { motion, moveX, moveY }: Pick<FrameMeasures, 'motion' | 'moveX' | 'moveY'>,
): Float64Array | null {
  const [means, activity] = [new Float64Array(shots.length), new Float64Array(shots.length)];
  for (const [i, { startFrame, endFrame }] of shots.entries()) {
    const count = Math.max(1, endFrame - startFrame - 1);
    for (let t = startFrame + 1; t < endFrame; t++) {
      const change = (motion[t] as number) / count;
      means[i]! += change;
      activity[i]! += change / (1 + Math.hypot(moveX[t] as number, moveY[t] as number) / 8);
    }
  }
  const median = means.toSorted()[Math.floor(means.length / 2)] ?? 0;
  return median < STILL ? null : activity.map((value) => Math.log(NOISE + value));
}
