import { toSeconds, UsageError } from '../base/index.js';
import { frameAt, isPastEnd, type FrameClock, type FrameRange, type Shot } from '../shots/index.js';
import type { Wish } from './parse.js';
import { contradiction, outside } from './refuse.js';

/** An order made by hand, for the shots of one video. */
type Sequence = {
  /** Shots by index, in the order its film plays them. */
  readonly sequence: readonly number[];
  /** Shots by index, with their places in the film of the topic. */
  readonly topicPlaces: ReadonlyMap<number, number>;
};

/** What the wishes of a run mean for one video. */
export type VideoWishes = Sequence & {
  /** Shots by index that count as already shown, and shots that must stay out. */
  readonly pinned: readonly number[];
  readonly vetoed: readonly number[];
  /** Frames that play exactly as asked for, wherever shots begin and end. */
  readonly exact: readonly FrameRange[];
  /** Pinned shots of which only frames in `exact` were asked for. */
  readonly partly: readonly number[];
  /** Frames that never play. */
  readonly barred: readonly FrameRange[];
};

/** A video without wishes. */
export const NO_WISHES: VideoWishes = {
  ...{ pinned: [], vetoed: [], exact: [], partly: [], barred: [] },
  ...{ sequence: [], topicPlaces: new Map() },
};

/**
 * Applies wishes to a video whose shots and frames are known. A range is exact: pinned frames play and vetoed frames do not,
 * wherever shots begin and end. For the solver, a shot counts as pinned or vetoed if at least half of its frames are; the
 * shot with the largest part of a pinned range always counts as pinned.
 */
export function applyWishes(
  { pin, veto }: { readonly pin: readonly Wish[]; readonly veto: readonly Wish[] },
  video: { readonly name: string; readonly shots: readonly Shot[] },
  clock: FrameClock,
): Omit<VideoWishes, keyof Sequence> {
  const wanted = pin.map((wish) => ({ wish, frames: framesOf(wish, video, clock) }));
  const unwanted = veto.map((wish) => ({ wish, frames: framesOf(wish, video, clock) }));
  for (const { wish, frames } of wanted) {
    const against = unwanted.find((other) => common(frames, other.frames) > 0);
    if (against) throw contradiction(wish, against.wish);
  }
  const exact = wanted.filter(({ wish }) => wish.kind === 'time').map(({ frames }) => frames);
  const barred = unwanted.map(({ frames }) => frames);
  const most = exact.flatMap((range) => mostOf(range, video.shots));
  const named = wanted.flatMap(({ wish }) => (wish.kind === 'shot' ? [wish.number - 1] : []));
  const isPinned = (shot: Shot): boolean =>
    named.includes(shot.index) || most.includes(shot.index) || isHalf(exact, shot);
  const pinned = video.shots.filter(isPinned);
  const vetoed = video.shots.filter((shot) => !pinned.includes(shot) && isHalf(barred, shot));
  if (vetoed.length === video.shots.length) {
    throw new UsageError(
      'all-vetoed',
      `Expected a shot of "${video.name}" that is not vetoed, found none: a summary is never empty. Leave the video out of the topic, or remove a veto.`,
    );
  }
  return {
    pinned: pinned.map(({ index }) => index),
    vetoed: vetoed.map(({ index }) => index),
    exact,
    partly: pinned.flatMap(({ index }) => (named.includes(index) ? [] : [index])),
    barred,
  };
}

/** Applies an order made by hand to one video; `topic` gives places in the film of the topic. */
export function applySequence(
  { sequence, topic }: { sequence: readonly Wish[]; topic: ReadonlyMap<Wish, number> },
  video: { readonly name: string; readonly shots: readonly Shot[] },
): Sequence {
  const indexOf = (wish: Wish): number => shotOf(wish, video).index;
  // A shot named twice plays where it was named first.
  const topicPlaces = new Map([...topic].toReversed().map(([wish, place]) => [indexOf(wish), place]));
  return { sequence: sequence.map(indexOf), topicPlaces };
}

function shotOf(
  wish: Wish & { number?: number },
  { name, shots }: { readonly name: string; readonly shots: readonly Shot[] },
): Shot {
  const shot = shots[(wish.number ?? 0) - 1];
  if (shot) return shot;
  throw new UsageError(
    'unknown-shot',
    `Expected a shot from 1 to ${shots.length} of "${name}" in "${wish.written}", found ${wish.number}. The report numbers them.`,
  );
}

function framesOf(
  wish: Wish,
  { name, shots }: { name: string; shots: readonly Shot[] },
  clock: FrameClock,
): FrameRange {
  if (wish.kind === 'shot') {
    const { startFrame, endFrame } = shotOf(wish, { name, shots });
    return { startFrame, endFrame };
  }
  const [startFrame, endFrame] = [frameAt(wish.from, clock), frameAt(wish.to, clock)];
  const frames = clock.frameTicks.length;
  if (startFrame >= frames || isPastEnd(wish.to, clock)) {
    throw outside(wish, name, toSeconds(clock.endTicks - (clock.frameTicks[0] ?? 0), clock.timeBase));
  }
  // A range shorter than a frame means the frame it falls on.
  return { startFrame, endFrame: Math.max(startFrame + 1, endFrame) };
}

/** Frames two ranges have in common. */
function common(a: FrameRange, b: FrameRange): number {
  return Math.max(0, Math.min(a.endFrame, b.endFrame) - Math.max(a.startFrame, b.startFrame));
}

/** The shot with the largest part of a range, the earlier of two; none if the range lies between shots. */
function mostOf(range: FrameRange, shots: readonly Shot[]): number[] {
  let [best, most] = [-1, 0];
  for (const shot of shots) if (common(range, shot) > most) [best, most] = [shot.index, common(range, shot)];
  return best < 0 ? [] : [best];
}

/** Whether ranges cover at least half of a shot; frames in two of them count once. */
function isHalf(ranges: readonly FrameRange[], shot: Shot): boolean {
  let [covered, reached] = [0, shot.startFrame];
  for (const range of ranges.toSorted((a, b) => a.startFrame - b.startFrame)) {
    covered += common(range, { startFrame: reached, endFrame: shot.endFrame });
    reached = Math.max(reached, Math.min(range.endFrame, shot.endFrame));
  }
  return covered > 0 && 2 * covered >= shot.endFrame - shot.startFrame;
}
