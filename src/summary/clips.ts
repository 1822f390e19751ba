import type { FrameClock, FrameRange, Shot } from '../shots/index.js';
import { clipOf, firstFrom, lastUpTo, tickAt, ticksOf } from './clock.js';
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
    ? editClips(grown, { fixed: [...exact, ...whole], walls }, rules, rules.edit, clock)
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

/** Widens clips to a readable length, moves their edges to pauses, then fits them to the length aimed at. */
function editClips(
  given: readonly FrameRange[],
  { fixed, walls }: { readonly fixed: readonly FrameRange[]; readonly walls: readonly FrameRange[] },
  { minTicks, maxTicks, handles }: ClipRules,
  edit: EditRules,
  clock: FrameClock,
): FrameRange[] {
  const frames = clock.frameTicks.length;
  const { findPause } = edit;
  const limits = union([...walls, ...edit.avoid]);
  const least = Math.max(minTicks, Math.min(edit.readable, maxTicks ?? Infinity));
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
  const readable = union(
    given.map((piece) => (holdsFixed(piece) ? piece : widen(piece, least, roomOf(piece), clock))),
  ).map((piece): Piece => ({ ...piece, fixed: holdsFixed(piece) }));

  /** Edges between those of the neighbours, the clip no shorter than readable and no longer than the longest. */
  const moveEnd = (piece: Piece, wanted: number, shortest: number, next: Piece | undefined): Piece => {
    const high = Math.min(roomOf(piece).endFrame, next?.startFrame ?? frames);
    const most = maxTicks === null ? high : lastUpTo(tickAt(piece.startFrame, clock) + maxTicks, wanted, high, clock);
    const low = firstFrom(tickAt(piece.startFrame, clock) + shortest, piece.startFrame + 1, most, clock);
    return { ...piece, endFrame: findPause(clamp(wanted, low, most), low, most) };
  };
  const moveStart = (piece: Piece, wanted: number, shortest: number, before: Piece | undefined): Piece => {
    const low = Math.max(roomOf(piece).startFrame, before?.endFrame ?? 0);
    const end = tickAt(piece.endFrame, clock);
    const most = maxTicks === null ? low : firstFrom(end - maxTicks, low, wanted, clock);
    const high = lastUpTo(end - shortest, most, piece.endFrame - 1, clock);
    return { ...piece, startFrame: findPause(clamp(wanted, most, high), most, high) };
  };
  const settled: Piece[] = [];
  for (const [at, piece] of readable.entries()) {
    const shortest = Math.min(least, ticksOf(piece, clock));
    const begun = piece.fixed ? piece : moveStart(piece, piece.startFrame, shortest, settled.at(-1));
    settled.push(begun.fixed ? begun : moveEnd(begun, begun.endFrame, shortest, readable[at + 1]));
  }
  return edit.target === null ? settled : fitTo(edit.target);

  function fitTo(target: number): Piece[] {
    const pieces = [...settled];
    const around = (2 * handles * (clock.endTicks - tickAt(0, clock))) / Math.max(1, frames);
    const length = (): number =>
      filmTicks(
        pieces.map((piece) => ticksOf(piece, clock) + around),
        edit.fade,
      );
    const excess = (): number => length() - target;
    const byLength = (order: 1 | -1): number[] =>
      [...pieces.keys()]
        .filter((at) => !pieces[at]!.fixed)
        .sort((a, b) => order * (ticksOf(pieces[a]!, clock) - ticksOf(pieces[b]!, clock)) || a - b);
    const change = (at: number, next: Piece): void => {
      const old = pieces[at]!;
      const before = Math.abs(excess());
      pieces[at] = next;
      if (Math.abs(excess()) >= before) pieces[at] = old;
    };
    // The longest clip gives most, and never more than down to a readable length.
    for (let turn = 0; turn < 2 * pieces.length && excess() > 0; turn++) {
      const before = excess();
      for (const at of byLength(-1)) {
        const piece = pieces[at]!;
        const shortest = Math.min(least, ticksOf(piece, clock));
        const wanted = tickAt(piece.endFrame, clock) - excess();
        const low = piece.startFrame + 1;
        change(at, moveEnd(piece, lastUpTo(wanted, low, piece.endFrame, clock), shortest, pieces[at + 1]));
        if (excess() < before) break;
      }
      if (excess() >= before) break;
    }
    // Where the film is too short, the shortest clips grow, forwards, then backwards.
    const missing = (): number => -excess();
    for (const isForward of [true, false]) {
      for (const at of missing() > edit.tolerance ? byLength(1) : []) {
        const piece = pieces[at]!;
        const own = ticksOf(piece, clock);
        const more = Math.min(missing(), edit.longest - own);
        if (more <= 0) continue;
        const edge = tickAt(isForward ? piece.endFrame : piece.startFrame, clock) + (isForward ? more : -more);
        change(
          at,
          isForward
            ? moveEnd(piece, lastUpTo(edge, piece.endFrame, frames, clock), own, pieces[at + 1])
            : moveStart(piece, firstFrom(edge, 0, piece.startFrame, clock), own, pieces[at - 1]),
        );
      }
    }
    return pieces;
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
