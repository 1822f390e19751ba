import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { compareTexts, type Matrix, NumericError, StoreError, UsageError } from '../../base/index.js';
import {
  type CutVideo,
  type Hdf5Array,
  type Hdf5File,
  type NumberTable,
  openHdf5,
  openNpy,
  placeRows,
  poolRows,
  type Refuse,
  type RowTable,
} from '../../features/index.js';
import { VIDEO_ENDINGS } from '../../pipeline/index.js';
import type { Dataset, Judgement, ShotFrames } from '../types.js';

/** The usual name of a data set, and where its official files are. */
export type Origin = { readonly title: string; readonly home: string };

/** A file that was read, for the record of a run. */
export type FileRecord = { readonly path: string; readonly sha256: string };

/** The files of one folder. All files that are read are recorded; paths are relative to the folder, with `/`. */
export type Source = {
  /** The bytes of a file of at most `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer>;
  /** Names in the folder `path`, in code-unit order; `null` if there is no such folder. */
  list(path: string): Promise<string[] | null>;
  /** What was read so far, by path. */
  files(): FileRecord[];
  /** The error for something that is missing. */
  missing: Refuse;
  /** The error for a file that cannot be used. */
  damaged(path: string): Refuse;
};

/** Opens a folder as the files of a data set; nothing is read yet. */
export function openSource(folder: string, origin: Origin): Source {
  const hashes = new Map<string, string>();
  const from = `The official files of ${origin.title} are at ${origin.home}.`;
  const missing: Refuse = (expected, found) =>
    new UsageError('dataset-missing', `Expected ${expected} in "${folder}", found ${found}. ${from}`);
  const damaged = (path: string): Refuse => {
    return (expected, found) =>
      new StoreError('dataset-damaged', `Expected ${expected} in "${join(folder, path)}", found ${found}. ${from}`);
  };
  return {
    missing,
    damaged,
    files: () => [...hashes].map(([path, sha256]) => ({ path, sha256 })).sort((a, b) => compareTexts(a.path, b.path)),
    async read(path, maxBytes) {
      const [file, refuse] = [join(folder, path), damaged(path)];
      const facts = await stat(file).catch(() => null);
      if (!facts) throw missing(`the file "${path}"`, 'none');
      if (!facts.isFile()) throw refuse('a file', 'something else');
      if (facts.size > maxBytes) throw refuse(`at most ${maxBytes} bytes`, `${facts.size}`);
      const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
        throw refuse('a file that can be read', `one that cannot (${error.code})`);
      });
      hashes.set(path, createHash('sha256').update(bytes).digest('hex'));
      return bytes;
    },
    async list(path) {
      return readdir(join(folder, path)).then(
        (names) => names.sort(),
        () => null,
      );
    },
  };
}

/** The SHA-256 of a file of any size, read in a stream. */
async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The files that were found, by id, and the ids without a file. */
type FoundFiles = { readonly found: ReadonlyMap<string, string>; readonly missing: readonly string[] };

/**
 * The videos of a data set in a folder, or in folders one level below. A file belongs to an id that is its name; to an id
 * `topic/number` (CoSum) also if it is `topic/number`, or the beginning of the topic, three letters or more, with the number
 * (`base1.mp4`, `base_jump_1.mp4`). Of several, the ending named first among the known ones wins, then the earlier path.
 */
export async function findVideos(folder: string, ids: readonly string[]): Promise<FoundFiles> {
  return findFiles(folder, ids, [...VIDEO_ENDINGS]);
}

/** Like `findVideos`, for files with other endings. */
async function findFiles(folder: string, ids: readonly string[], endings: readonly string[]): Promise<FoundFiles> {
  const files = await listFiles(folder, endings);
  const found = new Map<string, string>();
  for (const id of ids) {
    const file = files.find(({ parent, stem }) => isNamed(id, parent, stem));
    if (file) found.set(id, join(folder, file.path));
  }
  return { found, missing: ids.filter((id) => !found.has(id)) };
}

type NamedFile = { readonly path: string; readonly parent: string; readonly stem: string; readonly rank: number };

async function listFiles(folder: string, endings: readonly string[]): Promise<NamedFile[]> {
  const files: NamedFile[] = [];
  const visit = async (parent: string): Promise<void> => {
    const entries = await readdir(join(folder, parent), { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (parent !== '') return [];
        throw new UsageError(
          'not-a-folder',
          `Expected a folder at "${folder}", found none that can be read (${error.code}). Check the path.`,
        );
      },
    );
    for (const entry of entries) {
      const ending = extname(entry.name);
      const rank = endings.indexOf(ending.toLowerCase());
      if (entry.isDirectory() && parent === '') await visit(entry.name);
      else if (!entry.isDirectory() && rank >= 0) {
        const stem = entry.name.slice(0, -ending.length);
        files.push({ path: join(parent, entry.name), parent, stem, rank });
      }
    }
  };
  await visit('');
  return files.sort((a, b) => a.rank - b.rank || compareTexts(a.path, b.path));
}

function isNamed(id: string, parent: string, stem: string): boolean {
  if (stem === id) return true;
  const [, topic, number] = /^(\w+)\/(\d+)$/.exec(id) ?? [];
  if (topic === undefined || number === undefined) return false;
  if (stem === number) return parent.replace(/^\d+_/, '') === topic;
  const [, begin, given] = /^([a-z_]*[a-z])_?(\d+)$/.exec(stem.toLowerCase()) ?? [];
  return given === number && begin !== undefined && begin.length >= 3 && topic.startsWith(begin);
}

