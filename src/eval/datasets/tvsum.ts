import { join } from 'node:path';

import type { Dataset, LabelledVideo, ShotFrames } from '../types.js';
import {
  judgeShots,
  uniformShots,
  type FrameLabelledDataset,
  type FrameScores,
  shotFramesFromStarts,
  openSource,
  type Origin,
  type Source,
} from './source.js';
import { openHdf5, type Hdf5Array, type Hdf5File, type Refuse } from '../../features/index.js';

const ORIGIN: Origin = { title: 'TVSum', home: 'github.com/yalesong/tvsum' };
const VIDEO_COUNT = 50;
const PEOPLE_COUNT = 20;

/** Topics in the order of the data set, named as in the tables of the CVS paper. */
const TOPICS: Dataset['topics'] = [
  { code: 'VT', title: 'Changing Vehicle Tire' },
  { code: 'VU', title: 'Getting Vehicle Unstuck' },
  { code: 'GA', title: 'Grooming an Animal' },
  { code: 'MS', title: 'Making Sandwich' },
  { code: 'PK', title: 'Parkour' },
  { code: 'PR', title: 'Parade' },
  { code: 'FM', title: 'Flash Mob Gathering' },
  { code: 'BK', title: 'Bee Keeping' },
  { code: 'BT', title: 'Attempting Bike Tricks' },
  { code: 'DS', title: 'Dog Show' },
];

/**
 * Where shots begin. `scored`: where people's scores change, so that each shot has one score of each person. `frames`:
 * every 2·round(fps) frames, as much of the literature has it; a person's mark is the mean of the scores in a shot, which
 * mixes two where that grid has drifted away from time.
 */
export const TVSUM_GRIDS = ['scored', 'frames'] as const;
/** One of `TVSUM_GRIDS`. */
export type TvsumGrid = (typeof TVSUM_GRIDS)[number];

/** Where the official archive keeps its files, as unpacked whole or in parts. */
const PLACES = ['', 'data', 'matlab', 'ydata-tvsum50-v1_1', 'ydata-tvsum50-v1_1/data', 'ydata-tvsum50-v1_1/matlab'];

/**
 * TVSum50: 50 videos of 10 topics, each two-second shot scored 1 to 5 by 20 people. Reads `ydata-tvsum50.mat`, or where that
 * is not there `ydata-tvsum50-anno.tsv` with `ydata-tvsum50-info.tsv`. Shots are those people scored, as the scores show
 * them, unless another grid is asked for.
 */
export async function readTvsum(folder: string, grid: TvsumGrid = 'scored'): Promise<FrameLabelledDataset> {
  const source = openSource(folder, ORIGIN);
  const raw = await readRaw(folder, source);
  const notes: string[] = [];
  if (raw.length !== VIDEO_COUNT) notes.push(`TVSum: expected ${VIDEO_COUNT} videos, found ${raw.length}.`);

  const videos: LabelledVideo[] = [];
  const frameScores = new Map<string, FrameScores>();
  for (const { id, topic, seconds, people, path } of raw) {
    const frameCount = people[0]!.length;
    if (people.length !== PEOPLE_COUNT) {
      notes.push(`TVSum: expected ${PEOPLE_COUNT} people for video "${id}", found ${people.length}.`);
    }
    const scores: FrameScores = {
      video: id,
      frameCount,
      reference: 'top-half',
      people: people.map((given, index) => ({ judge: String(index + 1), scores: given })),
    };
    const scored = scoredShots(people, seconds, (expected, found) =>
      source.damaged(path)(`${expected} for video "${id}"`, found),
    );
    const rate = scored.at(-1)!.startFrame / (scored.length - 1) / 2;
    const shots = grid === 'frames' && scored.length > 1 ? uniformShots(frameCount, 2 * Math.round(rate)) : scored;
    videos.push({ id, topic, frameCount, shots, judgements: judgeShots(scores, shots).judgements });
    frameScores.set(id, scores);
  }
  return { name: 'tvsum', videos, topics: topicsOf(videos), notes, files: source.files(), frameScores };
}

async function readRaw(folder: string, source: Source): Promise<RawVideo[]> {
  const find = async (name: string): Promise<string | null> => {
    for (const index of PLACES) {
      if ((await source.list(index))?.includes(name)) return index === '' ? name : `${index}/${name}`;
    }
    return null;
  };
  const mat = await find('ydata-tvsum50.mat');
  if (mat) return readMat(join(folder, mat), mat, source);
  const [scores, facts] = [await find('ydata-tvsum50-anno.tsv'), await find('ydata-tvsum50-info.tsv')];
  if (scores && facts) return readTsv(scores, facts, source);
  throw source.missing(
    '"ydata-tvsum50.mat", or "ydata-tvsum50-anno.tsv" and "ydata-tvsum50-info.tsv"',
    scores ? 'only "ydata-tvsum50-anno.tsv"' : facts ? 'only "ydata-tvsum50-info.tsv"' : 'none of them',
  );
}

