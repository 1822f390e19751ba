import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

import {
  lengthInSeconds,
  type Matrix,
  NumericError,
  rowOf,
  ThroughlineError,
  type TimeRange,
  toSeconds,
  UsageError,
  zeros,
} from '../base/index.js';
import { openHdf5, type CutVideo, openNpy, type Refuse, type RowTable } from './npy.js';

/** A video to find vectors for: its id, and its name as people know it. */
export type NamedVideo = { readonly id: string; readonly name: string };

/** Where the vectors of one video are. */
export type GivenPlace = {
  readonly path: string;
  /** Name of the dataset in an HDF5 file, and of that with the frames of its rows; `null` in other files. */
  readonly dataset: string | null;
  readonly picks: string | null;
  readonly sha256: string;
};

/** Vectors made elsewhere. */
export type GivenVectors = {
  readonly name: string;
  readonly dim: number;
  /** Of the file; for a folder, over the hashes of the files used. */
  readonly sha256: string;
  readonly places: ReadonlyMap<string, GivenPlace>;
  /** Why the vectors of other videos cannot be used. */
  readonly refused: ReadonlyMap<string, ThroughlineError>;
};

const HDF5_ENDINGS = ['.h5', '.hdf5'];
const ENDINGS = ['.npy', ...HDF5_ENDINGS];

/**
 * Finds the vectors of each video: in a folder, a file of its name (`clip.npy` or `clip.h5` for `clip.mp4`); in an `.h5` file,
 * a dataset of its name. If they are missing, or are no table of numbers as wide as the others, that video alone is refused.
 */
export async function openGiven(
  path: string,
  videos: readonly NamedVideo[],
  hash: (path: string) => Promise<{ sha256: string }>,
): Promise<GivenVectors> {
  const facts = await stat(path).catch(() => null);
  const isHdf5 = HDF5_ENDINGS.includes(extname(path).toLowerCase());
  if (!facts || !(facts.isDirectory() || isHdf5)) {
    const found = facts ? 'something else' : 'nothing';
    throw new UsageError(
      'no-vectors',
      `Expected a folder of .npy or .h5 files, or one .h5 file, at "${path}", found ${found}. Check the path.`,
    );
  }
  const workspace = facts.isDirectory() ? inFolder(path) : await inFile(path);
  const hashes = new Map<string, string>();
  const places = new Map<string, GivenPlace>();
  const refused = new Map<string, ThroughlineError>();
  const widths = new Map<string, number>();
  try {
    for (const video of videos) {
      try {
        const { cols, ...place } = await workspace.find(video);
        if (!hashes.has(place.path)) hashes.set(place.path, (await hash(place.path)).sha256);
        places.set(video.id, { ...place, sha256: hashes.get(place.path)! });
        widths.set(video.id, cols);
      } catch (error) {
        if (!(error instanceof ThroughlineError)) throw error;
        refused.set(video.id, error);
      }
    }
  } finally {
    await workspace.close();
  }
  const dim = commonWidth([...widths.values()]);
  for (const { id, name } of videos) {
    const width = widths.get(id);
    if (width === undefined || width === dim) continue;
    places.delete(id);
    refused.set(id, bad(`Expected ${dim} numbers per row for "${name}", as for most videos, found ${width}.`));
  }
  const used = [...new Set([...places.values()].map((place) => place.path))];
  const sha256 = facts.isDirectory() ? digest(used.map((file) => hashes.get(file)!)) : (hashes.get(path) ?? '');
  return { name: basename(path), dim, sha256, places, refused };
}

