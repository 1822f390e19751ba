import { messageOf, UsageError, valueText, formatClock, toSeconds } from '../base/index.js';
import { shotsFromFrames, type FrameClock, type FrameRange } from './shots-from.js';
import type { Segments } from './types.js';

/** A moment in a list: a frame number, or exact decimal seconds `digits / 10^places` from the first frame. */
export type ListedMoment =
  | { readonly kind: 'frame'; readonly frame: number }
  | { readonly kind: 'time'; readonly digits: bigint; readonly places: number; readonly written: string };

/** One shot of a list: `where` ("line 7", "entry 3") names it in errors; `end` is null if the list has starts only. */
type ListedShot = {
  readonly where: string;
  readonly file: string | null;
  readonly start: ListedMoment;
  readonly end: ListedMoment | null;
};

/** A shot list from a file, not yet applied to a video. `name` is the name of the file, for errors. */
export type ShotList = { readonly name: string; readonly shots: readonly ListedShot[] };

/** One row before its columns are interpreted: simplified names, values as text. */
type Row = { readonly where: string; readonly cells: ReadonlyMap<string, string> };

const FILE = ['file', 'filename', 'path', 'video', 'videofile'];
const FRAMES = { start: ['startframe', 'framestart'], end: ['endframe', 'frameend'] };
const TIMES = {
  start: ['starttimecode', 'starttimeseconds', 'startseconds', 'startsec', 'starts', 'starttime', 'startclock'],
  end: ['endtimecode', 'endtimeseconds', 'endseconds', 'endsec', 'ends', 'endtime', 'endclock'],
};
const PLAIN = { start: ['start', 'begin', 'from'], end: ['end', 'to', 'stop'] };
const [MAX_NAMES, LONGEST_NAME] = [30, 60];
/** A longer text is no time: reading a very long number would take too long. */
const LONGEST_TIME = 64;
const EXPECTED = 'start_frame and end_frame, or start_seconds and end_seconds';

/**
 * Parses a shot list, JSON or CSV (commas, semicolons or tabs, names in the first line). Columns, in any spelling of
 * `start_frame`: frames (counted from 0, end not included), or times in seconds or `h:mm:ss.mmm`; if both are there, frames
 * count. Without an end column, a shot lasts until the next. With a `file` column, one list serves many videos.
 * JSON is an array of such objects, or an object with the array as `shots`. A list by PySceneDetect, recognised by its
 * `Scene Number`, counts frames from 1.
 */
