import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { makeVideo } from '../../../test/fixtures/make.js';
import type { Extractor } from '../../features/index.js';
import { locateFfmpeg, probe } from '../../media/index.js';
import { shotsFromFrames, type FrameRange } from '../../shots/index.js';
import { keyOf, openCache } from '../../storage/index.js';
import { analyse } from './analyse.js';

let folder: string;
const at = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-analyse-'));
  const { path: ffmpeg } = await locateFfmpeg();
  await makeVideo(ffmpeg, at('long.mp4'), { frameCount: 60, tones: [] });
  await makeVideo(ffmpeg, at('short.mp4'), { frameCount: 10, tones: [] });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const extractorOf = (frames: number): Extractor => ({
  name: 'one number',
  version: '1',
  dim: 1,
  sample: { widthPx: 8, heightPx: 8, every: 8, frames },
  embed: async ([first]) => Float32Array.of(first! + 1),
  close: async () => undefined,
});

/** Analyses a video that somebody replaces by a shorter one when it has been read once. */
async function analyseReplaced(frames: number, shots: readonly FrameRange[]): Promise<unknown> {
  copyFileSync(at('long.mp4'), at('video.mp4'));
  const cache = await openCache(at('cache'));
  return analyse(await probe(at('video.mp4')), {
    extractor: extractorOf(frames),
    speech: null,
    threads: 1,
    fast: false,
    newFinder: () => ({
      push: () => undefined,
      end(clock) {
        copyFileSync(at('short.mp4'), at('video.mp4'));
        return shotsFromFrames(shots, clock);
      },
    }),
    openScratch: () => cache.draft(keyOf([frames, shots])),
    checkSource: async () => undefined,
  });
}

it.each([
  ['clips are taken', 16, { startFrame: 30, endFrame: 60 }],
  ['a shot between two samples is looked at', 1, { startFrame: 50, endFrame: 52 }],
])('says so where a file has fewer frames when %s than when its shots were found', async (_, frames, shot) => {
  await expect(analyseReplaced(frames, [shot])).rejects.toMatchObject({
    code: 'source-changed',
    message: `Expected the same frames when "${at('video.mp4')}" was read again, found fewer. Did the file change while it was read?`,
  });
});

it.each([
  ['a still with noise', '', true],
  ['one that becomes lighter by 100 levels in four seconds', ",eq=brightness='0.4*t/4':eval=frame", false],
])('shows the network what has changed: %s', async (name, filter, isSame) => {
  const { path: ffmpeg } = await locateFfmpeg();
  const noise = `color=c=gray:s=320x180:r=25:d=4,noise=alls=6:allf=t:all_seed=1${filter}`;
  execFileSync(ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', noise, '-c:v', 'mpeg4', '-q:v', '2', '-y', at('noise.mp4')]); // prettier-ignore
  const seen: number[] = [];
  const cache = await openCache(at('cache'));
  const extractor: Extractor = {
    ...extractorOf(1),
    sample: { widthPx: 32, heightPx: 32, every: 8, frames: 1 },
    embed: async ([first]) => Float32Array.of(seen.push(first!)),
  };
  const { features } = await analyse(await probe(at('noise.mp4')), {
    ...{ extractor, speech: null, threads: 1, fast: false, checkSource: async () => undefined },
    newFinder: () => ({
      push: () => undefined,
      end: (clock) => shotsFromFrames([{ startFrame: 0, endFrame: 50 }, { startFrame: 50, endFrame: 100 }], clock), // prettier-ignore
    }),
    openScratch: () => cache.draft(keyOf(name)),
  });
  const { data } = await features.read(0, 2);
  expect(seen.length === 1).toBe(isSame);
  expect(data[0] === data[1]).toBe(isSame);
});
