import type { FrameClock, FrameRange } from '../shots/index.js';
import type { Clip } from './document.js';

/** The tick at which a frame begins; the end of the video for the frame after the last. */
export function tickAt(frame: number, { frameTicks, endTicks }: FrameClock): number {
  return frame < frameTicks.length ? frameTicks[frame]! : endTicks;
}

/** The first frame of [low, high] that begins at or after a tick; `high` if none does. */
export function firstFrom(tick: number, low: number, high: number, clock: FrameClock): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tickAt(middle, clock) < tick) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last frame of [low, high] that begins at or before a tick; `low` if none does. */
export function lastUpTo(tick: number, low: number, high: number, clock: FrameClock): number {
  return Math.max(low, firstFrom(tick + 1, low, high + 1, clock) - 1);
}

/** Frames with their exact time. */
export function clipOf({ startFrame, endFrame }: FrameRange, clock: FrameClock): Clip {
  const base = { ...clock.timeBase };
  return { startFrame, endFrame, range: { start: tickAt(startFrame, clock), end: tickAt(endFrame, clock), base } };
}

/** Ticks of a range of frames. */
export function ticksOf({ startFrame, endFrame }: FrameRange, clock: FrameClock): number {
  return tickAt(endFrame, clock) - tickAt(startFrame, clock);
}
