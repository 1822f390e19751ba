import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { eachCase } from '../../test/fixtures/each-case.js';
import { fixtureNames, makeFixture, makeVideo, readFrameNumber } from '../../test/fixtures/make.js';
import {
  decode,
  decodeKeys,
  listFrames,
  locateFfmpeg,
  missingKeys,
  probe,
  type Decoding,
  type FrameList,
} from './index.js';

let place: { folder: string; ffmpeg: string };
beforeAll(async () => {
  place = {
    folder: await mkdtemp(join(tmpdir(), 'throughline-keys-')),
    ffmpeg: (await locateFfmpeg()).path,
  };
});
afterAll(() => rm(place.folder, { recursive: true, force: true }));

const SIZE = { widthPx: 192, heightPx: 108 };
const marks = { name: 'marks', ...SIZE, every: 1 };

async function see(decoding: Decoding): Promise<{ ticks: number[]; numbers: (number | null)[]; last: number | null }> {
  const seen = { ticks: [] as number[], numbers: [] as (number | null)[], last: null as number | null };
  for await (const { ticks, durationTicks, pictures } of decoding.frames) {
    seen.ticks.push(ticks);
    seen.numbers.push(readFrameNumber({ data: pictures['marks']!, ...SIZE }));
    seen.last = durationTicks;
  }
  expect(decoding.complaint()).toBeNull();
  return seen;
}

describe('a list of frames', () => {
  const refused = ['h264-ts', 'start-1h-ts', 'mpeg4-avi', 'mpeg4-b-frames-avi', 'interlaced'];

  eachCase(fixtureNames, 12, '%s: is what decoding gives, or is refused', async (name) => {
    const info = await probe((await makeFixture(name, place)).path);
    const list = await listFrames(info);
    expect('refusal' in list).toBe(refused.includes(name));
    if ('refusal' in list) return;
    const decoded = await see(decode(info, [marks]));
    expect([...list.ticks]).toEqual(decoded.ticks);
    // Where frames come unevenly the decoder may not say how long the last one stays.
    if (decoded.last === null) return;
    // Releases before 6 round 41⅔ ms up where they decode, and down where they list.
    const isRounded = (await locateFfmpeg()).major < 6 && name === 'film-24-mkv';
    expect(list.lastDuration).toBe(decoded.last - (isRounded ? 1 : 0));
  });

  it('says how many key pictures are too few, and how far apart is too far', () => {
    const list = (keys: number, seconds: number): FrameList => ({
      ticks: Float64Array.of(0, seconds * 1000),
      keys: Float64Array.from({ length: keys }, (_, k) => k),
      lastDuration: null,
    });
    const base = { num: 1, den: 1000 };
    expect(missingKeys(list(7, 20), base)).toBe('key pictures are only 7');
    expect(missingKeys(list(8, 20), base)).toBeNull();
    expect(missingKeys(list(10, 200), base)).toBeNull();
    expect(missingKeys(list(10, 210), base)).toBe('key pictures are 21 s apart');
  });
});

describe('key pictures', () => {
  it.each(['mp4', 'mkv'] as const)(
    '%s: each stands for all frames up to the next, in every view',
    async (container) => {
      const path = join(place.folder, `keys.${container}`);
      const info = await probe(
        (await makeVideo(place.ffmpeg, path, { container, cuts: [20, 45], frameCount: 60 })).path,
      );
      const list = (await listFrames(info)) as FrameList;
      const whole = await see(decode(info, [marks]));
      const keyNumbers = [...list.keys].map((tick) => whole.ticks.indexOf(tick));
      expect(keyNumbers.length).toBeGreaterThan(1);

      const held = await see(decodeKeys(info, list, [marks]));
      expect(held.ticks).toEqual(whole.ticks);
      expect(held.numbers).toEqual(whole.numbers.map((_, k) => keyNumbers.findLast((key) => key <= k)));

      const few: number[] = [];
      for await (const { index, pictures } of decodeKeys(info, list, [marks, { ...marks, name: 'few', every: 24 }])
        .frames) {
        if (pictures['few']) few.push(index);
      }
      expect(few).toEqual([0, 24, 48]);
    },
  );

  it('complain when the file does not hold what its container lists', { tags: 'slow' }, async () => {
    const { path } = await makeFixture('cuts', place);
    const info = await probe(path);
    const list = (await listFrames(info)) as FrameList;
    for (const keys of [
      Float64Array.of(...list.keys, list.ticks.at(-1)!),
      list.keys.slice(0, -1),
      list.keys.map((k) => k + 1),
    ]) {
      const decoding = decodeKeys(info, { ...list, keys }, [marks]);
      for await (const _ of decoding.frames);
      expect(decoding.complaint()).toContain('key pictures are');
    }
  });
});
