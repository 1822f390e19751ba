import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { copyCuts, CopyRefused, decode, encodeReel, locateFfmpeg, probe, reelFrames, layOutReel, type ReelCut } from '../../src/media/index.js'; // prettier-ignore
import { readStretch, type FrameSource } from '../../src/media/stretch.js';
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

/** A file's frames, or `null` where it has none. */
async function read(path: string): Promise<(FrameSource & { ticks: number[] }) | null> {
  const info = await probe(path).catch(() => null);
  if (info === null) return null;
  const decoding = decode(info, [{ name: 'any', widthPx: 8, heightPx: 8, every: 1 }], { threads: 1 });
  const ticks: number[] = [];
  for await (const frame of decoding.frames) ticks.push(frame.ticks);
  return { info, ticks, timeBase: decoding.timeBase(), isDamaged: decoding.complaint() !== null };
}

function checksums(path: string): string[] {
  const args = [
    '-v',
    'error',
    '-noautorotate',
    '-i',
    path,
    '-map',
    '0:V:0',
    '-vsync',
    'passthrough',
    '-f',
    'framemd5',
    '-',
  ];
  const lines = execFileSync(ffmpeg, args, { encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(',').at(-1)!.trim());
}

describe.each(files)('%s', (name) => {
  it('gives the same frames behind a jump as from its start', async () => {
    const source = await read(join(footage, name));
    if (source === null || source.isDamaged || source.ticks.length < 3) return;
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

  it('is copied to the bit, or refused with a reason', async () => {
    const source = await read(join(footage, name));
    if (source === null || source.ticks.length < 30) return;
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
      const [original, film] = [checksums(join(footage, name)), checksums(output)];
      expect(film).toHaveLength(wanted.length);
      expect(wanted.filter((frame, place) => original[frame] === film[place]).length).toBeGreaterThanOrEqual(copied);
    } catch (error) {
      if (!(error instanceof CopyRefused)) throw error;
    }
  });
});

it('makes one film of everything, whatever it is', async () => {
  const parts: ReelCut[] = [];
  for (const name of files) {
    const source = await read(join(footage, name));
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
  expect(checksums(output)).toHaveLength(reelFrames(layOutReel(reel)));
});
