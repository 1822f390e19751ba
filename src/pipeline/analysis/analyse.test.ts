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
