import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readBack, readFrameNumber } from '../../test/fixtures/make.js';
import { joinStreams, makeResizing } from '../../test/fixtures/streams.js';
import {
  decode,
  encodeCuts,
  encodePreview,
  encodeReel,
  locateFfmpeg,
  probe,
  readStill,
  survey,
  type VideoInfo,
} from './index.js';

const SMALL = { widthPx: 192, heightPx: 108 };
const LARGE = { widthPx: 384, heightPx: 216 };
const FRAMES = 100;

let folder: string;
let ffmpeg: string;
const made: Record<string, VideoInfo> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-resizing-'));
  ffmpeg = (await locateFfmpeg()).path;
  const at = (name: string): string => join(folder, name);
  await makeResizing(ffmpeg, at('grows.webm'), [SMALL, LARGE]);
  await makeResizing(ffmpeg, at('shrinks.webm'), [LARGE, SMALL]);
  const parts = [SMALL, LARGE].map((size, k) => ({ ...size, tones: [], frameCount: 50, startSeconds: 2 * k }));
  await joinStreams(ffmpeg, at('grows.ts'), parts);
  for (const name of ['grows.webm', 'shrinks.webm', 'grows.ts']) {
    const info = await probe(at(name));
    // The second part of the stream begins before the first has ended.
    const { packets, restarts } = await survey(info);
    expect([name, packets, restarts]).toEqual([name, FRAMES, name === 'grows.ts']);
    made[name] = restarts ? { ...info, clock: [] } : info;
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(['grows.webm', 'shrinks.webm', 'grows.ts'])('a picture that %s in mid-stream', (name) => {
  const everyFrame = Array.from({ length: FRAMES }, (_, k) => k);
  const source = () => {
    const info = made[name]!;
    return { info, timeBase: info.timeBase, isDamaged: false };
  };
  const times = async (): Promise<number[]> => {
    const ticks: number[] = [];
    for await (const frame of decode(made[name]!, [{ name: 'a', ...SMALL, every: 1 }]).frames) {
      expect(readFrameNumber({ data: frame.pictures['a']!, ...SMALL })).toBe(frame.index);
      ticks.push(frame.ticks);
    }
    return ticks;
  };

  it('is decoded whole, and every frame of it goes into a film of the declared size', { tags: 'slow' }, async () => {
    const ticks = await times();
    expect(ticks.length).toBe(FRAMES);
    const [start, end] = [ticks[0]!, ticks.at(-1)! + 1];
    const output = join(folder, `${name}.mp4`);
    const cut = { stretches: [{ start, end }], frameCount: FRAMES, soundTrack: null, format: 'mp4', output } as const;
    await encodeCuts({ ...source(), ...cut });
    expect((await readBack(ffmpeg, output)).frameNumbers).toEqual(everyFrame);
    const { widthPx, heightPx } = await probe(output);
    expect({ widthPx, heightPx }).toEqual(name === 'shrinks.webm' ? LARGE : SMALL);
  });

  it('gives stills, previews and films of a topic', { tags: 'slow' }, async () => {
    const ticks = await times();
    const stretch = { start: ticks[40]!, end: ticks[60]! };
    const still = await readStill(source(), stretch);
    expect(readFrameNumber({ data: Buffer.from(still.pixels), ...still })).toBe(50);
    const parts = [{ ...source(), stretch, frameCount: 20, soundTrack: null }];
    const frame = { ...SMALL, rate: { num: 25, den: 1 } };
    const reel = { parts, frame, fit: 'letterbox', fadeFrames: 0, evenLoudness: false, format: 'mp4' } as const;
    const output = join(folder, `${name}.reel.mp4`);
    await encodeReel({ ...reel, output });
    expect((await readBack(ffmpeg, output)).frameNumbers).toEqual(everyFrame.slice(40, 60));
    const preview = join(folder, `${name}.gif`);
    await encodePreview({ parts, frame, output: preview, shownRate: frame.rate, format: 'gif' });
    expect(await probe(preview)).toMatchObject(SMALL);
  });
});