function topicsOf(videos: readonly LabelledVideo[]): Dataset['topics'] {
  const met = new Set(videos.map(({ topic }) => topic));
  const known = new Set(TOPICS.map(({ code }) => code));
  const others = [...met].filter((code) => !known.has(code));
  return [...TOPICS.filter(({ code }) => met.has(code)), ...others.map((code) => ({ code, title: code }))];
}

/** A video as in the files of TVSum: the score of each frame by each person. */
type RawVideo = {
  readonly id: string;
  readonly topic: string;
  readonly seconds: number;
  readonly people: readonly Float32Array[];
  /** The file it was read from, for messages. */
  readonly path: string;
};

/** The official .mat has 1.1 MB, the official table of scores 14 MB. */
const MAX_BYTES = 1 << 28;
/** More than eleven hours at 100 frames a second. */
const MAX_FRAMES = 1 << 22;

/** `ydata-tvsum50.mat` (MATLAB 7.3, which is HDF5): the struct array `tvsum50`, a column of references for each field. */
async function readMat(absolute: string, path: string, source: Source): Promise<RawVideo[]> {
  const refuse = source.damaged(path);
  await source.read(path, MAX_BYTES);
  const file = await openHdf5(absolute, refuse);
  try {
    const [ids, topics, lengths, counts, scores] = [
      await readColumn(file, 'video', refuse),
      await readColumn(file, 'category', refuse),
      await readColumn(file, 'length', refuse),
      await readColumn(file, 'nframes', refuse),
      await readColumn(file, 'user_anno', refuse),
    ];
    if ([topics, lengths, counts, scores].some((column) => column.length !== ids.length) || ids.length === 0) {
      throw refuse('one entry a video in every field', 'fields of different lengths');
    }
    return ids.map((cell, index) => {
      const id = checkId(textOf(cell), refuse);
      const frameCount = numberOf(counts[index]!);
      const { shape, values } = scores[index]!;
      if (shape.length !== 2 || shape[1] !== frameCount || !isNumbers(values) || shape[0] === 0 || frameCount === 0) {
        throw refuse(`scores of ${frameCount} frames for video "${id}"`, `an array of ${shape.join(' × ')}`);
      }
      const people = Array.from({ length: shape[0]! }, (_, person) =>
        Float32Array.from(values.subarray(person * frameCount, (person + 1) * frameCount)),
      );
      const video = { id, topic: textOf(topics[index]!), seconds: numberOf(lengths[index]!), people, path };
      return checkVideo(video, refuse);
    });
  } finally {
    await file.close();
  }
}

/** The two tables: a line of scores per person (`id`, category, scores of all frames with commas), and a line of facts per video. */
async function readTsv(scorePath: string, factPath: string, source: Source): Promise<RawVideo[]> {
  const seconds = readLengths((await source.read(factPath, MAX_BYTES)).toString('utf8'), source.damaged(factPath));
  const refuse = source.damaged(scorePath);
  const videos = new Map<string, { id: string; topic: string; people: Float32Array[] }>();
  const lines = (await source.read(scorePath, MAX_BYTES)).toString('latin1').split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const [id = '', topic = '', list = ''] = line.split('\t');
    const scores = Float32Array.from(list.split(','), (text) => (text.trim() === '' ? NaN : Number(text)));
    if (scores.some((score) => !Number.isFinite(score))) {
      throw refuse(`an id, a category and a list of numbers in line ${index + 1}`, `"${line.slice(0, 40)}"`);
    }
    const video = videos.get(id) ?? { id: checkId(id, refuse), topic: topic.trim(), people: [] };
    if (video.people.length > 0 && video.people[0]!.length !== scores.length) {
      const expected = `${video.people[0]!.length} scores for video "${id}" in line ${index + 1}, as in its first line`;
      throw refuse(expected, `${scores.length}`);
    }
    video.people.push(scores);
    videos.set(id, video);
  }
  if (videos.size === 0) throw refuse('a line of scores for each person and video', 'none');
  return [...videos.values()].map((video) => {
    const length = seconds.get(video.id);
    if (length === undefined) throw source.damaged(factPath)(`a line for video "${video.id}"`, 'none');
    return checkVideo({ ...video, seconds: length, path: scorePath }, refuse);
  });
}

