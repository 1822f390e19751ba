import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type SummaryDocument } from 'throughline-video';
import { lengthInSeconds } from '../../src/base/index.js';
import { locateFfmpeg, probe } from '../../src/media/index.js';
import { topicClipsOf } from '../../src/summary/index.js';
import { makeVideo } from '../fixtures/make.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);

async function run(folder: string, out: string, options: OptionsInput): Promise<SummaryDocument> {
  const { document } = await summarizeTopic(at(folder), {
    ...{ features: 'shallow', out: at(out), cache: at('cache'), pictures: 'storyboard', sound: 'none' },
    ...options,
  });
  return document;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-short-videos-'));
  const ffmpeg = (await locateFfmpeg()).path;
  for (const folder of ['clips', 'fast']) await mkdir(at(folder));
  const small = { widthPx: 96, heightPx: 54, tones: [], hasFlashes: false };
  // Twelve clips of two to five seconds, 42 s together.
  for (let k = 0; k < 12; k++) {
    const spec = { ...small, frameCount: 50 + Math.round((75 * k) / 11), firstNumber: 1000 * k };
    await makeVideo(ffmpeg, at('clips', `${String.fromCharCode(97 + k)}.mp4`), spec);
  }
  // A cut every 0.32 s.
  for (const [k, name] of ['a', 'b'].entries()) {
    const cuts = Array.from({ length: 30 }, (_, cut) => 8 * (cut + 1) + k);
    await makeVideo(ffmpeg, at('fast', `${name}.mp4`), { ...small, frameCount: 250, firstNumber: 1000 * k, cuts });
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('many short videos', () => {
  it(
    'are together as long as asked for; those without a film are named once and keep their shots',
    { tags: 'slow' },
    async () => {
      const { videos, notes } = await run('clips', 'a-fifth', { length: '20%' });
      const footage = videos.reduce((sum, { range }) => sum + lengthInSeconds(range), 0);
      const seconds = videos.reduce((sum, video) => sum + video.seconds!, 0);
      expect(seconds).toBeLessThanOrEqual(0.2 * footage);
      // Not even one more clip would fit.
      expect(seconds).toBeGreaterThan(0.2 * footage - 2.25);
      const without = videos.filter(({ film }) => film === null);
      for (const { shots, clips, seconds: none, storyboard } of without) {
        expect([shots.length > 0, shots.some(({ chosen }) => chosen), clips, none]).toEqual([true, false, [], 0]);
        expect(existsSync(at('a-fifth', storyboard!))).toBe(true);
      }
      for (const video of videos.filter(({ film }) => film !== null)) {
        const { durationHint } = await probe(at('a-fifth', video.film!));
        expect(Math.abs(durationHint! - video.seconds!)).toBeLessThan(0.05);
        expect(video.seconds).toBeGreaterThanOrEqual(2);
      }
      expect(notes.filter((note) => note.startsWith(`No film of their own: ${without.length} of 12 videos`))).toHaveLength(1); // prettier-ignore
    },
  );
});

describe('a video that is cut very fast', () => {
  it('plays no clip of less than half a second, in its own film and in that of the topic', async () => {
    const { videos, concept } = await run('fast', 'fast-out', { length: '1 shot', concept: '2 shots', films: false });
    for (const { takes } of videos) for (const { range } of takes) expect(lengthInSeconds(range)).toBeLessThan(0.5);
    for (const { clips } of videos)
      for (const { range } of clips) expect(lengthInSeconds(range)).toBeGreaterThanOrEqual(0.5);
    for (const { clip } of topicClipsOf(concept!.shots))
      expect(lengthInSeconds(clip.range)).toBeGreaterThanOrEqual(0.5);
  });
});
