import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeVideo, type VideoSpec } from '../../test/fixtures/make.js';
import { readTimes } from '../../test/fixtures/frames.js';
import { locateFfmpeg } from './index.js';
import { readStretch, SeekMissed, withoutMissedSeeks } from './stretch.js';

let folder: string;
let ffmpeg: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-stretch-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Read = { readonly hasSought: boolean; readonly ticks: readonly number[]; readonly pixels: string };

/** Twenty frames from frame 100 on, read with a jump and from the start. */
async function readBoth(path: string): Promise<{ jumped: Read; whole: Read }> {
  const { ticks: all, ...source } = await readTimes(path);
  const read = async (maySeek: boolean): Promise<Read> => {
    const reading = await readStretch({
      ...{ ...source, maySeek },
      stretches: [{ start: all[100]!, end: all[120]! }],
      filters: ['format=yuv420p'],
      frameBytes: (source.info.widthPx * source.info.heightPx * 3) / 2,
    });
    const hash = createHash('sha256');
    for (let picture = await reading.next(); picture; picture = await reading.next()) hash.update(picture);
    return { hasSought: reading.hasSought, ticks: [...reading.ticks], pixels: hash.digest('hex') };
  };
  const both = { jumped: await read(true), whole: await read(false) };
  expect(both.whole.ticks).toEqual(all.slice(100, 120));
  return both;
}

const made = (name: string, spec: Partial<VideoSpec> = {}): Promise<string> =>
  makeVideo(ffmpeg, join(folder, name), { frameCount: 150, tones: [], ...spec }).then(({ path }) => path);

/** The plain video encoded again with other decisions about key pictures. */
async function encoded(name: string, ...args: string[]): Promise<string> {
  const source = await made(`source-of-${name}.mp4`);
  const path = join(folder, name);
  execFileSync(ffmpeg, ['-v', 'error', '-y', '-i', source, ...args, path]);
  return path;
}

describe('readStretch', () => {
  it.each<[string, Partial<VideoSpec>]>([
    ['plain.mp4', {}],
    ['plain.mkv', { container: 'mkv' }],
    ['hevc.mp4', { codec: 'hevc' }],
    ['vp9.webm', { codec: 'vp9', container: 'webm' }],
    ['interlaced.mp4', { isInterlaced: true }],
    ['late.mp4', { startSeconds: 5 }],
    ['irregular.mp4', { irregularMs: Array.from({ length: 150 }, (_, k) => k * 40 + (k % 5) * 6) }],
    ['turned.mp4', { rotationDeg: 90, widthPx: 108, heightPx: 192 }],
  ])(
    '%s: a jump gives the same frames, to the last bit, as reading from the start',
    { tags: 'slow' },
    async (name, spec) => {
      const both = readBoth(await made(name, spec));
      // Releases before 6 complain of uneven times behind a jump: such a film is then read from its start.
      if (name === 'irregular.mp4' && (await locateFfmpeg()).major < 6) {
        return expect(both).rejects.toMatchObject({ code: 'seek-missed' });
      }
      const { jumped, whole } = await both;
      expect(jumped.hasSought).toBe(true);
      expect({ ...jumped, hasSought: false }).toEqual(whole);
    },
  );

  it.each([
    ['open.mp4', ['-c:v', 'libx264', '-x264-params', 'open-gop=1:keyint=20:bframes=3']],
    ['open-hevc.mkv', ['-c:v', 'libx265', '-x265-params', 'open-gop=1:keyint=20:log-level=error']],
    ['mpeg2.mkv', ['-c:v', 'mpeg2video', '-bf', '2', '-g', '12']],
  ])('%s: groups that lean on each other do not mislead it', { tags: 'slow' }, async (name, args) => {
    const { jumped, whole } = await readBoth(await encoded(name, ...args));
    expect({ ...jumped, hasSought: false }).toEqual(whole);
  });

  it('does not take pictures that mend themselves for key pictures', async () => {
    const path = await encoded('mending.mp4', '-c:v', 'libx264', '-x264-params', 'intra-refresh=1:keyint=30:bframes=0');
    const { jumped, whole } = await readBoth(path);
    expect(jumped).toEqual(whole);
  });

  it.each([
    ['no-index.ts', { container: 'ts' }],
    ['no-times.avi', { container: 'avi', codec: 'mpeg4', hasBFrames: false }],
  ] as const)('%s: is read from the start', async (name, spec) => {
    expect((await readBoth(await made(name, spec))).jumped.hasSought).toBe(false);
  });
});

describe('withoutMissedSeeks', () => {
  it('does work again from the start where a jump missed, and only there', async () => {
    const tried: boolean[] = [];
    await withoutMissedSeeks(async (maySeek) => {
      tried.push(maySeek);
      if (maySeek) throw new SeekMissed('film.mp4');
    });
    expect(tried).toEqual([true, false]);
    const broken = withoutMissedSeeks(() => Promise.reject(new Error('broken')));
    await expect(broken).rejects.toThrow('broken');
  });
});
