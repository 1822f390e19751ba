import { openHdf5, type Hdf5Array, type Hdf5File, type Refuse } from '../../features/index.js';
import type { Source } from './source.js';

/** A video as in the files of TVSum: the score of each frame by each person. */
export type RawVideo = {
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
export async function readMat(absolute: string, path: string, source: Source): Promise<RawVideo[]> {
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
    return ids.map((cell, place) => {
      const id = checkId(textOf(cell), refuse);
      const frameCount = numberOf(counts[place]!);
      const { shape, values } = scores[place]!;
      if (shape.length !== 2 || shape[1] !== frameCount || !isNumbers(values) || shape[0] === 0 || frameCount === 0) {
        throw refuse(`scores of ${frameCount} frames for video "${id}"`, `an array of ${shape.join(' × ')}`);
      }
      const people = Array.from({ length: shape[0]! }, (_, person) =>
        Float32Array.from(values.subarray(person * frameCount, (person + 1) * frameCount)),
      );
      const video = { id, topic: textOf(topics[place]!), seconds: numberOf(lengths[place]!), people, path };
      return checkVideo(video, refuse);
    });
  } finally {
    await file.close();
  }
}

/** The two tables: a line of scores per person (`id`, category, scores of all frames with commas), and a line of facts per video. */
export async function readTsv(scorePath: string, factPath: string, source: Source): Promise<RawVideo[]> {
  const seconds = readLengths((await source.read(factPath, MAX_BYTES)).toString('utf8'), source.damaged(factPath));
  const refuse = source.damaged(scorePath);
  const videos = new Map<string, { id: string; topic: string; people: Float32Array[] }>();
  const lines = (await source.read(scorePath, MAX_BYTES)).toString('latin1').split(/\r?\n/);
  for (const [place, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const [id = '', topic = '', list = ''] = line.split('\t');
    const scores = Float32Array.from(list.split(','), (text) => (text.trim() === '' ? NaN : Number(text)));
    if (scores.some((score) => !Number.isFinite(score))) {
      throw refuse(`an id, a category and a list of numbers in line ${place + 1}`, `"${line.slice(0, 40)}"`);
    }
    const video = videos.get(id) ?? { id: checkId(id, refuse), topic: topic.trim(), people: [] };
    if (video.people.length > 0 && video.people[0]!.length !== scores.length) {
      const expected = `${video.people[0]!.length} scores for video "${id}" in line ${place + 1}, as in its first line`;
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
