import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { addToTopic, summarizeTopic, updateTopic, type OptionsInput, type Outcome } from 'throughline-video';
import { copyAnalysis, drawTopic } from '../fixtures/drawn-topic.js';
import { timelineOfConcept, timelineOfVideo } from '../../src/timeline/index.js';
import { locateFfmpeg } from '../../src/media/index.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-sequence-'));
  await drawTopic({ folder: at('topic'), ffmpeg: (await locateFfmpeg()).path, scale: 0.2, videoCount: 3 });
  await copyAnalysis(at('cache'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

let runs = 0;
const run = (options: OptionsInput): Promise<Outcome> =>
  summarizeTopic(at('topic'), {
    ...{
      cache: at('cache'),
      out: at(`out-${runs++}`),
      films: false,
      pictures: 'none',
      length: '40%',
      concept: '8s',
      evidence: 0,
    },
    ...options,
  });
const filmOf = ({ document }: Outcome): string[] =>
  document.concept!.shots.map(({ video, shot }) => `${video}.mp4#${shot + 1}`);
const clipsOf = ({ document }: Outcome, id: string): number[] =>
  document.videos.find((video) => video.id === id)!.clips.map(({ startFrame }) => startFrame);

describe('an order made by hand', () => {
  it(
    'is followed by the film of a video, and by its cut list; the other videos keep theirs',
    { tags: 'slow' },
    async () => {
      const plain = await run({});
      const frames = clipsOf(plain, 'aiko');
      expect(frames.length).toBeGreaterThan(1);
      const { shots } = plain.document.videos.find(({ id }) => id === 'aiko')!;
      const named = frames.toReversed().map((frame) => shots.find(({ startFrame }) => startFrame === frame)!.index + 1);
      const turned = await run({ sequence: named.map((number) => `aiko.mp4#${number}`), films: true });
      expect(clipsOf(turned, 'aiko')).toEqual(frames.toReversed());
      expect(clipsOf(turned, 'bruno')).toEqual(clipsOf(plain, 'bruno'));
      expect(filmOf(turned)).toEqual(filmOf(plain));
      const list = timelineOfVideo(turned.document, 'aiko').clips.map(({ firstFrame }) => firstFrame);
      expect(list).toEqual(frames.toReversed());
      expect(turned.document.options['sequence']).toEqual(named.map((number) => `aiko.mp4#${number}`));
      expect(turned.document.videos[0]!.film).toBe('aiko.mp4');
    },
  );

  it(
    'is followed by the film of the topic, its record and its cut list; a longer film keeps it',
    { tags: 'slow' },
    async () => {
      const plain = await run({});
      const wanted = filmOf(plain).toReversed();
      const turned = await run({ topicSequence: wanted });
      expect(filmOf(turned)).toEqual(wanted);
      const places = turned.document.concept!.shots.map(({ filmFrame }) => filmFrame);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(timelineOfConcept(turned.document).clips[0]!.source).toBe(wanted[0]!.replace(/\.mp4#\d+$/, ''));
      const longer = filmOf(await run({ topicSequence: wanted, concept: '12s' }));
      expect(longer.length).toBeGreaterThan(wanted.length);
      expect(longer.filter((shot) => wanted.includes(shot))).toEqual(wanted.filter((shot) => longer.includes(shot)));
    },
  );

  it('is kept with a topic, and a name that means nothing is refused before any work', { tags: 'slow' }, async () => {
    const folder = at('grown');
    const options = { films: false, pictures: 'none', concept: '8s' } as const;
    const { outcome } = await addToTopic([at('topic')], options, { folder });
    const wanted = filmOf(outcome!).toReversed();
    await updateTopic({ topicSequence: wanted }, { folder });
    const again = await updateTopic({}, { folder });
    expect(filmOf(again.outcome!)).toEqual(wanted);
    const record = JSON.parse(await readFile(join(folder, 'topic.json'), 'utf8')) as { options: object };
    expect(record.options).toMatchObject({ topicSequence: wanted });
    await expect(run({ sequence: ['nobody.mp4#1'] })).rejects.toThrow('found none of that name');
    await expect(run({ topicSequence: ['aiko.mp4#99'] })).rejects.toThrow('Expected a shot from 1 to');
    await expect(run({ sequence: ['aiko.mp4@0:01-0:02'] })).rejects.toThrow('Option sequence: expected FILE#SHOT');
  });
});
