import type { Refuse } from '../../features/index.js';
import type { Dataset, Judgement, LabelledVideo, ShotFrames } from '../types.js';
import { decodeMat5, type MatArray } from './mat5.js';
import {
  type FrameLabelledDataset,
  type FrameScores,
  judgeShots,
  openSource,
  orderByMark,
  type Origin,
  shotFramesFromStarts,
  type Source,
  uniformShots,
} from './source.js';

const SUMME_ORIGIN: Origin = { title: 'SumMe', home: 'gyglim.github.io/me/vsum' };
const SUMME_VIDEO_COUNT = 25;
/** The official files have 5 kB at most. */
const SUMME_MAX_BYTES = 1 << 24;

/**
 * SumMe: 25 videos, each with the summaries 15 to 18 people cut of it. Reads `GT/*.mat`. The videos share no topic, so each is
 * a topic of its own; shots are of two seconds.
 */
export async function readSumme(folder: string): Promise<FrameLabelledDataset> {
  const source = openSource(folder, SUMME_ORIGIN);
  const names = (await source.list('GT'))?.filter((name) => name.endsWith('.mat')) ?? [];
  if (names.length === 0) throw source.missing('files such as "GT/Air_Force_One.mat"', 'none');
  const notes: string[] = [];
  const videos: LabelledVideo[] = [];
  const frameScores = new Map<string, FrameScores>();
  for (const name of names) {
    const id = name.slice(0, -'.mat'.length);
    const refuse = source.damaged(`GT/${name}`);
    const variables = decodeMat5(await source.read(`GT/${name}`, SUMME_MAX_BYTES), refuse);
    const scores = readScores(id, variables, refuse);
    const shots = uniformShots(scores.frameCount, 2 * numberIn(variables, 'FPS', refuse));
    const named = variables.get('all_userIDs')?.dims.reduce((product, dim) => product * dim, 1);
    if (named !== scores.people.length) {
      notes.push(
        `SumMe: ${scores.people.length} people summarised "${id}", ${named ?? 'none'} are named; all are known by number.`,
      );
    }
    videos.push({
      id,
      topic: id,
      frameCount: scores.frameCount,
      shots,
      judgements: judgeShots(scores, shots).judgements,
    });
    frameScores.set(id, scores);
  }
  if (videos.length !== SUMME_VIDEO_COUNT)
    notes.push(`SumMe: expected ${SUMME_VIDEO_COUNT} videos, found ${videos.length}.`);
  const topics = videos.map(({ id }) => ({ code: id, title: id.replaceAll('_', ' ') }));
  return { name: 'summe', videos, topics, notes, files: source.files(), frameScores };
}

/** `user_score` has a row per frame and a column per person: 0, or the number of the person's segment, which is not a grade. */
function readScores(id: string, variables: ReadonlyMap<string, MatArray>, refuse: Refuse): FrameScores {
  const array = variables.get('user_score');
  const frameCount = numberIn(variables, 'nFrames', refuse);
  if (array?.kind !== 'numbers' || array.dims.length !== 2 || array.dims[0] !== frameCount || array.dims[1] === 0) {
    const found = array ? `${array.kind} of ${array.dims.join(' × ')}` : 'none';
    throw refuse(`a matrix "user_score" with a row for each of ${frameCount} frames`, found);
  }
  const people = Array.from({ length: array.dims[1]! }, (_, person) => ({
    judge: String(person + 1),
    scores: Float32Array.from(array.values.subarray(person * frameCount, (person + 1) * frameCount), (value) =>
      value > 0 ? 1 : 0,
    ),
  }));
  return { video: id, frameCount, reference: 'mostly-chosen', people };
}

function numberIn(variables: ReadonlyMap<string, MatArray>, name: string, refuse: Refuse): number {
  const array = variables.get(name);
  const value = array?.kind === 'numbers' && array.values.length === 1 ? array.values[0]! : NaN;
  // Frame rates below one and lengths beyond these are damage, and would make shots without frames.
  if (!(value >= 1 && value < 1e9)) throw refuse(`a number "${name}" of at least 1`, `${value}`);
  return value;
}

const COSUM_ORIGIN: Origin = { title: 'CoSum', home: 'github.com/l2ior/cosum' };
const COSUM_VIDEO_COUNT = 51;
const JUDGE_COUNT = 3;
/** The official files have 1 kB at most. */
const COSUM_MAX_BYTES = 1 << 20;

/** Topics as the CVS paper names them, by the name of their folder without its number. */
const TITLES: Readonly<Record<string, string>> = {
  base_jump: 'Base Jumping',
  bike_polo: 'Bike Polo',
  eiffel_tower: 'Eiffel Tower',
  excavators_river_xing: 'Excavators River Xing',
  kids_playing_in_leaves: 'Kids Playing in Leaves',
  mlb: 'MLB',
  nfl: 'NFL',
  notre_dame_cathedral: 'Notre Dame Cathedral',
  statue_of_liberty: 'Statue of Liberty',
  surfing: 'Surfing',
};

/**
 * CoSum: 51 videos of 10 topics, the shots that each of three judges chose for the topic. Reads `shots/` and `annotation/` of
 * the official repository. Ids are `topic/number`, as in `base_jump/1`.
 */
