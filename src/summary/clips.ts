import type { FrameClock, FrameRange, Shot } from '../shots/index.js';
import type { Clip } from './document.js';
import type { FindPause } from './pauses.js';

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
  /** How clips are edited; absent to play shots exactly as they were found. */
  readonly edit?: EditRules | undefined;
};

/** How the edges of clips are chosen. Lengths are ticks. */
export type EditRules = {
  /** What lies between two cuts. Clips are widened and moved inside their takes only. */
  readonly takes: readonly FrameRange[];
  /** Bad pictures: clips do not grow into them. */
  readonly avoid: readonly FrameRange[];
  readonly findPause: FindPause;
  /** A clip has at least this length, or that of its take. */
  readonly readable: number;
  /** A clip has at least this length, even if it has to run across a cut. */
  readonly visible: number;
  /** What a clip may grow to where the film is too short. */
  readonly longest: number;
  /** The length of the film that is aimed at, fades counted; `null` for none. */
  readonly target: number | null;
  /** What the film may be off the target before clips are changed for it. */
  readonly tolerance: number;
  readonly fade: number;
};

/** What goes into a film: shots to play, stretches to play exactly, and frames that must not play. */
export type Footage = {
  readonly shots: readonly FrameRange[];
  readonly exact: readonly FrameRange[];
  readonly barred: readonly FrameRange[];
  /** Shots among them that play whole, as pinned ones do. */
  readonly whole?: readonly FrameRange[];
};

/**
 * The clips of a film, in film order, every frame once. Long shots are trimmed to their middle; barred frames are removed;
 * what touches is joined; a clip that is too short grows at both ends; edges move to pauses, and clips are trimmed or grow to
 * the length aimed at (`edit`); handles are added. Nothing grows past the ends of the video or into barred frames, and clips
 * that meet become one. A stretch asked for exactly is neither trimmed nor widened nor moved, but gets its handles.
 */
export function planClips({ shots, exact, barred, whole = [] }: Footage, rules: ClipRules, clock: FrameClock): Clip[] {
  const frames = clock.frameTicks.length;
  const walls = union(barred);
  const isExact = ({ startFrame, endFrame }: FrameRange): boolean =>
    exact.some((range) => range.startFrame === startFrame && range.endFrame === endFrame);
  const trimmed = shots.map((shot) => trimToMiddle(shot, rules.maxTicks, clock));
  const pieces = union([...trimmed.flatMap((range) => subtract(range, walls)), ...exact]);
  const grown = union(
    pieces.map((piece) =>
      isExact(piece) ? piece : widen(piece, rules.minTicks, roomAround(piece, walls, frames), clock),
    ),
  );
  const edited = rules.edit
    ? editAndFit(grown, { fixed: [...exact, ...whole], walls }, rules, rules.edit, clock)
    : grown;
  const handled = union(edited).map((range) => {
    const room = roomAround(range, walls, frames);
    return {
      startFrame: Math.max(room.startFrame, range.startFrame - rules.handles),
      endFrame: Math.min(room.endFrame, range.endFrame + rules.handles),
    };
  });
  return union(handled).map((range) => clipOf(range, clock));
}

/** Clips under way: `fixed` ones hold a stretch that was asked for and stay as they are. */
type Piece = FrameRange & { readonly fixed: boolean };

/** What clips may not change, and where they may not go. */
type Bounds = { readonly fixed: readonly FrameRange[]; readonly walls: readonly FrameRange[] };

/** The clips of one video, in its order, while their edges can still move. */
export type EditableClips = {
  readonly clock: FrameClock;
  /** What each clip is now; the fitting replaces them. */
  readonly pieces: Piece[];
  /** What each clip was before its edges moved. */
  readonly origins: readonly FrameRange[];
  /** A clip that ends about `by` ticks earlier, at a pause and not below a readable length; `isHard`: not a frame later. */
  trimmed(at: number, by: number, isHard?: boolean): Piece;
  /** A clip that begins or ends up to `by` ticks further out, at a pause and no longer than the longest. */
  grown(at: number, by: number, isForward: boolean): Piece;
};