/** Lengths in seconds by video; the table gives them as `m:ss` or `h:mm:ss`. */
function readLengths(text: string, refuse: Refuse): Map<string, number> {
  const [header = '', ...lines] = text.split(/\r?\n/);
  const names = header.split('\t').map((name) => name.trim());
  const [idAt, lengthAt] = [names.indexOf('video_id'), names.indexOf('length')];
  if (idAt < 0 || lengthAt < 0) throw refuse('columns "video_id" and "length"', `"${header.slice(0, 60)}"`);
  const rows = lines.filter((line) => line.trim() !== '').map((line) => line.split('\t'));
  return new Map(
    rows.map((cells) => {
      const clock = cells[lengthAt]?.trim() ?? '';
      if (!/^\d{1,4}(:\d{1,2}){1,2}$/.test(clock)) throw refuse('a length such as "5:54"', `"${clock.slice(0, 20)}"`);
      return [cells[idAt] ?? '', clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0)] as const;
    }),
  );
}

async function readColumn(file: Hdf5File, field: string, refuse: Refuse): Promise<readonly Hdf5Array[]> {
  const { values } = await file.read(`tvsum50/${field}`);
  if (typeof values === 'string' || isNumbers(values)) throw refuse(`references in "tvsum50/${field}"`, 'plain values');
  return values;
}

/** Ids become file names, so only the letters of a YouTube id pass. */
function checkId(id: string, refuse: Refuse): string {
  if (!/^[\w-]{1,64}$/.test(id)) throw refuse('the id of a video', JSON.stringify(id.slice(0, 40)));
  return id;
}

/** Refuses scores that are not per frame (but per two seconds, say): the frame rate would be impossible. */
function checkVideo(video: RawVideo, refuse: Refuse): RawVideo {
  const frameCount = video.people[0]!.length;
  const fps = frameCount / video.seconds;
  if (!(fps >= 5 && fps <= 250) || frameCount > MAX_FRAMES) {
    throw refuse(`a score for every frame of video "${video.id}"`, `${frameCount} scores for ${video.seconds} seconds`);
  }
  if (video.people.some((scores) => scores.some((score) => !(score >= 1 && score <= 5)))) {
    throw refuse(`scores from 1 to 5 for video "${video.id}"`, 'others');
  }
  return video;
}

function isNumbers(values: Hdf5Array['values']): values is Float32Array | Float64Array {
  return ArrayBuffer.isView(values);
}

function textOf({ values }: Hdf5Array): string {
  if (typeof values === 'string') return values;
  return isNumbers(values) ? Array.from(values.subarray(0, 256), (code) => String.fromCharCode(code)).join('') : '';
}

function numberOf({ values }: Hdf5Array): number {
  return isNumbers(values) ? (values[0] ?? NaN) : NaN;
}

/** How far a change of scores may be from the two-second grid, as a share of a shot: for rounding and uneven time stamps. */
const TOLERANCE = 0.05;

/**
 * The two-second shots people scored, found where anyone's score changes: the true grid is of time, so its starts drift
 * away from multiples of 2·round(fps). Where nobody changed between two changes the stretch is divided evenly; what is left
 * at the end and is shorter than a shot belongs to the last one.
 */
export function scoredShots(people: readonly Float32Array[], seconds: number, refuse: Refuse): ShotFrames[] {
  const frameCount = people[0]!.length;
  const nominal = (2 * frameCount) / seconds;
  const changes = changesOf(people);
  const starts = [0];
  let [last, pieces] = [0, 0];
  for (const change of changes) {
    const count = Math.round((change - last) / nominal);
    if (count < 1 || Math.abs((change - last) / count - nominal) > TOLERANCE * nominal) {
      throw refuse(
        'scores that change every two seconds',
        `a change at frame ${change}, ${change - last} after the last`,
      );
    }
    for (let piece = 1; piece <= count; piece++) starts.push(last + Math.round(((change - last) * piece) / count));
    [last, pieces] = [change, pieces + count];
  }
  const framesPerShot = pieces > 0 ? last / pieces : nominal;
  const left = Math.floor((frameCount - last) / framesPerShot);
  for (let piece = 1; piece < left; piece++) starts.push(last + Math.round(framesPerShot * piece));
  return shotFramesFromStarts(starts, frameCount);
}

function changesOf(people: readonly Float32Array[]): number[] {
  const frameCount = people[0]!.length;
  const changes: number[] = [];
  for (let frame = 1; frame < frameCount; frame++) {
    if (people.some((scores) => scores[frame] !== scores[frame - 1])) changes.push(frame);
  }
  return changes;
}