/** Opens the rows of one video, with the frames they belong to if its file says so. The table must be closed. */
export async function openTable(
  name: string,
  { path, dataset, picks }: Omit<GivenPlace, 'sha256'>,
): Promise<{ table: RowTable; picks: readonly number[] | null }> {
  const refuse = refusal(path, name);
  if (dataset === null) return { table: await openNpy(path, refuse), picks: null };
  const file = await openHdf5(path, refuse);
  try {
    const frames = picks === null ? null : (await file.read(picks)).values;
    if (frames !== null && !ArrayBuffer.isView(frames)) throw refuse(`numbers in "${picks}"`, 'something else');
    return { table: await file.table(dataset), picks: frames && Array.from(frames as Float64Array) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The names that the vectors of a video may have, best first: `sub/clip` for `sub/clip.mp4`, the whole name, the id. */
function stemsOf({ id, name }: NamedVideo): string[] {
  const whole = name.replaceAll('\\', '/');
  return [...new Set([whole.slice(0, whole.length - extname(whole).length), whole, id])];
}

/** Finds where the vectors of a video are, and how many numbers they have. */
type Finder = {
  find(video: NamedVideo): Promise<Omit<GivenPlace, 'sha256'> & { readonly cols: number }>;
  close(): Promise<void>;
};

function inFolder(folder: string): Finder {
  return {
    close: () => Promise.resolve(),
    async find(video) {
      const stems = stemsOf(video);
      for (const file of stems.flatMap((stem) => ENDINGS.map((ending) => join(folder, stem + ending)))) {
        const facts = await stat(file).catch(() => null);
        if (!facts?.isFile()) continue;
        if (!file.endsWith('.npy')) return inOwnFile(file, video.name);
        const table = await openNpy(file, refusal(file, video.name));
        await table.close();
        return { path: file, dataset: null, picks: null, cols: table.cols };
      }
      throw bad(
        `Expected the vectors of "${video.name}" in "${basename(folder)}", found no "${stems[0]}.npy" or ".h5".`,
      );
    },
  };
}

/** An HDF5 file for one video: its dataset `features`, or its only one. */
async function inOwnFile(path: string, name: string): ReturnType<Finder['find']> {
  const refuse = refusal(path, name);
  const file = await openHdf5(path, refuse);
  try {
    const names = await file.list();
    const dataset = names.includes('features') ? 'features' : names.length === 1 ? names[0]! : null;
    if (dataset === null) throw refuse('one dataset, or one called "features",', `${names.length} of other names`);
    const { cols } = await file.table(dataset);
    return { path, dataset, picks: names.includes('picks') ? 'picks' : null, cols };
  } finally {
    await file.close();
  }
}

async function inFile(path: string): Promise<Finder> {
  const file = await openHdf5(path, refusal(path, 'all videos'));
  const listed = await file.list().catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  const names = new Set(listed);
  return {
    close: file.close,
    async find(video) {
      const stems = stemsOf(video);
      const dataset = stems.flatMap((stem) => [stem, `${stem}/features`]).find((name) => names.has(name));
      if (dataset === undefined) {
        throw bad(`Expected the vectors of "${video.name}" in "${basename(path)}", found no dataset "${stems[0]}".`);
      }
      const picks = dataset.endsWith('/features') ? dataset.replace(/features$/, 'picks') : '';
      const { cols } = await file.table(dataset);
      return { path, dataset, picks: names.has(picks) ? picks : null, cols };
    },
  };
}

/** The most common width of tables; in a tie, that of the earlier video. */
function commonWidth(widths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0])[0]!;
}

function digest(hashes: readonly string[]): string {
  return createHash('sha256').update(hashes.join('\n')).digest('hex');
}

function refusal(path: string, name: string): Refuse {
  return (expected, found) => bad(`Expected ${expected} in "${basename(path)}" for "${name}", found ${found}.`);
}

function bad(sentence: string): NumericError {
  return new NumericError('bad-vectors', sentence);
}

/** The distance between rows, in frames or in seconds. */
export type RowStep = { readonly frames: number } | { readonly seconds: number };

/** A video whose shots may have times too; without times, rows can be placed by frames only. */
export type TimedVideo = Omit<CutVideo, 'shots'> & {
  readonly range?: TimeRange;
  readonly shots: readonly (CutVideo['shots'][number] & { readonly range?: TimeRange })[];
};

/** The place of each row, and where each shot begins and ends, in the same unit; `null` if every row is a shot. */
export type RowPlaces = {
  readonly rows: Float64Array;
  readonly shots: readonly { readonly start: number; readonly end: number }[];
} | null;

/** Parses `16` (frames) or `0.5s`; `null` if it is neither. */
export function parseRowStep(text: string): RowStep | null {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(s?)\s*$/.exec(text) ?? [];
  const value = Number(number);
  if (!(value > 0) || !Number.isFinite(value)) return null;
  if (unit === 's') return { seconds: value };
  return Number.isSafeInteger(value) ? { frames: value } : null;
}

/**
 * Places rows by the frames they were taken at (`picks`), by the stated step, or by their number: as many as shots if the
 * shots were `listed`, as many as frames, or a row every so many frames if exactly one whole number of frames fits.
 */
export function placeRows(
  video: TimedVideo,
  rows: number,
  known: { readonly picks?: readonly number[] | null; readonly step?: RowStep | undefined; readonly listed: boolean },
): RowPlaces {
  const { id, frameCount, shots } = video;
  if (known.picks) return atFrames(video, checkPicks(video, rows, known.picks));
  if (known.step && 'seconds' in known.step) return atSeconds(video, rows, known.step.seconds);
  if (known.step) {
    const every = known.step.frames;
    if (!fits(rows, frameCount, every)) {
      throw unfit(
        `Expected ${Math.ceil(frameCount / every)} rows (a row every ${every} frames) for "${id}", found ${rows}.`,
      );
    }
    return atFrames(video, evenly(rows, every));
  }
  if (known.listed && rows === shots.length) return null;
  const steps = rows > frameCount ? [] : stepsThatFit(rows, frameCount);
  if (steps.length === 1) return atFrames(video, evenly(rows, steps[0]!));
  const wanted = `${known.listed ? `${shots.length} rows (shots), ` : ''}${frameCount}${known.listed ? '' : ' rows'} (frames)`;
  const how = 'If they were taken at a steady rate, say how far apart they are (--vectors-every).';
  throw unfit(`Expected ${wanted} or a row every so many frames for "${id}", found ${rows} rows. ${how}`);
}

/** A last stretch shorter than the step may have a row or not, depending on the tool that made the vectors. */
function fits(rows: number, frameCount: number, every: number): boolean {
  return rows === Math.floor(frameCount / every) || rows === Math.ceil(frameCount / every);
}

function stepsThatFit(rows: number, frameCount: number): number[] {
  // floor(F/e) ≤ rows ≤ ceil(F/e) only where F/(rows+1) ≤ e ≤ F/(rows−1).
  const steps: number[] = [];
  const last = rows > 1 ? Math.floor(frameCount / (rows - 1)) : frameCount;
  for (let every = Math.max(1, Math.floor(frameCount / (rows + 1))); every <= last; every++) {
    if (fits(rows, frameCount, every)) steps.push(every);
  }
  return steps;
}

function evenly(rows: number, step: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, row) => row * step);
}