function editAndFit(
  given: readonly FrameRange[],
  bounds: Bounds,
  rules: ClipRules,
  edit: EditRules,
  clock: FrameClock,
): readonly FrameRange[] {
  const clips = editClips(given, bounds, rules, edit, clock);
  const { target, tolerance, fade } = edit;
  const frames = clock.frameTicks.length;
  const around = (2 * rules.handles * (clock.endTicks - tickAt(0, clock))) / Math.max(1, frames);
  const length = (): number => filmTicks(clips.pieces.map((piece) => ticksOf(piece, clock) + around), fade); // prettier-ignore
  if (target !== null) fitClips([clips], { target, tolerance, length, unitOf: () => 1 });
  return clips.pieces;
}

/**
 * Widens clips to a readable length and moves their edges to pauses. A clip that is too short to be seen runs on across cuts,
 * and is left out if it cannot and others remain. `mostTicks` is what all clips together may have.
 */
export function editClips(
  given: readonly FrameRange[],
  { fixed, walls: barred }: Bounds,
  { minTicks, maxTicks }: Pick<ClipRules, 'minTicks' | 'maxTicks'>,
  edit: Omit<EditRules, 'target' | 'tolerance' | 'fade'>,
  clock: FrameClock,
  mostTicks = Infinity,
): EditableClips {
  const frames = clock.frameTicks.length;
  const { findPause } = edit;
  const walls = union(barred);
  const limits = union([...walls, ...edit.avoid]);
  const least = Math.max(minTicks, Math.min(edit.readable, maxTicks ?? Infinity));
  const visible = Math.min(edit.visible, maxTicks ?? Infinity);
  const holdsFixed = (piece: FrameRange): boolean =>
    fixed.some((range) => range.startFrame < piece.endFrame && range.endFrame > piece.startFrame);
  const takeAt = (frame: number): FrameRange =>
    edit.takes.find((take) => frame >= take.startFrame && frame < take.endFrame) ?? { startFrame: 0, endFrame: frames };
  /** How far a clip may reach: inside the takes of its first and last frame, up to walls. */
  const roomOf = (piece: FrameRange): FrameRange => {
    const room = roomAround(piece, limits, frames);
    return {
      startFrame: Math.max(room.startFrame, takeAt(piece.startFrame).startFrame),
      endFrame: Math.min(room.endFrame, takeAt(piece.endFrame - 1).endFrame),
    };
  };
  const widened = union(
    given.map((piece) => {
      if (holdsFixed(piece)) return piece;
      const readable = widen(piece, least, roomOf(piece), clock);
      return widen(readable, visible, roomAround(readable, walls, frames), clock);
    }),
  ).map((piece): Piece => ({ ...piece, fixed: holdsFixed(piece) }));
  const seen = widened.filter((piece) => piece.fixed || ticksOf(piece, clock) >= visible);
  const origins = seen.length > 0 ? seen : widened;
  const pieces = [...origins];

  const total = (): number => pieces.reduce((sum, piece) => sum + ticksOf(piece, clock), 0);
  /** What a clip may have at most, given the others. */
  const limitOf = (piece: Piece, longest: number): number =>
    Math.min(longest, maxTicks ?? Infinity, ticksOf(piece, clock) + mostTicks - total());
  /** Edges between those of the neighbours, the clip no shorter than `shortest` and no longer than `limit`. */
  const moveEnd = (at: number, wanted: number, shortest: number, limit: number): Piece => {
    const piece = pieces[at]!;
    const high = Math.min(roomOf(piece).endFrame, pieces[at + 1]?.startFrame ?? frames);
    const most = limit === Infinity ? high : lastUpTo(tickAt(piece.startFrame, clock) + limit, Math.min(wanted, high), high, clock); // prettier-ignore
    const low = firstFrom(tickAt(piece.startFrame, clock) + shortest, piece.startFrame + 1, most, clock);
    return { ...piece, endFrame: findPause(clamp(wanted, low, most), low, most) };
  };
  const moveStart = (at: number, wanted: number, shortest: number, limit: number): Piece => {
    const piece = pieces[at]!;
    const low = Math.max(roomOf(piece).startFrame, pieces[at - 1]?.endFrame ?? 0);
    const end = tickAt(piece.endFrame, clock);
    const most = limit === Infinity ? low : firstFrom(end - limit, low, Math.max(wanted, low), clock);
    const high = lastUpTo(end - shortest, most, piece.endFrame - 1, clock);
    return { ...piece, startFrame: findPause(clamp(wanted, most, high), most, high) };
  };
  const shortestOf = (at: number): number => Math.min(least, ticksOf(pieces[at]!, clock));
  for (const [at, { startFrame, fixed: stays }] of origins.entries()) {
    if (stays) continue;
    const shortest = shortestOf(at);
    pieces[at] = moveStart(at, startFrame, shortest, limitOf(pieces[at]!, Infinity));
    pieces[at] = moveEnd(at, pieces[at].endFrame, shortest, limitOf(pieces[at], Infinity));
  }
  return {
    ...{ clock, pieces, origins },
    trimmed(at, by, isHard = false) {
      const { startFrame, endFrame } = pieces[at]!;
      const wanted = lastUpTo(tickAt(endFrame, clock) - by, startFrame + 1, endFrame, clock);
      return moveEnd(at, wanted, shortestOf(at), isHard ? 0 : (maxTicks ?? Infinity));
    },
    grown(at, by, isForward) {
      const piece = pieces[at]!;
      const own = ticksOf(piece, clock);
      const limit = limitOf(piece, edit.longest);
      const more = Math.min(by, limit - own);
      if (more <= 0) return piece;
      return isForward
        ? moveEnd(at, lastUpTo(tickAt(piece.endFrame, clock) + more, piece.endFrame, frames, clock), own, limit)
        : moveStart(at, firstFrom(tickAt(piece.startFrame, clock) - more, 0, piece.startFrame, clock), own, limit);
    },
  };
}

