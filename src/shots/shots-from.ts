import { NumericError, type Rational } from '../base/index.js';
import type { Segments, Take } from './types.js';

/** Frames `[startFrame, endFrame)`. */
export type FrameRange = { readonly startFrame: number; readonly endFrame: number };

/** The clock of a decoded video: the tick of each frame, the tick at which the last frame ends, and seconds per tick. */
export type FrameClock = {
  readonly frameTicks: ArrayLike<number>;
  readonly endTicks: number;
  readonly timeBase: Rational;
};

/** These frames with exact times: a stretch ends where the next frame begins, the last one at `endTicks`. */
function stretchesOf(ranges: readonly FrameRange[], { frameTicks, endTicks, timeBase }: FrameClock): Take[] {
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

/** Shots of these frames, each a take and a view of its own, because whoever listed them knew where the cuts are. */
export function shotsFromFrames(ranges: readonly FrameRange[], clock: FrameClock): Segments {
  const takes = stretchesOf(ranges, clock);
  return { takes, shots: takes.map((take) => ({ ...take, take: take.index, view: take.index })) };
}

/**
 * Shots that cover every frame, from the first frame of each (ascending, beginning with 0; none for no frames). `views` and
 * `takes` are some of these starts; without them, each shot is a view and a take of its own.
 */
export function shotsFromStarts(
  shots: readonly number[],
  clock: FrameClock,
  { views = shots, takes = views }: { views?: readonly number[]; takes?: readonly number[] } = {},
): Segments {
  const frames = clock.frameTicks.length;
  const first = frames === 0 ? undefined : 0;
  const stretchesFrom = (starts: readonly number[]): Take[] => {
    if (starts[0] !== first) {
      throw new NumericError('bad-shot', `Expected the first shot to begin with frame ${first}, found ${starts[0]}.`);
    }
    const ranges = starts.map((startFrame, i) => ({ startFrame, endFrame: starts[i + 1] ?? frames }));
    return stretchesOf(ranges, clock);
  };
  let [take, view] = [-1, -1];
  const numbered = stretchesFrom(shots).map((shot) => {
    if (takes[take + 1] === shot.startFrame) take++;
    if (views[view + 1] === shot.startFrame) view++;
    return { ...shot, take, view };
  });
  return { takes: stretchesFrom(takes), shots: numbered };
}
