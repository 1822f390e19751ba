import { join } from 'node:path';

import type { Dataset, LabelledVideo } from '../types.js';
import { judgeShots, uniformShots, type FrameLabelledDataset, type FrameScores } from './frame-scores.js';
import { openSource, type Origin, type Source } from './source.js';
import { scoredShots } from './tvsum-grid.js';
import { readMat, readTsv, type RawVideo } from './tvsum-files.js';

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
      people: people.map((given, place) => ({ judge: String(place + 1), scores: given })),
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
    for (const place of PLACES) {
      if ((await source.list(place))?.includes(name)) return place === '' ? name : `${place}/${name}`;
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