function atFrames({ shots }: TimedVideo, rows: Float64Array): RowPlaces {
  return { rows, shots: shots.map(({ startFrame, endFrame }) => ({ start: startFrame, end: endFrame })) };
}

/** Times count from the first frame: the rows were made from the beginning of the file. */
function atSeconds({ id, range, shots }: TimedVideo, rows: number, step: number): RowPlaces {
  if (!range) throw unfit(`Expected rows of frames for "${id}", whose times are not known, found a step in seconds.`);
  const seconds = lengthInSeconds(range);
  const expected = seconds / step;
  // Rates and durations stated elsewhere are rounded: one row more or fewer at the end is still the same video.
  if (rows < Math.floor(expected) - 1 || rows > Math.ceil(expected) + 1) {
    throw unfit(
      `Expected ${Math.ceil(expected)} rows (a row every ${step} s of ${seconds.toFixed(1)} s) for "${id}", found ${rows}.`,
    );
  }
  const at = (ticks: number, { base }: TimeRange): number => toSeconds(ticks - range.start, base);
  return {
    rows: evenly(rows, step),
    shots: shots.map(({ range: own }) => ({ start: at(own!.start, own!), end: at(own!.end, own!) })),
  };
}

function checkPicks({ id, frameCount }: TimedVideo, rows: number, picks: readonly number[]): Float64Array {
  if (picks.length !== rows) throw unfit(`Expected a row for each of ${picks.length} picks of "${id}", found ${rows}.`);
  const outside = picks.find((frame) => !(Number.isSafeInteger(frame) && frame >= 0 && frame < frameCount));
  if (outside !== undefined)
    throw unfit(`Expected picks within the ${frameCount} frames of "${id}", found ${outside}.`);
  return Float64Array.from(picks);
}

