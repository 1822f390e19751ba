import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findTopics, parseTopics, summarizeTopic, summarizeTopics, type OptionsInput } from 'throughline-video';
import { drawTopic } from '../fixtures/drawn-topic.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { makeVideo } from '../fixtures/make.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);
const CARDS = ['card-a.mp4', 'card-b.mp4', 'card-c.mp4'];
let people: string[];

/** One folder of two topics: people at a festival, and test cards. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-topics-'));
  const ffmpeg = (await locateFfmpeg()).path;
  const { videos } = await drawTopic({ folder: at('drawn'), ffmpeg, scale: 0.2, videoCount: 4 });
  people = videos.map(({ file }) => file);
  await mkdir(at('everything'));
  for (const file of people) await cp(at('drawn', file), at('everything', file));
  const cuts = [[50, 110], [40, 90, 150], [60, 120]]; // prettier-ignore
  for (const [place, name] of CARDS.entries()) {
    await makeVideo(ffmpeg, at('everything', name), { frameCount: 200, cuts: cuts[place]!, tones: [] });
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

const options = (out: string, more: OptionsInput = {}): OptionsInput => ({
  cache: at('cache'),
  out: at(out),
  films: false,
  pictures: 'none',
  ...more,
});
const namesOf = (topic: { videos: { path: string }[] }): string[] => topic.videos.map(({ path }) => path);

describe('a folder of several topics', () => {
  it('is divided by what the videos show, with the evidence in a record', { tags: 'slow' }, async () => {
    const { record, path } = await findTopics(at('everything'), options('found'));
    expect(record.topics.map(namesOf)).toEqual([people, CARDS]);
    expect(record.alone).toEqual([]);
    expect(record.concordance).toBeGreaterThan(0.95);
    for (const { inside, outside, centre, videos } of record.topics) {
      expect(inside).toBeGreaterThan(outside!);
      expect(videos.map(({ id }) => id)).toContain(centre);
    }
    expect(parseTopics(await readFile(path, 'utf8'))).toEqual(record);
  });

  it('is divided into as many topics as asked for, the same with any number of workers', { tags: 'slow' }, async () => {
    const { record, path } = await findTopics(at('everything'), options('three', { groups: 3, jobs: 1 }));
    expect(record).toMatchObject({ groups: 3, alone: [] });
    expect(record.topics).toHaveLength(3);
    const again = await findTopics(at('everything'), options('again', { groups: 3, jobs: 3 }));
    expect(await readFile(again.path, 'utf8')).toBe(await readFile(path, 'utf8'));
  });

  it(
    'is summarised topic by topic, each in its folder, as if each had been given alone',
    { tags: 'slow' },
    async () => {
      const { outcomes, record } = await summarizeTopics(at('everything'), options('all'));
      expect(await readdir(at('all'))).toEqual(['.throughline', 'topic-1', 'topic-2', 'topics.json']);
      expect(outcomes.map(({ document }) => document.videos.map((video) => video.path))).toEqual([people, CARDS]);
      expect(record.topics.map(({ name }) => name)).toEqual(['topic-1', 'topic-2']);
      const alone = await summarizeTopic(
        people.map((file) => at('everything', file)),
        options('people'),
      );
      expect(outcomes[0]!.document.videos).toEqual(alone.document.videos);
    },
  );

  it('has videos of no topic summarised alone, with a note', { tags: 'slow' }, async () => {
    const [first, ...others] = people;
    const given = [first!, ...CARDS].map((file) => at('everything', file));
    const { record, outcomes } = await summarizeTopics(given, options('loner', { groups: 2, concept: '4s' }));
    expect(record.topics.map(namesOf)).toEqual([CARDS, [first]]);
    expect(outcomes[1]!.document.notes.join()).toContain('judged by the video alone');
    expect(outcomes.map(({ document }) => (document.concept ?? null) !== null)).toEqual([true, false]);
    expect(others).toHaveLength(3);
  });

  it('is refused where one summary was asked for', async () => {
    await expect(summarizeTopic(at('everything'), options('one', { autoTopics: true }))).rejects.toMatchObject({
      code: 'several-topics',
    });
    await expect(summarizeTopic(at('everything'), options('one', { groups: 2 }))).rejects.toMatchObject({
      code: 'groups-of-one',
    });
  });
});