export function readShotList(text: string, name: string): ShotList {
  const content = text.replace(/^\uFEFF/, '');
  const rows = /^\s*[[{]/.test(content) ? jsonRows(content, name) : csvRows(content, name);
  const [first] = rows;
  if (first === undefined) {
    throw new UsageError('empty-shot-list', `Expected shots in "${name}", found none. Give one line for each shot.`);
  }
  const read = readerFor(first, rows, name);
  return { name, shots: rows.map(read) };
}

function csvRows(text: string, name: string): Row[] {
  const table = readTable(text);
  // PySceneDetect may write its cuts in a line above the names.
  if (/^timecode list/i.test(table[0]?.cells[0] ?? '')) table.shift();
  const header = table.shift();
  if (header === undefined) return [];
  return table.map(({ line, cells }) => {
    if (cells.length !== header.cells.length) {
      throw new UsageError(
        'bad-shot-list',
        `Expected ${header.cells.length} columns in line ${line} of "${name}", found ${cells.length}. Quote values that hold the separator.`,
      );
    }
    return {
      where: `line ${line}`,
      cells: new Map(header.cells.map((key, i) => [plainName(key), cells[i] as string])),
    };
  });
}

function jsonRows(text: string, name: string): Row[] {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(
      'bad-shot-list',
      `Expected JSON in "${name}", found something else (${messageOf(cause)}). Correct the file.`,
      {
        cause,
      },
    );
  }
  const list = Array.isArray(raw) ? raw : isObject(raw) ? raw['shots'] : undefined;
  if (!Array.isArray(list)) {
    throw new UsageError(
      'bad-shot-list',
      `Expected an array of shots in "${name}", or an object with one as "shots", found neither. Write [{ "start_frame": 0, "end_frame": 40 }, ...].`,
    );
  }
  return list.map((entry: unknown, i) => {
    if (!isObject(entry)) {
      throw new UsageError(
        'bad-shot-list',
        `Expected an object for entry ${i + 1} of "${name}", found ${valueText(entry)}. Give each shot ${EXPECTED}.`,
      );
    }
    const cells = Object.entries(entry).map(
      ([key, value]) =>
        [plainName(key), value === null ? '' : typeof value === 'string' ? value : valueText(value)] as const,
    );
    return { where: `entry ${i + 1}`, cells: new Map(cells) };
  });
}

/** Decides once, from the first row's names, which columns hold start, end and file. */
function readerFor(first: Row, rows: readonly Row[], name: string): (row: Row) => ListedShot {
  const column = (names: readonly string[]): string | null => names.find((key) => first.cells.has(key)) ?? null;
  const columns = [FRAMES, TIMES, PLAIN].map(({ start, end }) => ({ start: column(start), end: column(end) }));
  const found = columns.findIndex(({ start }) => start !== null);
  const { start, end } = columns[found] ?? { start: null, end: null };
  if (start === null) {
    throw new UsageError(
      'bad-shot-list',
      `Expected columns ${EXPECTED} in "${name}", found ${namesOf(first)}. Rename the columns.`,
    );
  }
  if (found === 2 && rows.every(({ cells }) => [start, end].every((key) => /^\d*$/.test(cells.get(key ?? '') ?? '')))) {
    throw new UsageError(
      'unclear-shot-list',
      `Expected to know whether "${name}" counts frames or seconds, found whole numbers under "${start}". ` +
        `Name the columns start_frame and end_frame, or start_seconds and end_seconds.`,
    );
  }
  const file = column(FILE);
  const firstFrame = first.cells.has('scenenumber') ? 1 : 0;
  const momentIn = (row: Row, key: string, countedFrom: number): ListedMoment => {
    const written = (row.cells.get(key) ?? '').trim();
    const moment = found === 0 ? frameMoment(written, countedFrom) : timeMoment(written);
    if (moment === null) {
      const expected = found === 0 ? `a whole frame number, at least ${firstFrame}` : 'seconds or h:mm:ss.mmm';
      throw new UsageError(
        'bad-shot-list',
        `Expected ${expected} under "${key}" in ${row.where} of "${name}", found ${valueText(written)}. Correct that value.`,
      );
    }
    return moment;
  };
  return (row) => ({
    where: row.where,
    file: file === null ? null : (row.cells.get(file) ?? '').trim() || null,
    start: momentIn(row, start, firstFrame),
    // An end counted from 1, with the last frame included, is the same number as one counted from 0 without it.
    end: end === null ? null : momentIn(row, end, 0),
  });
}

/** The names of a row's columns for a message, cut where there are many. */
function namesOf({ cells }: Row): string {
  const names = [...cells.keys()].map((name) =>
    name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name,
  );
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['…'] : [])].join(', ');
}

function frameMoment(written: string, countedFrom: number): ListedMoment | null {
  const frame = /^\d+$/.test(written) ? Number(written) - countedFrom : -1;
  return frame >= 0 && Number.isSafeInteger(frame) ? { kind: 'frame', frame } : null;
}

