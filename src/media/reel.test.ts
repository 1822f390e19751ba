import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { rational, rescale, type Rational } from '../base/index.js';
import { makeVideo, readBack, type VideoSpec } from '../../test/fixtures/make.js';
import { decode, encodeReel, layOutReel, locateFfmpeg, probe, reelFrames, type Reel, type ReelCut } from './index.js';

let folder: string;
let ffmpeg: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-reel-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Cut = { readonly part: ReelCut; readonly ticks: readonly number[]; readonly from: number };

/** Frames [from, to) of a fixture as a cut; `isDamaged` and `soundTrack` as a plain file has them. */
async function cutOf(name: string, spec: Partial<VideoSpec>, from: number, to: number): Promise<Cut> {
  const { path } = await makeVideo(ffmpeg, join(folder, name), spec);
  const info = await probe(path);
  const decoding = decode(info, [{ name: 'any', widthPx: 8, heightPx: 8, every: 1 }]);
  const ticks: number[] = [];
  for await (const frame of decoding.frames) ticks.push(frame.ticks);
  const part: ReelCut = {
    ...{ info, timeBase: decoding.timeBase(), isDamaged: false, frameCount: to - from },
    stretch: { start: ticks[from]!, end: ticks[to]! },
    soundTrack: info.audio.length > 0 ? 0 : null,
  };
  return { part, ticks, from };
}

/** The source frames a cut shows at each of the film's frames: each goes to the nearest, the last of several stays. */
function shown({ part, ticks, from }: Cut, rate: Rational, frames: number): number[] {
  const base = { num: rate.den, den: rate.num };
  const at = ticks
    .slice(from, from + part.frameCount)
    .map((tick) => rescale(tick - part.stretch.start, part.timeBase, base));
  return Array.from({ length: frames }, (_, frame) => from + at.findLastIndex((place) => place <= frame));
}

const plain = { fit: 'letterbox', fadeFrames: 0, evenLoudness: false, format: 'mp4' } as const;

describe('encodeReel', () => {
  it('joins sources of any size, rate and codec: the right frames, sound in step', async () => {
    const rate = rational(25, 1);
    const irregularMs = Array.from({ length: 60 }, (_, k) => k * 40 + (k % 3) * 9);
    const cuts = [
      await cutOf('plain.mp4', { frameCount: 100 }, 30, 70),
      await cutOf(
        'large.mkv',
        { widthPx: 384, heightPx: 216, codec: 'hevc', container: 'mkv', frameCount: 100 },
        55,
        80,
      ),
      await cutOf('fast.mp4', { frameRate: rational(60, 1), frameCount: 240 }, 130, 200),
      await cutOf('ntsc.mp4', { frameRate: rational(30_000, 1001), frameCount: 120 }, 41, 90),
      await cutOf('hour.ts', { container: 'ts', startSeconds: 3600 }, 10, 60),
      await cutOf('irregular.mp4', { irregularMs }, 5, 50),
      await cutOf('vp9.webm', { codec: 'vp9', container: 'webm', frameCount: 80 }, 40, 70),
    ];
    const reel: Reel = {
      ...plain,
      parts: cuts.map(({ part }) => part),
      frame: { widthPx: 192, heightPx: 108, rate },
      output: join(folder, 'mixed.film.mp4'),
    };
    const places = layOutReel(reel);
    await encodeReel(reel);
    const back = await readBack(ffmpeg, reel.output);
    expect(back.frameNumbers).toEqual(cuts.flatMap((cut, k) => shown(cut, rate, places[k]!.frames)));
    back.frameTimes.forEach((time, frame) => expect(time).toBeCloseTo(frame / 25, 5));
    expect(back.flashTimes.length).toBeGreaterThanOrEqual(6);
    for (const flash of back.flashTimes) {
      // Brought to another rate, a picture is up to half a frame from its time.
      expect(Math.min(...back.beepTimes.map((beep) => Math.abs(beep - flash)))).toBeLessThan(0.02 + 0.012);
    }
    const made = await probe(reel.output);
    expect(made).toMatchObject({ frameRate: rate, widthPx: 192, heightPx: 108, sampleAspect: { num: 1, den: 1 } });
    expect(made.durationHint).toBeCloseTo(reelFrames(places) / 25, 1);
  });
});
