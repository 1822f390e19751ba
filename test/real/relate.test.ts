import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readTvsum } from '../../src/eval/datasets/tvsum.js';
import { findTopics, summarizeTopic, type Outcome } from '../../src/index.js';
import { leastAlike } from '../../src/summary/index.js';
import { footage } from './folder.js';

const tvsum = join(footage, '..', 'tvsum');
let work: string;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'throughline-real-relate-'));
});
afterAll(() => rm(work, { recursive: true, force: true }));

const filesIn = async (...folder: string[]): Promise<string[]> =>
  (await readdir(join(footage, ...folder), { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(footage, ...folder, name))
    .sort();
const options = (out: string) => ({
  out: join(work, out),
  films: false,
  pictures: 'none',
});
const judge = (name: string, files: readonly string[]): Promise<Outcome> => summarizeTopic(files, options(name));

/** Who is called a stray, and who a double of whom. */
function odd({ document }: Outcome): { strays: string[]; doubles: string[][] } {
  return {
    strays: document.videos.filter(({ standing }) => standing!.isStray).map(({ path }) => path),
    doubles: document.videos.flatMap(({ path, standing }) => (standing?.doubleOf ? [[path, standing.doubleOf]] : [])),
  };
}

describe('real topics', () => {
  it('surfing: the advertisement is called a stray, the half hotel is among the least alike, no good video is accused', async () => {
    const good = await filesIn('surfing');
    expect(odd(await judge('surfing', good))).toEqual({ strays: [], doubles: [] });
    const outcome = await judge('strays', [...good, ...(await filesIn('surfing', 'strays'))]);
    expect(odd(outcome)).toEqual({ strays: ['detergent_ad_named_surf.mp4'], doubles: [] });
    const first = leastAlike(outcome.document.videos).map(({ path }) => path);
    expect(first).toEqual(expect.arrayContaining(['detergent_ad_named_surf.mp4', 'half_hotel_interior.mp4']));
  });

  it('traffic: the re-encoded video is a double, nothing else is odd', async () => {
    const good = await filesIn('traffic');
    expect(odd(await judge('traffic', good))).toEqual({ strays: [], doubles: [] });
    const copy = 'near_duplicate_of_traffic06_320p.mp4';
    const outcome = await judge('double', [...good, join(footage, 'odd', copy)]);
    expect(odd(outcome)).toEqual({ strays: [], doubles: [[copy, '06_bangkok_junction']] });
  });

  it('surfing and traffic in one folder come apart', async () => {
    const [surfing, traffic] = [await filesIn('surfing'), await filesIn('traffic')];
    const { record } = await findTopics([...surfing, ...traffic], options('mixed'));
    const isSurfing = (path: string): boolean => surfing.some((file) => file.endsWith(`/${path}`));
    const sides = record.topics.map(({ videos }) => new Set(videos.map(({ path }) => isSurfing(path))).size);
    expect(sides).toEqual([1, 1]);
    // A few unusual videos stay alone, and none is taken for one of the other topic.
    expect(record.alone.length).toBeLessThanOrEqual(3);
    for (const { path, nearest } of record.alone) {
      const nearestTopic = record.topics.find(({ name }) => name === nearest)!;
      expect(isSurfing(nearestTopic.videos[0]!.path), path).toBe(isSurfing(path));
    }
    const alone = await findTopics(surfing, options('one'));
    expect(alone.record.topics).toHaveLength(1);
  });

  it.runIf(existsSync(tvsum))(
    'TVSum: with a video of the next topic among them, nobody of the topic is blamed',
    async () => {
      const { videos, topics } = await readTvsum(tvsum);
      const there = topics
        .map(({ code }) => ({
          code,
          paths: videos
            .filter(({ topic }) => topic === code)
            .map(({ id }) => join(tvsum, 'videos', `${id}.mp4`))
            .filter((path) => existsSync(path)),
        }))
        .filter(({ paths }) => paths.length >= 5);
      expect(there.length).toBeGreaterThanOrEqual(5);
      for (const [at, { code, paths }] of there.entries()) {
        const outsider = there[(at + 1) % there.length]!.paths[0]!;
        const { strays, doubles } = odd(await judge(code, [...paths, outsider]));
        expect(
          strays.filter((path) => path !== basename(outsider)),
          code,
        ).toEqual([]);
        expect(doubles).toEqual([]);
      }
    },
  );
});