/** Parses a time such as `12`, `12.5`, `0:12` or `1:02:03.5` into exact decimal seconds; `null` if it is none. */
export function timeMoment(written: string): Extract<ListedMoment, { kind: 'time' }> | null {
  if (written.length > LONGEST_TIME) return null;
  const parts = /^(?:(?:(\d+):)?(\d{1,2}):)?(\d+)(?:[.,](\d+))?$/.exec(written);
  if (parts === null) return null;
  const [, hours = '0', minutes = '0', seconds = '0', fraction = ''] = parts;
  const clock = written.includes(':');
  if (clock && (Number(seconds) >= 60 || (parts[1] !== undefined && Number(minutes) >= 60))) return null;
  const whole = BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(seconds);
  return { kind: 'time', digits: BigInt(`${whole}${fraction}`), places: fraction.length, written };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `Start Time (seconds)`, `start_time_seconds` and `startTimeSeconds` are one name. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** A line of a table that is not blank; `line` is its number in the file, from 1. */
type TableLine = { readonly line: number; readonly cells: readonly string[] };

/** Parses CSV into trimmed cells (RFC 4180 quotes). The separator is `,`, `;` or tab, the one most common in the first line. */
function readTable(text: string): TableLine[] {
  const separator = separatorOf(text.slice(0, text.search(/[\r\n]|$/)));
  const table: TableLine[] = [];
  let [cells, cell, quoted, wasQuoted]: [string[], string, boolean, boolean] = [[], '', false, false];
  // Tracked separately: searching the cell at every quote would take quadratic time for a long cell.
  let isBlank = true;
  let [line, startLine] = [1, 1];
  const endCell = (): void => {
    cells.push(wasQuoted ? cell : cell.trim());
    [cell, wasQuoted, isBlank] = ['', false, true];
  };
  const endLine = (): void => {
    endCell();
    if (cells.some((value) => value !== '')) table.push({ line: startLine, cells });
    cells = [];
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (quoted && char === '"' && text[i + 1] === '"') {
      cell += '"';
      isBlank = false;
      i++;
    } else if (char === '"' && (quoted || isBlank)) {
      if (!quoted) cell = '';
      quoted = !quoted;
      wasQuoted = true;
    } else if (!quoted && char === separator) {
      endCell();
    } else if (!quoted && (char === '\n' || (char === '\r' && text[i + 1] !== '\n'))) {
      endLine();
      startLine = ++line;
    } else if (quoted || char !== '\r') {
      if (char === '\n') line++;
      cell += char;
      isBlank &&= char.trim() === '';
    }
  }
  endLine();
  return table;
}

function separatorOf(header: string): string {
  const count = (separator: string): number => header.split(separator).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** An end this many seconds past the last frame counts as the end: sound often lasts a little longer than the pictures. */
const END_SLACK_SECONDS = 0.5;

/**
 * The shots of one video from a list. A time counts from the first frame and means the first frame at or after it, with half
 * a millisecond of tolerance because lists round to milliseconds. Shots must be in order and not overlap; frames between
 * them belong to no shot. Each is a take of its own. In a list with files, rows match `video` by its path, its name, or its name without ending.
 */
export function shotsFromList(list: ShotList, video: string, clock: FrameClock): Segments {
  const rows = rowsOf(list, video);
  const frames = clock.frameTicks.length;
  const refuse = (row: ListedShot, expected: string, found: string, advice: string): UsageError =>
    new UsageError(
      'bad-shot-list',
      `Expected ${expected} in ${row.where} of "${list.name}" for "${video}", found ${found}. ${advice}`,
    );

  const starts = rows.map((row) => {
    const start = frameAt(row.start, clock);
    if (start < frames) return start;
    const advice = 'Check that the list was made from this video; frame numbers belong under start_frame.';
    throw refuse(row, `a start inside the video (${lengthOf(clock)})`, written(row.start), advice);
  });
  const ranges: FrameRange[] = rows.map((row, i) => {
    const startFrame = starts[i] as number;
    const endFrame = row.end === null ? (starts[i + 1] ?? frames) : frameAt(row.end, clock);
    if (row.end !== null && isPastEnd(row.end, clock)) {
      const advice = 'Check that the list was made from this video, or shorten the shot.';
      throw refuse(row, `an end inside the video (${lengthOf(clock)})`, written(row.end), advice);
    }
    const above = rows[i - 1];
    if (above !== undefined && startFrame < (starts[i - 1] as number)) {
      const found = `${written(row.start)} after ${written(above.start)} in ${above.where}`;
      throw refuse(row, 'a later start than in the one above', found, 'Sort the list by start.');
    }
    if (endFrame <= startFrame) {
      const found = `frames ${startFrame} to ${endFrame}`;
      throw refuse(row, 'a shot of at least one frame', found, 'Give an end after the start, or remove the shot.');
    }
    return { startFrame, endFrame };
  });
  for (const [i, { startFrame }] of ranges.entries()) {
    const [above, range] = [rows[i - 1], ranges[i - 1]];
    if (above !== undefined && range !== undefined && startFrame < range.endFrame) {
      const found = `a start at frame ${startFrame} while the shot of ${above.where} ends at ${range.endFrame}`;
      throw refuse(rows[i] as ListedShot, 'shots that do not overlap', found, 'End one before the other begins.');
    }
  }
  return shotsFromFrames(ranges, clock);
}

function rowsOf(list: ShotList, video: string): readonly ListedShot[] {
  const rows = list.shots.filter(({ file }) => file === null || isSameFile(file, video));
  if (rows.length > 0) return rows;
  const files = [...new Set(list.shots.map(({ file }) => file))];
  const named = files.slice(0, 3).join(', ') + (files.length > 3 ? ` and ${files.length - 3} more` : '');
  throw new UsageError(
    'no-shots-for-video',
    `Expected shots for "${video}" in "${list.name}", found only ${named}. Add its shots, or leave the video out.`,
  );
}

/** Whether a name means this video: by its path, the end of its path, its name, or its name without ending. */
export function isSameFile(listed: string, video: string): boolean {
  const [a, b] = [listed.replaceAll('\\', '/'), video.replaceAll('\\', '/')];
  if (a === b || b.endsWith(`/${a}`) || a.endsWith(`/${b}`)) return true;
  const name = b.slice(b.lastIndexOf('/') + 1);
  return a === name || a === name.replace(/\.[^.]+$/, '');
}

/** The first frame at or after a moment; the number of frames if there is none. */
export function frameAt(moment: ListedMoment, clock: FrameClock): number {
  if (moment.kind === 'frame') return moment.frame;
  const { frameTicks } = clock;
  const least = ticksAt(moment, clock) + BigInt(frameTicks[0] ?? 0);
  let [low, high] = [0, frameTicks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (BigInt(frameTicks[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ticks after the first frame, ⌈(seconds − ½ ms) / base⌉. */
function ticksAt({ digits, places }: Extract<ListedMoment, { kind: 'time' }>, { timeBase }: FrameClock): bigint {
  const numerator = (2000n * digits - 10n ** BigInt(places)) * BigInt(timeBase.den);
  const denominator = 2000n * 10n ** BigInt(places) * BigInt(timeBase.num);
  // BigInt division cuts towards zero, which for a negative number already rounds up.
  return numerator > 0n ? (numerator + denominator - 1n) / denominator : numerator / denominator;
}

/** Whether a moment is past the end by more than `END_SLACK_SECONDS`. */
export function isPastEnd(moment: ListedMoment, clock: FrameClock): boolean {
  if (moment.kind === 'frame') return moment.frame > clock.frameTicks.length;
  const excess = Number(ticksAt(moment, clock) - BigInt(clock.endTicks - (clock.frameTicks[0] ?? 0)));
  return toSeconds(excess, clock.timeBase) > END_SLACK_SECONDS;
}

function written(moment: ListedMoment): string {
  return moment.kind === 'frame' ? `frame ${moment.frame}` : moment.written;
}

function lengthOf({ frameTicks, endTicks, timeBase }: FrameClock): string {
  return `${frameTicks.length} frames, ${formatClock(toSeconds(endTicks - (frameTicks[0] ?? 0), timeBase))}`;
}
