import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { makeFixture, readBack, type FixtureName } from '../../test/fixtures/make.js';
import { encodeProxy, isBrowserPlayable, locateFfmpeg, probe, readFirstPicture } from './index.js';

let folder: string;
let ffmpeg: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-proxy-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['h264-mp4', true],
  ['vp9-webm', true],
  ['av1-mp4', true],
  ['no-audio', true],
  ['hevc-mp4', false],
  ['hevc-10bit-mkv', false],
  ['mpeg4-avi', false],
  ['h264-ts', false],
  ['odd-size-h264', false],
] as const)('knows whether browsers play %s: %s', async (name, expected) => {
  const { path } = await makeFixture(name, { folder, ffmpeg });
  expect(isBrowserPlayable(await probe(path))).toBe(expected);
});

const SAME_FRAMES = 'has every frame of %s at its time after the first, with the sound in sync';
const hasEveryFrame = async (name: FixtureName): Promise<void> => {
  const { path, frameTimes, spec } = await makeFixture(name, { folder, ffmpeg });
  const info = await probe(path);
  const output = join(folder, `${name}-proxy.mp4`);
  const fractions: number[] = [];
  await encodeProxy(info, output, { onFraction: (fraction) => fractions.push(fraction) });
  const proxy = await probe(output);
  expect([proxy.codec, proxy.pixelFormat, isBrowserPlayable(proxy)]).toEqual(['h264', 'yuv420p', true]);
  const read = await readBack(ffmpeg, output);
  expect(read.frameNumbers).toEqual(Array.from({ length: spec.frameCount }, (_, frame) => spec.firstNumber + frame));
  for (const [frame, time] of read.frameTimes.entries())
    expect(time).toBeCloseTo(frameTimes[frame]! - frameTimes[0]!, 2);
  for (const [beep, time] of read.beepTimes.entries())
    expect(Math.abs(time - read.flashTimes[beep]!)).toBeLessThan(0.05);
  expect(fractions.every((fraction) => fraction >= 0 && fraction <= 1)).toBe(true);
};
it.each(['hevc-10bit-mkv', 'vfr-mkv'] as const)(SAME_FRAMES, hasEveryFrame);
it.each(['mpeg4-avi', 'start-1h-ts'] as const)(SAME_FRAMES, { tags: 'slow' }, hasEveryFrame);

it('reads a picture near the beginning, also of a very short file', async () => {
  const { path } = await makeFixture('hevc-mp4', { folder, ffmpeg });
  expect([...(await readFirstPicture(path)).subarray(0, 2)]).toEqual([0xff, 0xd8]);
});
