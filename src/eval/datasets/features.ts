import { stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';

import { type Matrix, StoreError, UsageError } from '../../base/index.js';
import {
  openHdf5,
  openNpy,
  placeRows,
  poolRows,
  type CutVideo,
  type Hdf5Array,
  type Hdf5File,
  type NumberTable,
  type Refuse,
  type RowTable,
} from '../../features/index.js';
import { sha256Of, type FileRecord, findFiles } from './source.js';

/** Vectors made elsewhere, one row per shot, by video id. */
export type GivenFeatures = {
  readonly features: ReadonlyMap<string, Matrix>;
  readonly notes: readonly string[];
  readonly files: readonly FileRecord[];
};

/** Takes the rows of one video, with the frame of each where the file says so. */
type Accept = (video: CutVideo, table: RowTable, picks: readonly number[] | null) => Promise<void>;

/**
 * Reads features of `videos` from a folder of `.npy` files (`id.npy`), or from one `.h5` file: a dataset per id, or the
 * field's usual layout (`key/features`, `key/picks`; the key is the id, or `video_name` is it, or `n_frames` is the video's
 * alone). Rows are of shots, of all frames, of the frames in `picks`, or of every so many frames (`every`, or found).
 */
export async function readFeatures(
  path: string,
  videos: readonly CutVideo[],
  { every }: { readonly every?: number } = {},
): Promise<GivenFeatures> {
  const facts = await stat(path).catch(() => null);
  if (!facts) {
    throw new StoreError(
      'features-missing',
      `Expected a folder of .npy files or an .h5 file at "${path}", found nothing. Check the path.`,
    );
  }
  const features = new Map<string, Matrix>();
  const notes: string[] = [];
  if (every !== undefined && !(Number.isSafeInteger(every) && every >= 1)) {
    throw new UsageError('bad-every', `Expected a whole number of frames between two rows, found ${every}.`);
  }
  const step = every === undefined ? undefined : { frames: every };
  const accept: Accept = async (video, table, picks) => {
    const places = placeRows(video, table.rows, { picks, step, listed: true });
    const { vectors, bare } = await poolRows(video.id, table, video.shots.length, places);
    features.set(video.id, vectors);
    if (bare > 0) {
      notes.push(
        `Shots of video "${video.id}" that take the vector of the nearest frame, having none of their own: ${bare}.`,
      );
    }
  };
  const files = facts.isDirectory() ? await readNpys(path, videos, accept) : await readH5(path, videos, accept);
  return { features, notes, files };
}

async function readNpys(folder: string, videos: readonly CutVideo[], accept: Accept): Promise<FileRecord[]> {
  const { found, missing } = await findFiles(
    folder,
    videos.map(({ id }) => id),
    ['.npy'],
  );
  if (missing.length > 0) throw lacking(folder, missing, `a file such as "${missing[0]}.npy"`);
  const files: FileRecord[] = [];
  for (const video of videos) {
    const path = found.get(video.id)!;
    const table = await openNpy(path, damaged(path));
    await accept(video, table, null).finally(() => table.close());
    files.push({ path: relative(folder, path).replaceAll('\\', '/'), sha256: await sha256Of(path) });
  }
  return files;
}

async function readH5(path: string, videos: readonly CutVideo[], accept: Accept): Promise<FileRecord[]> {
  const refuse = damaged(path);
  const file = await openHdf5(path, refuse);
  try {
    const places = await placesOf(file, videos, refuse);
    const missing = videos.map(({ id }) => id).filter((id) => !places.has(id));
    if (missing.length > 0) throw lacking(path, missing, `a dataset "${missing[0]}" or "${missing[0]}/features"`);
    for (const video of videos) {
      const { rows, picks } = places.get(video.id)!;
      await accept(video, await file.table(rows), picks ? numbersOf(await file.read(picks), picks, refuse) : null);
    }
  } finally {
    await file.close();
  }
  return [{ path: basename(path), sha256: await sha256Of(path) }];
}

type Place = { readonly rows: string; readonly picks: string | null };

/** Where each video is in the file. Keys that are not ids (`video_7`) are matched by `video_name`, then by `n_frames`. */
async function placesOf(file: Hdf5File, videos: readonly CutVideo[], refuse: Refuse): Promise<Map<string, Place>> {
  const names = new Set(await file.list());
  const placeIn = (key: string): Place => ({
    rows: `${key}/features`,
    picks: names.has(`${key}/picks`) ? `${key}/picks` : null,
  });
  const places = new Map<string, Place>();
  for (const { id } of videos) {
    if (names.has(id)) places.set(id, { rows: id, picks: null });
    else if (names.has(`${id}/features`)) places.set(id, placeIn(id));
  }
  if (places.size === videos.length) return places;

  const keysByFrames = new Map<number, string[]>();
  for (const name of names) {
    if (!name.endsWith('/features')) continue;
    const key = name.slice(0, -'/features'.length);
    const title = names.has(`${key}/video_name`) ? (await file.read(`${key}/video_name`)).values : null;
    const titled = videos.find(({ id }) => id === title);
    if (titled && !places.has(titled.id)) places.set(titled.id, placeIn(key));
    if (!names.has(`${key}/n_frames`)) continue;
    const [frames = NaN] = numbersOf(await file.read(`${key}/n_frames`), `${key}/n_frames`, refuse);
    keysByFrames.set(frames, [...(keysByFrames.get(frames) ?? []), key]);
  }
  for (const { id, frameCount } of videos) {
    const keys = keysByFrames.get(frameCount) ?? [];
    const isOnly = videos.filter((video) => video.frameCount === frameCount).length === 1;
    if (!places.has(id) && keys.length === 1 && isOnly) places.set(id, placeIn(keys[0]!));
  }
  return places;
}

function numbersOf({ values }: Hdf5Array, name: string, refuse: Refuse): number[] {
  if (!ArrayBuffer.isView(values)) throw refuse(`numbers in "${name}"`, 'something else');
  return Array.from(values as NumberTable['values']);
}

function lacking(path: string, missing: readonly string[], wanted: string): StoreError {
  const some = `"${missing.slice(0, 5).join('", "')}"${missing.length > 5 ? ` and ${missing.length - 5} more` : ''}`;
  return new StoreError(
    'features-missing',
    `Expected features of every video in "${path}", found none of ${some}. Add ${wanted}.`,
  );
}

function damaged(path: string): Refuse {
  return (expected, found) => new StoreError('features-damaged', `Expected ${expected} in "${path}", found ${found}.`);
}
