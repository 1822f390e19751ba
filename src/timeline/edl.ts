import {
  countingOf,
  playingOnly,
  recordFrame,
  spanOf,
  formatRate,
  isSameRate,
  type Counting,
  formatTimecode,
  canDrop,
  parseRate,
  framesADay,
  isDropLabel,
  parseTimecode,
} from './rates.js';
import { sourceIndex, pathOfUrl } from './sources.js';
import { forOpenShot, requireWholeRate } from './targets.js';
import { oneLine } from './xml.js';
import type { Timeline, TimelineClip, TimelineFormat, TimelineSource } from './types.js';
import { badTimeline, noteOn, type CutList, type EditedClip } from './edited.js';

/** Events that CMX 3600 can number. */
const MAX_EVENTS = 999;

/**
 * CMX 3600: events of one line, comments below each. All timecode counts at the timeline's rate. For a source with another
 * rate, a comment states the exact frames: `THROUGHLINE IN OUT IS FRAMES m TO n AT RATE`.
 */
export const edl: TimelineFormat = {
  title: 'CMX 3600 EDL',
  extension: '.edl',
  write(given, target) {
    const { timeline, notes } = playingOnly(given);
    if (target === 'openshot') return { text: writeForOpenShot(timeline), notes: [...notes, ...limits(timeline)] };
    const sourceOf = sourceIndex(timeline);
    const lines = [`TITLE: ${oneLine(timeline.title)}`, `FCM: ${timeline.dropFrame ? 'DROP' : 'NON-DROP'} FRAME`, ''];
    timeline.clips.forEach((clip, at) => {
      lines.push(eventLine(at + 1, clip, sourceOf(clip), timeline, channelsOf(sourceOf(clip))));
      // Some readers refuse comments above the first event, so those on the whole list come below it.
      if (at === 0) lines.push(`* FRAME RATE: ${formatRate(timeline)}`);
      if (at === 0) lines.push(...timeline.notes.map((note) => `* NOTE: ${oneLine(note)}`));
      lines.push(...commentLines(clip, sourceOf(clip), timeline));
    });
    return { text: `${lines.join('\n')}\n`, notes: [...notes, ...limits(timeline)] };
  },
};

/** A line for the picture and one for the sound, and the path where others have the name; it could misread other comments. */
function writeForOpenShot(given: Timeline): string {
  requireWholeRate(given);
  const timeline = forOpenShot(given);
  const sourceOf = sourceIndex(timeline);
  const lines = [`TITLE: ${oneLine(timeline.title)}`, 'FCM: NON-DROP FRAME', ''];
  timeline.clips.forEach((clip, at) => {
    const source = sourceOf(clip);
    for (const channels of source.audio.length > 0 ? ['V', 'A'] : ['V'])
      lines.push(eventLine(at + 1, clip, source, timeline, channels));
    lines.push(`* FROM CLIP NAME: ${oneLine(pathOfUrl(source.url))}`);
  });
  return `${lines.join('\n')}\n`;
}

function limits(timeline: Timeline): string[] {
  const notes: string[] = [];
  if (timeline.clips.length > MAX_EVENTS) {
    notes.push(
      `A CMX 3600 list can number ${MAX_EVENTS} events, and this one has ${timeline.clips.length}: older systems stop there. Export video by video, or as OTIO or FCPXML.`,
    );
  }
  const mixed = timeline.sources.filter((source) => countingOf(source, timeline).dropFrame !== timeline.dropFrame);
  if (mixed.length > 0) {
    const names = mixed.map((source) => source.name).join(', ');
    notes.push(`The list mixes drop-frame (";") and non-drop (":") timecode: see ${names}.`);
  }
  return notes;
}

function eventLine(
  number: number,
  clip: TimelineClip,
  source: TimelineSource,
  timeline: Timeline,
  channels: string,
): string {
  const { from, to, counting } = spanOf(clip, source, timeline);
  const record = (frame: number): string => formatTimecode(timeline.timecodeFrame + frame, timeline);
  return [
    `${String(number).padStart(3, '0')} `,
    source.reel.padEnd(8),
    channels.padEnd(5),
    'C'.padEnd(8),
    ...[from, to].map((frame) => formatTimecode(frame, counting)),
    record(clip.recordIn),
    record(clip.recordOut),
  ].join(' ');
}

/** Only picture, or also one or two channels of sound; more than two cannot be written on one line. */
function channelsOf({ audio }: TimelineSource): string {
  const channels = audio.reduce((sum, track) => sum + (track.channels ?? 2), 0);
  return channels === 0 ? 'V' : channels === 1 ? 'B' : 'AA/V';
}

function commentLines(clip: TimelineClip, source: TimelineSource, timeline: Timeline): string[] {
  const lines = [`FROM CLIP NAME: ${oneLine(source.name)}`, `SOURCE FILE: ${oneLine(source.url)}`];
  const { before, after } = clip.handles;
  if (before + after > 0) lines.push(`HANDLES: ${before} BEFORE, ${after} AFTER`);
  if (!isSameRate(source.rate, timeline.rate)) lines.push(exactLine(clip, source, timeline));
  if (clip.reason !== '') lines.push(`COMMENT: ${oneLine(clip.reason)}`);
  for (const { kind, frame, name, text } of clip.markers ?? []) {
    const at = formatTimecode(timeline.timecodeFrame + recordFrame(clip, source, frame, timeline), timeline);
    lines.push(`LOC: ${at} ${kind === 'comment' ? 'RED' : 'GREEN'} ${oneLine(`${name}: ${text}`)}`);
  }
  return lines.map((line) => `* ${line}`);
}

/** The timecodes are repeated, so that a reader can tell whether the event was trimmed since. */
function exactLine(clip: TimelineClip, source: TimelineSource, timeline: Counting): string {
  const { from, to, counting } = spanOf(clip, source, timeline);
  const [first, last] = [formatTimecode(from, counting), formatTimecode(to, counting)];
  const rate = formatRate({ rate: source.rate, dropFrame: false });
  return `THROUGHLINE ${first} ${last} IS FRAMES ${clip.in} TO ${clip.out} AT ${rate}`;
}

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
const MAX_LINES = 1_000_000;

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
  const lines = text.split(/\r\n|\r|\n/, MAX_LINES);
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
  const isPicture = (event: Event): boolean => hasPicture(event) && event.reel.toUpperCase() !== 'BL';
  const events = all.filter(isPicture);
  // The line of a clip's sound says nothing new.
  const seen = new Set(events.map(placeOf));
  const heard = all.filter((event) => !isPicture(event) && !seen.has(placeOf(event)));
  const placesOf = (list: readonly Event[]): string[] => list.map(({ line }) => `line ${line}`);
  notes.push(
    ...noteOn('Events without pictures (sound only, or black) were left out', placesOf(heard)),
    ...noteOn('Transitions were read as cuts', placesOf(events.filter((event) => !/^C/i.test(event.effect)))),
  );
  return { title, events, notes };
}

/** What the picture and the sound of one clip have in common. */
function placeOf({ reel, labels }: Event): string {
  return [reel, ...labels].join(' ');
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
  const name = (isIncoming ? said('TO CLIP NAME') : undefined) ?? said('FROM CLIP NAME');
  return {
    where: `line ${event.line}`,
    clue: {
      name,
      path: said('SOURCE FILE') ?? said('FROM FILE') ?? name,
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
