import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

import { NumericError, ThroughlineError, UsageError } from '../../base/index.js';
import { openHdf5 } from './hdf5.js';
import { openNpy } from './npy.js';
import type { Refuse, RowTable } from './types.js';

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
  const shelf = facts.isDirectory() ? inFolder(path) : await inFile(path);
  const hashes = new Map<string, string>();
  const places = new Map<string, GivenPlace>();
  const refused = new Map<string, ThroughlineError>();
  const widths = new Map<string, number>();
  try {
    for (const video of videos) {
      try {
        const { cols, ...place } = await shelf.find(video);
        if (!hashes.has(place.path)) hashes.set(place.path, (await hash(place.path)).sha256);
        places.set(video.id, { ...place, sha256: hashes.get(place.path)! });
        widths.set(video.id, cols);
      } catch (error) {
        if (!(error instanceof ThroughlineError)) throw error;
        refused.set(video.id, error);
      }
    }
  } finally {
    await shelf.close();
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