/** The scores that people gave each frame of a video. */
export type FrameScores = {
  readonly video: string;
  readonly frameCount: number;
  /**
   * Which shots are a person's reference. `top-half`: the ⌊n/2⌋ shots with the highest marks, at least one.
   * `mostly-chosen`: scores are 0 and 1, and shots at least half chosen count; if there is none, the one chosen most.
   */
  readonly reference: 'top-half' | 'mostly-chosen';
  readonly people: readonly { readonly judge: string; readonly scores: Float32Array }[];
};

/** A data set that labels frames, so that any shots of a video can be judged. */
export type FrameLabelledDataset = Dataset & { readonly frameScores: ReadonlyMap<string, FrameScores> };

/** A re-encoded file has a few frames more or fewer than the one people saw; beyond this share it is another video. */
const MAX_FRAME_DIFFERENCE = 0.02;

/** Whether a file with so many frames can be the video whose labels have `labelled` frames. */
export function fitsLabels(frameCount: number, labelled: number): boolean {
  return Math.abs(frameCount - labelled) <= MAX_FRAME_DIFFERENCE * labelled;
}

/**
 * The labels of a video for `shots`: a person's mark of a shot is the mean of the scores of its frames.
 * `frameCount` is that of the file the shots were cut from; frames it has past the labels take the last frame's score.
 */
export function judgeShots(
  frameScores: FrameScores,
  shots: readonly ShotFrames[],
  frameCount: number = shots.at(-1)?.endFrame ?? 0,
): { judgements: Judgement[]; notes: string[] } {
  const { video, people, reference } = frameScores;
  const notes = compareLengths(frameScores, frameCount);
  const wrong = shots.find(({ startFrame, endFrame }) => !(startFrame >= 0 && startFrame < endFrame));
  if (wrong) {
    throw new NumericError(
      'empty-shot',
      `Expected shots of at least one frame in video "${video}", found frames ${wrong.startFrame} to ${wrong.endFrame}.`,
    );
  }
  const judgements = people.map(({ judge, scores }) => {
    const marks = meanOverShots(scores, shots);
    const order = orderByMark(marks);
    return { judge, marks, order, reference: new Set(order.slice(0, referenceSize(marks, reference))) };
  });
  return { judgements, notes };
}

/** Shots from best to worst mark; of equal marks the earlier shot comes first. */
export function orderByMark(marks: Float64Array): number[] {
  return Array.from(marks.keys()).sort((a, b) => marks[b]! - marks[a]! || a - b);
}

/**
 * Shots of `framesPerShot` frames, which need not be whole: shot k starts at round(k · framesPerShot), so lengths differ
 * by a frame and the grid never drifts. A remainder shorter than a shot belongs to the last one.
 */
export function uniformShots(frameCount: number, framesPerShot: number): ShotFrames[] {
  const count = Math.max(1, Math.floor(frameCount / framesPerShot));
  return shotFramesFromStarts(
    Array.from({ length: count }, (_, shot) => Math.round(shot * framesPerShot)),
    frameCount,
  );
}

/** Shots that begin at `starts`, each up to the next, the last up to `endFrame`. */
export function shotFramesFromStarts(starts: readonly number[], endFrame: number): ShotFrames[] {
  return starts.map((startFrame, shot) => ({ startFrame, endFrame: starts[shot + 1] ?? endFrame }));
}

function compareLengths({ video, frameCount: labelled }: FrameScores, frameCount: number): string[] {
  if (frameCount === labelled) return [];
  const difference = `the labels of video "${video}" are of ${labelled} frames, the file has ${frameCount}`;
  if (!fitsLabels(frameCount, labelled)) {
    throw new NumericError(
      'other-length',
      `Expected at most 2 % difference in length, found that ${difference}. Check that it is the same video.`,
    );
  }
  return [
    `${difference[0]!.toUpperCase()}${difference.slice(1)}: each frame takes the score of the nearest labelled one.`,
  ];
}

function meanOverShots(scores: Float32Array, shots: readonly ShotFrames[]): Float64Array {
  const sums = new Float64Array(scores.length + 1);
  scores.forEach((score, frame) => (sums[frame + 1] = sums[frame]! + score));
  const last = scores.length - 1;
  const sumBefore = (frame: number): number =>
    frame <= scores.length ? sums[frame]! : sums[scores.length]! + (frame - scores.length) * scores[last]!;
  return Float64Array.from(
    shots,
    ({ startFrame, endFrame }) => (sumBefore(endFrame) - sumBefore(startFrame)) / (endFrame - startFrame),
  );
}

function referenceSize(marks: Float64Array, reference: FrameScores['reference']): number {
  if (marks.length === 0) return 0;
  if (reference === 'top-half') return Math.max(1, Math.floor(marks.length / 2));
  const chosen = marks.reduce((count, mark) => count + (mark >= 0.5 ? 1 : 0), 0);
  return chosen > 0 || marks.every((mark) => mark === 0) ? chosen : 1;
}

/** Vectors made elsewhere, one row per shot, by video id. */
type GivenFeatures = {
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