/** The length that a film is fitted to. Lengths are ticks, or any unit of which a tick has `unitOf`. */
type Fit = {
  readonly target: number;
  /** What the film may be too short before its clips grow. */
  readonly tolerance: number;
  /** How long the film is now, fades counted. */
  length(): number;
  unitOf(clips: EditableClips): number;
  /** Whether a film that is trimmed must not end up longer than the target. */
  readonly isHard?: boolean;
};

/** Trims the longest clips of a film, or lets the shortest grow, until it has the length aimed at. */
export function fitClips(
  videos: readonly EditableClips[],
  { target, tolerance, length, unitOf, isHard = false }: Fit,
): void {
  const free = videos.flatMap((clips) => [...clips.pieces.keys()].flatMap((at) => (clips.pieces[at]!.fixed ? [] : [{ clips, at, unit: unitOf(clips) }]))); // prettier-ignore
  type Free = (typeof free)[number];
  const lengthOf = ({ clips, at, unit }: Free): number => unit * ticksOf(clips.pieces[at]!, clips.clock);
  const byLength = (order: 1 | -1): Free[] => free.toSorted((a, b) => order * (lengthOf(a) - lengthOf(b)));
  const excess = (): number => length() - target;
  /** Changes a clip if that brings the film nearer to its length. */
  const change = ({ clips: { pieces }, at }: Free, next: Piece): void => {
    const [old, before] = [pieces[at]!, Math.abs(excess())];
    pieces[at] = next;
    if (Math.abs(excess()) >= before) pieces[at] = old;
  };
  // The longest clip gives most, and never more than down to a readable length.
  for (let turn = 0; turn < 2 * free.length && excess() > 0; turn++) {
    const before = excess();
    for (const each of byLength(-1)) {
      change(each, each.clips.trimmed(each.at, excess() / each.unit, isHard));
      if (excess() < before) break;
    }
    if (excess() >= before) break;
  }
  // Where the film is too short, the shortest clips grow, forwards, then backwards.
  for (const isForward of [true, false]) {
    for (const each of -excess() > tolerance ? byLength(1) : []) {
      const missing = -excess() / each.unit;
      if (missing > 0) change(each, each.clips.grown(each.at, missing, isForward));
    }
  }
}

/** Ticks of a film whose clips fade into each other over `fade` ticks, or half of the shorter clip. */
function filmTicks(lengths: readonly number[], fade: number): number {
  const fades = lengths.slice(1).map((length, at) => Math.min(fade, length / 2, lengths[at]! / 2));
  return [...lengths, ...fades.map((each) => -each)].reduce((sum, each) => sum + each, 0);
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
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
function lastUpTo(tick: number, low: number, high: number, clock: FrameClock): number {
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
