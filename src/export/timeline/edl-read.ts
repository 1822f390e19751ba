import { badTimeline, type CutList, type EditedClip } from './edited.js';
import { canDrop, formatRate, parseRate, type Counting } from './rates.js';
import { formatTimecode, framesADay, isDropLabel, parseTimecode } from './timecode.js';

type Event = {
  readonly line: number;
  readonly reel: string;
  readonly channels: string;
  readonly effect: string;
  /** Source in and out, record in and out. */
  readonly labels: readonly [string, string, string, string];
  readonly isDropList: boolean;
  readonly comments: string[];
};

/** The most lines that are read: a thousand times the events that the format can number. */
const MOST_LINES = 1_000_000;

/**
 * Reads a CMX 3600 list as editing systems write it. The format does not state its frame rate: a comment of ours does,
 * else the caller. Events with only sound, or black, are left out; transitions count as cuts.
 */
export function readEdl(
  text: string,
  options: { file: string; asked?: Counting | undefined; usual: Counting },
): CutList {
  const { title, events, notes } = readLines(text, options.file);
  const counting = options.asked ?? statedRate(events) ?? dropIf(events, options.usual);
  const clips = events.flatMap((event) => {
    const [from, to, at] = event.labels.slice(0, 3).map((label, place) => {
      const labelled = { rate: counting.rate, dropFrame: isDropped(event, place) };
      const frame = labelled.dropFrame && !canDrop(counting.rate) ? null : parseTimecode(label, labelled);
      if (frame !== null) return frame;
      const rate = formatRate(labelled);
      throw badTimeline(
        options.file,
        `line ${event.line}`,
        `there is no timecode ${label} at ${rate} frames per second. If the list has another rate, say so with --rate`,
      );
    }) as [number, number, number];
    const length = to < from ? to + framesADay({ ...counting, dropFrame: isDropped(event, 0) }) - from : to - from;
    return length === 0 ? [] : [{ at, clip: clipOf(event, from, from + length, counting) }];
  });
  // The list may be sorted by source (C-mode); the record side has the order of play.
  clips.sort((a, b) => a.at - b.at);
  return { title, counting, clips: clips.map(({ clip }) => clip), notes };
}

function readLines(text: string, file: string): { title: string | null; events: Event[]; notes: string[] } {
  let title: string | null = null;
  let isDropList = false;
  let current: Event | null = null;
  const all: Event[] = [];
  const notes: string[] = [];
  const lines = text.split(/\r\n|\r|\n/, MOST_LINES);
  lines.forEach((raw, index) => {
    const line = raw.trim();
    const where = `line ${index + 1}`;
    if (/^TITLE:/i.test(line)) title ??= line.slice(6).trim();
    else if (/^FCM:/i.test(line)) isDropList = !/NON/i.test(line);
    else if (line.startsWith('*')) current?.comments.push(line.slice(1).trim());
    else if (/^M2\s/i.test(line))
      notes.push(`The speed change in ${where} was left out: clips play at their own speed.`);
    else if (/^\d/.test(line)) {
      const event = eventOf(line, index + 1, isDropList);
      if (event === null) {
        throw badTimeline(file, where, 'an event needs a number, a reel, channels, an edit and four timecodes');
      }
      // Both lines of a transition have one number and share the comments below them.
      const isSecond = current !== null && numberOf(lines[current.line - 1] ?? '') === numberOf(line);
      current = isSecond && current ? { ...event, comments: current.comments } : event;
      all.push(current);
    }
  });
  if (all.length === 0) throw badTimeline(file, 'its end', 'it has no event');
  const events = all.filter((event) => hasPicture(event) && event.reel.toUpperCase() !== 'BL');
  if (events.length < all.length) {
    notes.push(`Events without pictures (sound only, or black) were left out: ${all.length - events.length}.`);
  }
  const blends = events.filter((event) => !/^C/i.test(event.effect)).length;
  if (blends > 0) notes.push(`Transitions were read as cuts: ${blends}.`);
  return { title, events, notes };
}

function eventOf(line: string, number: number, isDropList: boolean): Event | null {
  const words = line.split(/\s+/);
  const labels = words.slice(-4);
  const [, reel, channels, effect] = words;
  const isWhole = words.length >= 8 && labels.every((label) => isDropLabel(label) !== null);
  if (!isWhole || reel === undefined || channels === undefined || effect === undefined) return null;
  return {
    line: number,
    reel,
    channels,
    effect,
    labels: labels as unknown as Event['labels'],
    isDropList,
    comments: [],
  };
}

function numberOf(line: string): string {
  return line.trim().split(/\s/, 1)[0] ?? '';
}

function hasPicture({ channels }: Event): boolean {
  return /V|^B$/i.test(channels);
}

/** A semicolon marks drop-frame. A colon follows the list's mode, unless the other side of the event has the semicolon. */
function isDropped(event: Event, place: number): boolean {
  const marks = event.labels.map((label) => isDropLabel(label) === true);
  return marks[place] === true || (event.isDropList && !marks.includes(true));
}

function statedRate(events: readonly Event[]): Counting | null {
  const stated = events.flatMap((event) => event.comments).find((comment) => /^FRAME RATE: \S+$/.test(comment));
  try {
    return stated === undefined ? null : parseRate(stated.slice(12));
  } catch {
    return null;
  }
}

/** The usual rate, in the mode of this list. */
function dropIf(events: readonly Event[], { rate }: Counting): Counting {
  return { rate, dropFrame: canDrop(rate) && events.some((event) => isDropped(event, 2)) };
}

function clipOf(event: Event, from: number, to: number, { rate }: Counting): EditedClip {
  const dropFrame = isDropped(event, 0);
  const said = (key: string): string | undefined =>
    event.comments
      .find((comment) => comment.toUpperCase().startsWith(`${key}:`))
      ?.slice(key.length + 1)
      .trim();
  const isIncoming = !/^C/i.test(event.effect);
  return {
    where: `line ${event.line}`,
    clue: {
      name: (isIncoming ? said('TO CLIP NAME') : undefined) ?? said('FROM CLIP NAME'),
      path: said('SOURCE FILE') ?? said('FROM FILE'),
      reel: event.reel,
    },
    counting: { rate, dropFrame },
    origin: 'timecode',
    from,
    to,
    exact: exactFrames(event, { from, to, counting: { rate, dropFrame } }),
  };
}

const EXACT = /^THROUGHLINE (\S+) (\S+) IS FRAMES (\d{1,15}) TO (\d{1,15}) AT \S+$/;

/** The exact frames a comment states, when its timecodes are still those of the event. */
function exactFrames(
  { comments }: Event,
  { from, to, counting }: { from: number; to: number; counting: Counting },
): { from: number; to: number } | undefined {
  for (const comment of comments) {
    const match = EXACT.exec(comment);
    if (!match || match[1] !== formatTimecode(from, counting) || match[2] !== formatTimecode(to, counting)) continue;
    return { from: Number(match[3]), to: Number(match[4]) };
  }
  return undefined;
}