export async function readCosum(folder: string): Promise<Dataset> {
  const source = openSource(folder, COSUM_ORIGIN);
  const topicFolders = (await source.list('shots'))?.filter((name) => /^\d+_\w+$/.test(name)) ?? [];
  if (topicFolders.length === 0) throw source.missing('folders such as "shots/01_base_jump"', 'none');
  const notes: string[] = [];
  const videos: LabelledVideo[] = [];
  const topics: Dataset['topics'][number][] = [];
  for (const topicFolder of topicFolders) {
    const topic = topicFolder.replace(/^\d+_/, '');
    topics.push({ code: topic, title: TITLES[topic] ?? topic.replaceAll('_', ' ') });
    const annotations = (await source.list(`annotation/${topicFolder}`)) ?? [];
    for (const { name, number } of await shotFilesOf(topicFolder, source)) {
      const id = `${topic}/${number}`;
      const { shots, frameCount } = await readShots(`shots/${topicFolder}/${name}`, source);
      const judgements: Judgement[] = [];
      for (const file of annotations) {
        const judge = new RegExp(`^${number}__(\\w+)\\.mat$`).exec(file)?.[1];
        if (judge === undefined) continue;
        const choice = await readChoice(`annotation/${topicFolder}/${file}`, shots.length, source);
        if (choice.some(({ number }) => number > shots.length)) notes.push(pastTheEnd(id, judge, shots.length));
        judgements.push(judgementOf(judge, choice, shots.length));
      }
      if (judgements.length === 0) {
        throw source.missing(`what judges chose in "annotation/${topicFolder}/${number}__*.mat"`, 'no such file');
      }
      if (judgements.length !== JUDGE_COUNT) {
        notes.push(`CoSum: expected ${JUDGE_COUNT} judges for video "${id}", found ${judgements.length}.`);
      }
      videos.push({ id, topic, frameCount, shots, judgements });
    }
  }
  if (videos.length !== COSUM_VIDEO_COUNT)
    notes.push(`CoSum: expected ${COSUM_VIDEO_COUNT} videos, found ${videos.length}.`);
  return { name: 'cosum', videos, topics, notes, files: source.files() };
}

/** Files such as `base1_shots.txt`, by their number. */
async function shotFilesOf(topicFolder: string, source: Source): Promise<{ name: string; number: number }[]> {
  const files = ((await source.list(`shots/${topicFolder}`)) ?? []).flatMap((name) => {
    const number = /^[A-Za-z_]+(\d{1,4})_shots\.txt$/.exec(name)?.[1];
    return number === undefined ? [] : [{ name, number: Number(number) }];
  });
  if (files.length === 0) throw source.missing(`files such as "shots/${topicFolder}/base1_shots.txt"`, 'none');
  return files.sort((a, b) => a.number - b.number);
}

/**
 * N+1 frame numbers from 1: shot n starts at the n-th and ends before the next, and the last is one past the video's last
 * frame. Frames before the first number belong to no shot.
 */
async function readShots(path: string, source: Source): Promise<{ shots: ShotFrames[]; frameCount: number }> {
  const words = (await source.read(path, COSUM_MAX_BYTES)).toString('latin1').split(/\s+/).filter(Boolean);
  const bounds = words.map(Number);
  const rises = bounds.every((bound, index) => Number.isSafeInteger(bound) && bound > (bounds[index - 1] ?? 0));
  if (bounds.length < 2 || !rises)
    throw source.damaged(path)('two or more rising frame numbers', `"${words.slice(0, 5).join(' ')} …"`);
  const starts = bounds.map((bound) => bound - 1);
  const frameCount = starts.pop()!;
  return { shots: shotFramesFromStarts(starts, frameCount), frameCount };
}

type Choice = readonly { readonly number: number; readonly label: number }[];

/** What a judge chose: shot numbers from 1, each with a label. One past the last shot is a known defect, more is damage. */
async function readChoice(path: string, shotCount: number, source: Source): Promise<Choice> {
  const refuse = source.damaged(path);
  const array = decodeMat5(await source.read(path, COSUM_MAX_BYTES), refuse).get('labels');
  if (array?.kind !== 'numbers' || array.dims.length !== 2 || array.dims[1] !== 2) {
    throw refuse('a matrix "labels" of two columns', array ? `${array.kind} of ${array.dims.join(' × ')}` : 'none');
  }
  const rows = array.dims[0]!;
  const choice = Array.from({ length: rows }, (_, row) => ({
    number: array.values[row]!,
    label: array.values[rows + row]!,
  }));
  const wrong = choice.find(({ number }) => !Number.isSafeInteger(number) || number < 1 || number > shotCount + 1);
  if (wrong) throw refuse(`shot numbers from 1 to ${shotCount}`, `${wrong.number}`);
  return choice;
}

/**
 * The labels are all 1, so a judge gives a set without grades. To score a judge against the others, the chosen shots come
 * first, then the rest, both in film order; higher labels would come before lower ones.
 */
function judgementOf(judge: string, choice: Choice, shotCount: number): Judgement {
  const labels = new Float64Array(shotCount);
  for (const { number, label } of choice) {
    const shot = Math.min(number, shotCount) - 1;
    labels[shot] = Math.max(labels[shot]!, label);
  }
  const order = orderByMark(labels);
  return { judge, marks: null, order, reference: new Set(order.filter((shot) => labels[shot]! > 0)) };
}

function pastTheEnd(id: string, judge: string, shotCount: number): string {
  return (
    `CoSum: judge "${judge}" chose shot ${shotCount + 1} of video "${id}", which has ${shotCount}; ` +
    'the last shot was taken for it.'
  );
}