function unfit(sentence: string): NumericError {
  return new NumericError('features-fit', `${sentence} Check that the vectors are of this video.`);
}

/** Numbers in memory at a time. */
const PIECE = 1 << 20;

/**
 * One vector per shot: the mean of the rows inside it. A shot without rows uses the row nearest to its middle; `bare` counts
 * those shots. `name` is the video's name in errors.
 */
export async function poolRows(
  name: string,
  table: RowTable,
  shotCount: number,
  places: RowPlaces,
): Promise<{ vectors: Matrix; bare: number }> {
  const vectors = zeros(shotCount, table.cols);
  const counts = new Float64Array(shotCount);
  const extra = places ? nearestToBare(places) : new Map<number, number[]>();
  const add = (values: ArrayLike<number>, at: number, shot: number): void => {
    const sum = rowOf(vectors, shot);
    for (let col = 0; col < table.cols; col++) sum[col]! += values[at + col]!;
    counts[shot]!++;
  };
  const step = Math.max(1, Math.floor(PIECE / table.cols));
  for (let from = 0; from < table.rows; from += step) {
    const to = Math.min(from + step, table.rows);
    const values = await table.read(from, to);
    for (let row = from; row < to; row++) {
      const at = (row - from) * table.cols;
      requireFiniteRow(values, at, table.cols, name, row);
      const shot = places ? shotAt(places.shots, places.rows[row]!) : row;
      if (shot !== null) add(values, at, shot);
      for (const bare of extra.get(row) ?? []) add(values, at, bare);
    }
  }
  counts.forEach((count, shot) => rowOf(vectors, shot).forEach((sum, col, means) => (means[col] = sum / count)));
  return { vectors, bare: [...extra.values()].reduce((sum, shots) => sum + shots.length, 0) };
}

/** For each shot without a row of its own, the row nearest to its middle: shots by row. */
function nearestToBare({ rows, shots }: NonNullable<RowPlaces>): Map<number, number[]> {
  const held = new Uint8Array(shots.length);
  for (const position of rows) {
    const shot = shotAt(shots, position);
    if (shot !== null) held[shot] = 1;
  }
  const byRow = new Map<number, number[]>();
  shots.forEach(({ start, end }, shot) => {
    if (held[shot]) return;
    const middle = (start + end) / 2;
    let best = 0;
    rows.forEach((position, row) => {
      if (Math.abs(position - middle) < Math.abs(rows[best]! - middle)) best = row;
    });
    byRow.set(best, [...(byRow.get(best) ?? []), shot]);
  });
  return byRow;
}

/** The shot that a position is in, by bisection; `null` if it is in none. */
function shotAt(shots: NonNullable<RowPlaces>['shots'], position: number): number | null {
  let [low, high] = [0, shots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shots[middle]!.end <= position) low = middle + 1;
    else high = middle;
  }
  const shot = shots[low];
  return shot && shot.start <= position ? low : null;
}

function requireFiniteRow(values: ArrayLike<number>, at: number, cols: number, name: string, row: number): void {
  for (let col = 0; col < cols; col++) {
    if (Number.isFinite(values[at + col]!)) continue;
    throw new NumericError(
      'not-finite',
      `Expected finite numbers in the vectors of "${name}", found ${values[at + col]} in row ${row}, column ${col}.`,
    );
  }
}
