import type { Rational } from '../base/index.js';
import type { FrameClock, FrameRange, Shot } from '../shots/index.js';
import type { Clip } from './document.js';

/** The stretches a film plays, in film order: chosen shots that touch, in frames and in time, become one clip. */
export function clipsOf(chosen: readonly Pick<Shot, 'startFrame' | 'endFrame' | 'range'>[]): Clip[] {
  const clips: Clip[] = [];
  for (const { startFrame, endFrame, range } of chosen.toSorted((a, b) => a.startFrame - b.startFrame)) {
    const last = clips.at(-1);
    if (last !== undefined && last.endFrame === startFrame && last.range.end === range.start) {
      clips[clips.length - 1] = { ...last, endFrame, range: { ...last.range, end: range.end } };
    } else {
      clips.push({ startFrame, endFrame, range: { start: range.start, end: range.end, base: { ...range.base } } });
    }
  }
  return clips;
}

/** What a film may play of the shots it shows. Lengths are ticks of the video's clock. */
export type ClipRules = {
  /** Clips shorter than this are widened. */
  readonly minTicks: number;
  /** A shot longer than this plays its middle; `null` for no limit. */
  readonly maxTicks: number | null;
  /** Frames added before and after every clip. */
  readonly handles: number;
};

/** What goes into a film: shots to play, stretches to play exactly, and frames that must not play. */
export type Footage = {
  readonly shots: readonly FrameRange[];
  readonly exact: readonly FrameRange[];
  readonly barred: readonly FrameRange[];
};

/**
 * The clips of a film, in film order, every frame once. Long shots are trimmed to their middle; barred frames are removed;
 * what touches is joined; a clip that is too short grows at both ends; handles are added. Nothing grows past the ends of
 * the video or into barred frames, and clips that meet become one. A stretch asked for exactly is neither trimmed nor
 * widened, but gets its handles.
 */
export function planClips({ shots, exact, barred }: Footage, rules: ClipRules, clock: FrameClock): Clip[] {
  const frames = clock.frameTicks.length;
  const walls = union(barred);
  const isExact = ({ startFrame, endFrame }: FrameRange): boolean =>
    exact.some((range) => range.startFrame === startFrame && range.endFrame === endFrame);
  const trimmed = shots.map((shot) => trimToMiddle(shot, rules.maxTicks, clock));
  const pieces = union([...trimmed.flatMap((range) => subtract(range, walls)), ...exact]);
  const grown = pieces.map((piece) =>
    isExact(piece) ? piece : widen(piece, rules.minTicks, roomAround(piece, walls, frames), clock),
  );
  const handled = union(grown).map((range) => {
    const room = roomAround(range, walls, frames);
    return {
      startFrame: Math.max(room.startFrame, range.startFrame - rules.handles),
      endFrame: Math.min(room.endFrame, range.endFrame + rules.handles),
    };
  });
  return union(handled).map((range) => clipOf(range, clock));
}

function clipOf({ startFrame, endFrame }: FrameRange, clock: FrameClock): Clip {
  const base: Rational = { ...clock.timeBase };
  return { startFrame, endFrame, range: { start: tickAt(startFrame, clock), end: tickAt(endFrame, clock), base } };
}

/** The tick at which a frame begins; the end of the video for the frame after the last. */
function tickAt(frame: number, { frameTicks, endTicks }: FrameClock): number {
  return frame < frameTicks.length ? frameTicks[frame]! : endTicks;
}

/** The middle of a range, at most `most` ticks long; at least one frame. */
function trimToMiddle(range: FrameRange, most: number | null, clock: FrameClock): FrameRange {
  const [start, end] = [tickAt(range.startFrame, clock), tickAt(range.endFrame, clock)];
  if (most === null || end - start <= most) return range;
  const startFrame = firstFrom(start + (end - start - most) / 2, range.startFrame, range.endFrame - 1, clock);
  return { startFrame, endFrame: lastUpTo(tickAt(startFrame, clock) + most, startFrame + 1, range.endFrame, clock) };
}

/** Widens a range to at least `least` ticks: half at each end, or more at one end if the other has no room. */
function widen(range: FrameRange, least: number, room: FrameRange, clock: FrameClock): FrameRange {
  const [start, end] = [tickAt(range.startFrame, clock), tickAt(range.endFrame, clock)];
  const missing = least - (end - start);
  if (missing <= 0) return range;
  const before = (tick: number): number => lastUpTo(tick, room.startFrame, range.startFrame, clock);
  const after = (tick: number): number => firstFrom(tick, range.endFrame, room.endFrame, clock);
  const half = before(start - missing / 2);
  const endFrame = after(tickAt(half, clock) + least);
  return { startFrame: before(Math.min(tickAt(half, clock), tickAt(endFrame, clock) - least)), endFrame };
}

/** The first frame of [low, high] that begins at or after a tick; `high` if none does. */
function firstFrom(tick: number, low: number, high: number, clock: FrameClock): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tickAt(middle, clock) < tick) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last frame of [low, high] that begins at or before a tick; `low` if none does. */
function lastUpTo(tick: number, low: number, high: number, clock: FrameClock): number {
  return Math.max(low, firstFrom(tick + 1, low, high + 1, clock) - 1);
}

/** The room between the walls on both sides of a range. */
function roomAround({ startFrame, endFrame }: FrameRange, walls: readonly FrameRange[], frames: number): FrameRange {
  const before = walls.filter((wall) => wall.endFrame <= startFrame).at(-1);
  const after = walls.find((wall) => wall.startFrame >= endFrame);
  return { startFrame: before?.endFrame ?? 0, endFrame: after?.startFrame ?? frames };
}

/** The ranges in order, joined where they touch or overlap. */
function union(ranges: readonly FrameRange[]): FrameRange[] {
  const joined: FrameRange[] = [];
  for (const { startFrame, endFrame } of ranges.toSorted((a, b) => a.startFrame - b.startFrame)) {
    const last = joined.at(-1);
    if (last === undefined || startFrame > last.endFrame) joined.push({ startFrame, endFrame });
    else if (endFrame > last.endFrame) joined[joined.length - 1] = { ...last, endFrame };
  }
  return joined;
}

/** The parts of a range outside of the walls. */
function subtract(range: FrameRange, walls: readonly FrameRange[]): FrameRange[] {
  const pieces: FrameRange[] = [];
  let { startFrame } = range;
  for (const wall of walls) {
    if (wall.endFrame <= startFrame || wall.startFrame >= range.endFrame) continue;
    if (wall.startFrame > startFrame) pieces.push({ startFrame, endFrame: wall.startFrame });
    startFrame = wall.endFrame;
  }
  return startFrame < range.endFrame ? [...pieces, { startFrame, endFrame: range.endFrame }] : pieces;
}
