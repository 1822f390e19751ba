import { messageOf, UsageError, valueText } from '../base/index.js';
import { readTable } from './csv.js';

/** A moment in a list: a frame number, or exact decimal seconds `digits / 10^places` from the first frame. */
export type ListedMoment =
  | { readonly kind: 'frame'; readonly frame: number }
  | { readonly kind: 'time'; readonly digits: bigint; readonly places: number; readonly written: string };

/** One shot of a list: `where` ("line 7", "entry 3") names it in errors; `end` is null if the list has starts only. */
export type ListedShot = {
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
const [MOST_NAMES, LONGEST_NAME] = [30, 60];
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
  return [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ');
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
