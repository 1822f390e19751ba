import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { copyCuts, CopyRefused, encodeReel, layOutReel, listFrames, locateFfmpeg, reelFrames, type ReelCut } from '../../src/media/index.js'; // prettier-ignore
import { readStretch } from '../../src/media/stretch.js';
import { checksums, readTimes } from '../fixtures/frames.js';
import { footage } from './folder.js';

let work: string;
let ffmpeg: string;

beforeAll(async () => {
  if (!existsSync(footage))
    throw new Error(`Expected real footage in "${footage}". Set THROUGHLINE_REAL_VIDEOS to its folder.`);
  work = await mkdtemp(join(tmpdir(), 'throughline-real-films-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(work, { recursive: true, force: true }));

const files = existsSync(footage)
  ? readdirSync(footage, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name)).sort() // prettier-ignore
  : [];

describe.each(files)('%s', (name) => {
  it('gives the same frames behind a jump as from its start', async ({ skip }) => {
    const source = await readTimes(join(footage, name)).catch(() => skip('no video'));
    if (source.isDamaged || source.ticks.length < 3) return skip('damaged or too short');
    const { ticks } = source;
    for (const share of [0.35, 0.6, 0.9]) {
      const from = Math.floor(ticks.length * share);
      const to = Math.min(ticks.length - 1, from + 20);
      if (to <= from) continue;
      const [jumped, whole] = await Promise.all(
        [true, false].map(async (maySeek) => {
          const reading = await readStretch({
            ...{ ...source, maySeek, stretches: [{ start: ticks[from]!, end: ticks[to]! }] },
            ...{ filters: ['scale=160:90:flags=bicubic+bitexact', 'format=yuv420p'], frameBytes: 160 * 90 * 1.5 },
          });
          const hash = createHash('sha256');
          for (let picture = await reading.next(); picture; picture = await reading.next()) hash.update(picture);
          return { ticks: [...reading.ticks], pixels: hash.digest('hex') };
        }),
      );
      expect(jumped).toEqual(whole);
      expect(whole!.ticks).toEqual(ticks.slice(from, to));
    }
  });

  it('lists its frames as decoding gives them, or refuses to', async ({ skip }) => {
    const source = await readTimes(join(footage, name)).catch(() => skip('no video'));
    const list = await listFrames(source.info);
    if ('refusal' in list) expect(list.refusal).not.toBe('');
    else if (!source.isDamaged) expect([...list.ticks]).toEqual(source.ticks);
  });

  it('is copied to the bit, or refused with a reason', async ({ skip }) => {
    const source = await readTimes(join(footage, name)).catch(() => skip('no video'));
    if (source.ticks.length < 30) return skip('too short');
    const { ticks } = source;
    const at = (share: number): number => Math.floor(ticks.length * share);
    const spans = [[at(0.1), at(0.35)], [at(0.45), at(0.7)], [at(0.8), ticks.length - 5]] as const; // prettier-ignore
    const wanted = spans.flatMap(([from, to]) => Array.from({ length: to - from }, (_, k) => from + k));
    const output = join(work, 'copied.mp4');
    try {
      const copied = await copyCuts({
        ...{ ...source, output, frameCount: wanted.length },
        stretches: spans.map(([from, to]) => ({ start: ticks[from]!, end: ticks[to]! })),
        soundTrack: source.info.audio.length > 0 ? 0 : null,
      });
      const [original, film] = [checksums(ffmpeg, join(footage, name)), checksums(ffmpeg, output)];
      expect(film).toHaveLength(wanted.length);
      expect(wanted.filter((frame, place) => original[frame] === film[place]).length).toBeGreaterThanOrEqual(copied);
    } catch (error) {
      if (!(error instanceof CopyRefused)) throw error;
      expect(error.message).not.toBe('');
    }
  });
});

it('makes one film of everything, whatever it is', async () => {
  const parts: ReelCut[] = [];
  for (const name of files) {
    const source = await readTimes(join(footage, name)).catch(() => null);
    if (source === null || source.ticks.length < 5) continue;
    const middle = source.ticks.length >> 1;
    const end = Math.min(source.ticks.length - 1, middle + 25);
    parts.push({
      ...{ ...source, frameCount: end - middle, stretch: { start: source.ticks[middle]!, end: source.ticks[end]! } },
      soundTrack: source.info.audio.length > 0 ? 0 : null,
    });
  }
  const frame = { widthPx: 640, heightPx: 360, rate: { num: 30_000, den: 1001 } };
  const reel = { parts, frame, fit: 'letterbox', fadeFrames: 8, evenLoudness: true, format: 'mp4' } as const;
  const output = join(work, 'everything.mp4');
  await encodeReel({ ...reel, output });
  expect(checksums(ffmpeg, output)).toHaveLength(reelFrames(layOutReel(reel)));
});
