import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput } from 'throughline-video';
import { readAnalysis, SIGNAL_SIZE, type Analysis } from '../../src/pipeline/index.js';
import { poolPictures } from '../../src/features/index.js';
import { openShallow } from '../../src/features/shallow.js';
import { decode, locateFfmpeg, probe } from '../../src/media/index.js';
import { openCache } from '../../src/storage/index.js';
import { analysisKeys } from '../fixtures/analyses.js';
import { makeVideo } from '../fixtures/make.js';

/** Scenes of 12 frames that stand still: half of them lie between two of every 24th frame. */
const SCENE = 12;
const SCENES = 8;
let home: string;
/** What was seen of each frame, here: the vector of its picture alone, and the picture small. */
const frames: { vector: Float32Array; small: Uint8Array }[] = [];

const at = (name: string): string => join(home, name);

async function analyse(name: string, options: OptionsInput): Promise<Analysis> {
  const cache = at(`${name}-cache`);
  await summarizeTopic(at('video.mp4'), { films: false, features: 'shallow', out: at(name), cache, ...options });
  const [key] = await analysisKeys(cache);
  return (await readAnalysis((await (await openCache(cache)).find(key!))!))!;
}

/** The frames whose vector and picture those of a shot are most like, and how near its vector is. */
async function likest({ features, picture }: Analysis, shot: number): Promise<number[]> {
  const { data: vector } = await features.read(shot, 1);
  const lengths = (frame: Float32Array): number => Math.hypot(...frame) * Math.hypot(...vector);
  const cosines = frames.map(
    (frame) => frame.vector.reduce((sum, value, k) => sum + value * vector[k]!, 0) / lengths(frame.vector),
  );
  const { widthPx: width, heightPx: height } = SIGNAL_SIZE;
  const small = await sharp(await picture(shot)).resize(width, height, { fit: 'fill' }).raw().toBuffer(); // prettier-ignore
  const apart = frames.map((frame) => frame.small.reduce((sum, value, k) => sum + Math.abs(value - small[k]!), 0));
  const best = Math.max(...cosines);
  return [cosines.indexOf(best), apart.indexOf(Math.min(...apart)), best];
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-short-'));
  const cuts = Array.from({ length: SCENES - 1 }, (_, k) => (k + 1) * SCENE);
  const still = { isMoving: false, hasFlashes: false, hasBFrames: false, tones: [] };
  await makeVideo((await locateFfmpeg()).path, at('video.mp4'), { frameCount: SCENES * SCENE, cuts, ...still });
  const extractor = openShallow({ workers: 1 });
  const views = [{ name: 'small', ...SIGNAL_SIZE, every: 1 }, { name: 'network', ...extractor.sample, every: 1 }] as const; // prettier-ignore
  for await (const { pictures } of decode(await probe(at('video.mp4')), views).frames) {
    const vector = poolPictures([await extractor.embed(pictures['network']!)], extractor.dim);
    frames.push({ vector, small: pictures['small']! });
  }
  await extractor.close();
});
afterAll(() => rm(home, { recursive: true, force: true }));

it(
  'shots found shorter than 24 frames are each described and shown by frames of their own',
  { tags: 'slow' },
  async () => {
    const analysis = await analyse('found', { segmenter: 'uniform', shotsBy: 'frames', minShot: 8, maxShot: 16 });
    expect(analysis.shots.map(({ startFrame }) => startFrame)).toEqual(Array.from({ length: SCENES }, (_, k) => k * SCENE)); // prettier-ignore
    for (const { index } of analysis.shots) {
      const [byVector, byPicture, cosine] = await likest(analysis, index);
      expect([byVector, byPicture].map((frame) => Math.floor(frame! / SCENE))).toEqual([index, index]);
      expect(cosine).toBeGreaterThan(0.99);
    }
  },
);

it('listed shots of one frame at cuts are described by that frame', { tags: 'slow' }, async () => {
  const starts = [0, 35, 36, 37, 95];
  await writeFile(at('shots.csv'), ['start_frame,end_frame', ...starts.map((start) => `${start},${start + 1}`)].join('\n')); // prettier-ignore
  const analysis = await analyse('listed', { shots: at('shots.csv') });
  for (const [shot, start] of starts.entries()) {
    const { data: vector } = await analysis.features.read(shot, 1);
    expect(vector).toEqual(frames[start]!.vector);
    expect(Math.floor((await likest(analysis, shot))[1]! / SCENE)).toBe(Math.floor(start / SCENE));
  }
});
