import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type Outcome } from 'throughline-video';
import { listFrames, locateFfmpeg, probe, type FrameList } from '../../src/media/index.js';
import { makeVideo } from '../fixtures/make.js';

/** Scenes of the long videos; fixtures have a key picture every 30 frames or sooner. */
const CUTS = [80, 160, 240, 320];
const NAMES: Record<string, string> = { long: 'long.mp4', other: 'other.mkv' };
let home: string;

const run = (out: string, options: OptionsInput): Promise<Outcome> =>
  summarizeTopic(join(home, 'topic'), {
    ...{ films: false, features: 'shallow', length: '30%', out: join(home, out), cache: join(home, 'cache') },
    ...options,
  });
const shotsOf = ({ document }: Outcome): unknown => document.videos.map(({ id, shots }) => ({ id, shots }));

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-fast-'));
  await mkdir(join(home, 'topic'));
  const ffmpeg = (await locateFfmpeg()).path;
  const still = { isMoving: false, hasFlashes: false };
  const make = (name: string, spec: object): Promise<unknown> =>
    makeVideo(ffmpeg, join(home, 'topic', name), { ...still, ...spec });
  await make('long.mp4', { frameCount: 420, cuts: CUTS });
  await make('other.mkv', { frameCount: 425, cuts: CUTS, container: 'mkv' });
  await make('short.mp4', { frameCount: 75, cuts: [30] });
});
afterAll(() => rm(home, { recursive: true, force: true }));

it('begins a shot at the first key picture of each scene, at its exact time', { tags: 'slow' }, async () => {
  const { document } = await run('fast', { fast: true, maxShot: 400 });
  for (const { id, shots } of document.videos.filter(({ id }) => id !== 'short')) {
    const list = (await listFrames(await probe(join(home, 'topic', NAMES[id]!)))) as FrameList;
    const firstKeys = [0, ...CUTS].map((cut) => list.keys.find((tick) => tick >= list.ticks[cut]!)!);
    expect(shots.map(({ range }) => range.start)).toEqual(firstKeys);
  }
  expect(document.notes).toEqual(
    expect.arrayContaining([
      '"short.mp4" was read whole: its key pictures are only 3.',
      '2 of 3 videos were judged by their key pictures alone (--fast): shots between two of those look alike, and cuts between them are not seen.',
    ]),
  );
});

it('is remembered apart from a whole reading, and gives the same bytes again', { tags: 'slow' }, async () => {
  const once = await run('once', { fast: true });
  const again = await run('again', { fast: true, cache: join(home, 'cache-2'), jobs: 1 });
  expect(shotsOf(again)).toEqual(shotsOf(once));
  expect(again.document.options).toMatchObject({ fast: true });
});

it('refuses what looks at motion', async () => {
  await expect(run('motion', { fast: true, blocks: 'motion' })).rejects.toThrow(
    'Expected --fast with features of single pictures, found the block "motion", which looks at motion between frames. Leave out one of the two.',
  );
});
