import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { findBeeps, makeFixture, type FixtureName } from '../../test/fixtures/make.js';
import { decode, listen, locateFfmpeg, probe } from './index.js';

const RATE = 16_000;
let folder: string;
let ffmpeg: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-listen-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function hear(path: string, from: number, base: { num: number; den: number }, track = 0) {
  const listening = listen({ path, track, from, base }, RATE);
  const parts: Int16Array[] = [];
  for await (const samples of listening.samples) parts.push(samples);
  const all = Float32Array.from(
    parts.flatMap((part) => [...part]),
    (value) => value / 32_768,
  );
  return { all, complaint: listening.complaint() };
}

it.each(['h264-mp4', 'start-1h-ts', 'start-5s-mkv', 'three-audio', 'sound-44100'] as FixtureName[])(
  '%s: the sound of the first picture comes first',
  { tags: 'slow' },
  async (name) => {
    const fixture = await makeFixture(name, { folder, ffmpeg });
    const info = await probe(fixture.path);
    const decoding = decode(info, [{ name: 'any', widthPx: 8, heightPx: 8, every: 1 }]);
    let first: number | null = null;
    for await (const frame of decoding.frames) first ??= frame.ticks;
    const { all, complaint } = await hear(fixture.path, first!, info.timeBase);
    expect(complaint).toBeNull();
    const beeps = findBeeps(all, RATE, 1000);
    expect(beeps).toHaveLength(fixture.flashTimes.length);
    beeps.forEach((time, k) => expect(Math.abs(time - fixture.flashTimes[k]!)).toBeLessThan(0.012));
    // From a second later, everything is a second earlier.
    const later = await hear(fixture.path, first! + info.timeBase.den / info.timeBase.num, info.timeBase);
    const shifted = findBeeps(later.all, RATE, 1000);
    expect(shifted).toHaveLength(beeps.length - 1);
    shifted.forEach((time, k) => expect(Math.abs(time - (beeps[k + 1]! - 1))).toBeLessThan(0.005));
  },
);

it('is silent until a track that begins late', async () => {
  const { path } = await makeFixture('no-audio', { folder, ffmpeg });
  const late = join(folder, 'late.mkv');
  const tone = ['-itsoffset', '1.5', '-f', 'lavfi', '-i', 'sine=f=1000:d=1'];
  execFileSync(ffmpeg, ['-v', 'error', '-y', '-i', path, ...tone, '-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-c:a', 'pcm_s16le', late]); // prettier-ignore
  const { all } = await hear(late, 0, { num: 1, den: 1000 });
  const firstLoud = all.findIndex((value) => Math.abs(value) > 0.01);
  expect(firstLoud / RATE).toBeGreaterThan(1.49);
  expect(firstLoud / RATE).toBeLessThan(1.52);
});

it('says why when there is nothing to hear, and stops when told to', async () => {
  const { path } = await makeFixture('no-audio', { folder, ffmpeg });
  expect((await hear(path, 0, { num: 1, den: 1000 })).complaint).not.toBeNull();
  await writeFile(join(folder, 'text.mp4'), 'no sound at all');
  expect((await hear(join(folder, 'text.mp4'), 0, { num: 1, den: 1000 })).complaint).not.toBeNull();
  const stop = new AbortController();
  stop.abort();
  const listening = listen({ path, track: 0, from: 0, base: { num: 1, den: 1000 } }, RATE, stop.signal);
  await expect(async () => {
    for await (const _ of listening.samples) expect(_).toBeDefined();
  }).rejects.toMatchObject({ code: 'cancelled' });
});
