import type { LabelledVideo } from '../types.js';
import {
  judgeShots,
  uniformShots,
  type FrameLabelledDataset,
  type FrameScores,
  openSource,
  type Origin,
} from './source.js';
import { decodeMat5, type MatArray } from './mat5.js';
import type { Refuse } from '../../features/index.js';

const ORIGIN: Origin = { title: 'SumMe', home: 'gyglim.github.io/me/vsum' };
const VIDEO_COUNT = 25;
/** The official files have 5 kB at most. */
const MAX_BYTES = 1 << 24;

/**
 * SumMe: 25 videos, each with the summaries 15 to 18 people cut of it. Reads `GT/*.mat`. The videos share no topic, so each is
 * a topic of its own; shots are of two seconds.
 */
export async function readSumme(folder: string): Promise<FrameLabelledDataset> {
  const source = openSource(folder, ORIGIN);
  const names = (await source.list('GT'))?.filter((name) => name.endsWith('.mat')) ?? [];
  if (names.length === 0) throw source.missing('files such as "GT/Air_Force_One.mat"', 'none');
  const notes: string[] = [];
  const videos: LabelledVideo[] = [];
  const frameScores = new Map<string, FrameScores>();
  for (const name of names) {
    const id = name.slice(0, -'.mat'.length);
    const refuse = source.damaged(`GT/${name}`);
    const variables = decodeMat5(await source.read(`GT/${name}`, MAX_BYTES), refuse);
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
  if (videos.length !== VIDEO_COUNT) notes.push(`SumMe: expected ${VIDEO_COUNT} videos, found ${videos.length}.`);
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
