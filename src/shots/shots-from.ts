import { NumericError, type Rational } from '../base/index.js';
import type { Shot } from './types.js';

/** Frames `[startFrame, endFrame)`. */
export type FrameRange = { readonly startFrame: number; readonly endFrame: number };

/** The clock of a decoded video: the tick of each frame, the tick at which the last frame ends, and seconds per tick. */
export type FrameClock = {
  readonly frameTicks: ArrayLike<number>;
  readonly endTicks: number;
  readonly timeBase: Rational;
};

/** Shots of these frames with exact times: a shot ends where the next frame begins, the last one at `endTicks`. */
export function shotsFromFrames(ranges: readonly FrameRange[], { frameTicks, endTicks, timeBase }: FrameClock): Shot[] {
  const frames = frameTicks.length;
  return ranges.map(({ startFrame, endFrame }, index) => {
    const whole = Number.isInteger(startFrame) && Number.isInteger(endFrame);
    if (!whole || startFrame < 0 || endFrame <= startFrame || endFrame > frames) {
      throw new NumericError(
        'bad-shot',
        `Expected shot ${index} inside frames 0 to ${frames}, found ${startFrame} to ${endFrame}.`,
      );
    }
    const start = frameTicks[startFrame] as number;
    const end = endFrame < frames ? (frameTicks[endFrame] as number) : endTicks;
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || end <= start) {
      throw new NumericError(
        'bad-frame-times',
        `Expected rising frame times, found shot ${index} from ${start} to ${end}.`,
      );
    }
    return { index, startFrame, endFrame, range: { start, end, base: timeBase } };
  });
}

/** Shots that cover every frame, from the first frame of each (ascending, beginning with 0; none for no frames). */
export function shotsFromStarts(
  starts: readonly number[],
  frameTicks: ArrayLike<number>,
  endTicks: number,
  timeBase: Rational,
): Shot[] {
  const first = frameTicks.length === 0 ? undefined : 0;
  if (starts[0] !== first) {
    throw new NumericError('bad-shot', `Expected the first shot to begin with frame ${first}, found ${starts[0]}.`);
  }
  const ranges = starts.map((startFrame, i) => ({ startFrame, endFrame: starts[i + 1] ?? frameTicks.length }));
  return shotsFromFrames(ranges, { frameTicks, endTicks, timeBase });
}
