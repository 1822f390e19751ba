import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { rational } from '../base/index.js';
import { makeVideo, readFrameNumber, type VideoSpec } from '../../test/fixtures/make.js';
import { readTimes } from '../../test/fixtures/frames.js';
import { locateFfmpeg, readStill, type Still } from './index.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-still-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The still of frames [from, to) of a fixture, the number it carries, and the times of all frames. */
async function still(name: string, spec: Partial<VideoSpec>, from: number, to: number) {
  const { path } = await makeVideo((await locateFfmpeg()).path, join(folder, name), spec);
  const { ticks, ...source } = await readTimes(path);
  const found: Still = await readStill(source, { start: ticks[from]!, end: ticks[to]! });
  const { pixels: data, widthPx, heightPx } = found;
  return { found, ticks, number: readFrameNumber({ data, widthPx, heightPx }) };
}

it.each<[string, Partial<VideoSpec>, number, number, number]>([
  ['steady.mp4', { frameCount: 100 }, 40, 80, 60],
  ['short.mp4', { frameCount: 100 }, 40, 41, 40],
  ['turned.mp4', { frameCount: 60, rotationDeg: 90 }, 10, 30, 20],
  ['hour.ts', { container: 'ts', startSeconds: 3600 }, 10, 60, 35],
  // Frames 5 to 8 begin at 200, 240, 280 and 2000 ms: the middle, 1100 ms, is followed by the last alone.
  ['irregular.mp4', { irregularMs: [0, 40, 80, 120, 160, 200, 240, 280, 2000, 2040, 2080] }, 5, 9, 8],
])(
  '%s: the frame in the middle of a stretch, with its exact time',
  { tags: 'slow' },
  async (name, spec, from, to, expected) => {
    const { found, ticks, number } = await still(
      name,
      { frameCount: spec.irregularMs?.length ?? 75, ...spec },
      from,
      to,
    );
    expect(number).toBe(expected);
    expect(found.ticks).toBe(ticks[expected]);
  },
);

it('gives the stretch’s first frame where none begins behind its middle', async () => {
  const irregularMs = [0, 40, 80, 3000, 3040];
  const { number } = await still('held.mp4', { irregularMs, frameCount: 5 }, 2, 3);
  expect(number).toBe(2);
});

it('shows wide pixels in the shape they have on a screen', async () => {
  const { found } = await still('wide.mp4', { sampleAspect: rational(2, 1), frameCount: 30 }, 5, 20);
  expect([found.widthPx, found.heightPx]).toEqual([2 * 192, 108]);
});

it('says that it was stopped, whenever that was', async () => {
  const { path } = await makeVideo((await locateFfmpeg()).path, join(folder, 'stopped.mp4'), { frameCount: 50 });
  const { ticks, ...source } = await readTimes(path);
  const asked = (signal: AbortSignal) => readStill(source, { start: ticks[0]!, end: ticks[40]! }, signal);
  await expect(asked(AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  for (const ms of [1, 5, 10, 20, 40, 80]) {
    const outcome = await asked(AbortSignal.timeout(ms)).catch((error: { code: string }) => error.code);
    if (outcome !== 'cancelled') expect(outcome).toMatchObject({ ticks: ticks[20] });
  }
});

it('names the file where there is no such frame, or no file any more', async () => {
  const { path } = await makeVideo((await locateFfmpeg()).path, join(folder, 'gone.mp4'), { frameCount: 30 });
  const { ticks, ...source } = await readTimes(path);
  const behind = { start: 10 * ticks.at(-1)!, end: 11 * ticks.at(-1)! };
  const asked = () => readStill(source, behind).catch((error: unknown) => error);
  expect(await asked()).toMatchObject({ code: 'film-incomplete', message: expect.stringContaining(path) as string });
  await rm(path);
  expect(await asked()).toMatchObject({ code: 'source-gone', message: expect.stringContaining(path) as string });
});
