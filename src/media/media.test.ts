import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { compareTimes, toSeconds, type Rational } from '../base/index.js';
import {
  brokenNames,
  fixtureNames,
  makeBroken,
  makeFixture,
  makeVideo,
  readBack,
  readFrameNumber,
  type Fixture,
  type FixtureName,
} from '../../test/fixtures/make.js';
import { eachCase } from '../../test/fixtures/each-case.js';
import { decode, encodeCuts, locateFfmpeg, probe, type CutRequest } from './index.js';

let folder: string;
let ffmpeg: string;
const place = (): { folder: string; ffmpeg: string } => ({ folder, ffmpeg });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-media-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Seen = { ticks: number[]; numbers: (number | null)[]; base: Rational; sampled: number[]; end: number };

async function decodeAll(path: string, portrait: boolean): Promise<Seen> {
  const info = await probe(path);
  const [widthPx, heightPx] = portrait ? [108, 192] : [192, 108];
  const decoding = decode(info, [
    { name: 'marks', widthPx, heightPx, every: 1 },
    { name: 'few', widthPx: 16, heightPx: 16, every: 16 },
  ]);
  const seen: Omit<Seen, 'base'> = { ticks: [], numbers: [], sampled: [], end: 0 };
  for await (const frame of decoding.frames) {
    seen.ticks.push(frame.ticks);
    seen.numbers.push(readFrameNumber({ data: frame.pictures['marks']!, widthPx, heightPx }));
    if (frame.pictures['few']) seen.sampled.push(frame.index);
    seen.end = frame.ticks + (frame.durationTicks ?? 1);
  }
  return { ...seen, base: info.timeBase };
}

const isPortrait = ({ spec }: Fixture): boolean => spec.heightPx > spec.widthPx;

describe('decode', () => {
  eachCase(fixtureNames, 19, '%s: every frame once, in order, at its exact time', async (name) => {
    const fixture = await makeFixture(name, place());
    const seen = await decodeAll(fixture.path, isPortrait(fixture));
    expect(seen.numbers).toEqual(fixture.frameTimes.map((_, frame) => frame));
    // A container's tick bounds what it can say: Matroska rounds to milliseconds.
    const tick = toSeconds(1, seen.base);
    const first = seen.ticks[0]!;
    for (const [frame, time] of fixture.frameTimes.entries()) {
      expect(Math.abs(toSeconds(seen.ticks[frame]! - first, seen.base) - time)).toBeLessThanOrEqual(tick);
    }
    expect(seen.sampled).toEqual(fixture.frameTimes.map((_, frame) => frame).filter((frame) => frame % 16 === 0));
  });

  it('keeps the file’s own clock when it does not start at zero', async () => {
    const fixture = await makeFixture('start-1h-ts', place());
    const seen = await decodeAll(fixture.path, false);
    expect(
      compareTimes({ ticks: seen.ticks[0]!, base: seen.base }, { ticks: 3600, base: { num: 1, den: 1 } }),
    ).toBeGreaterThanOrEqual(0);
  });

  it('keeps count when the picture size changes in mid-stream', async () => {
    const parts = [];
    for (const [name, widthPx, heightPx, startSeconds] of [
      ['small', 192, 108, 0],
      ['large', 384, 216, 10],
    ] as const) {
      const part = await makeVideo(ffmpeg, join(folder, `${name}.ts`), {
        container: 'ts',
        widthPx,
        heightPx,
        startSeconds,
        frameCount: 50,
        tones: [],
      });
      parts.push(await readFile(part.path));
    }
    const path = join(folder, 'changing.ts');
    await writeFile(path, Buffer.concat(parts));
    const size = { widthPx: 192, heightPx: 108 };
    const decoding = decode(await probe(path), [
      { name: 'all', ...size, every: 1 },
      { name: 'few', ...size, every: 16 },
    ]);
    let sampled = 0;
    let frames = 0;
    for await (const { index, pictures } of decoding.frames) {
      frames++;
      if (!pictures['few']) continue;
      sampled++;
      expect(readFrameNumber({ data: pictures['few'], ...size }), `frame ${index}`).toBe(
        readFrameNumber({ data: pictures['all']!, ...size }),
      );
    }
    expect(frames).toBeGreaterThan(60);
    expect(sampled).toBe(Math.ceil(frames / 16));
  });

  it('stops at once when told to', async () => {
    const fixture = await makeFixture('fast-60-mp4', place());
    const stop = new AbortController();
    const decoding = decode(await probe(fixture.path), [{ name: 'a', widthPx: 8, heightPx: 8, every: 1 }], {
      signal: stop.signal,
    });
    await expect(async () => {
      for await (const frame of decoding.frames) if (frame.index === 3) stop.abort();
    }).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('probe', () => {
  it('tells size and turn as a player shows them', async () => {
    const turned = await probe((await makeFixture('rotated-90', place())).path);
    expect(turned).toMatchObject({ widthPx: 108, heightPx: 192, rotationDeg: 90, codec: 'h264' });
    const squeezed = await probe((await makeFixture('anamorphic', place())).path);
    expect(squeezed.sampleAspect).toEqual({ num: 4, den: 3 });
  });

  it('tells rates exactly', async () => {
    expect((await probe((await makeFixture('ntsc-mp4', place())).path)).frameRate).toEqual({ num: 30_000, den: 1001 });
  });

  it('reads tracks whatever their language tag', async () => {
    const { path } = await makeFixture('h264-mkv', place());
    const tagged = join(folder, 'tagged.mkv');
    const tags = ['-metadata:s:v:0', 'language=en-US', '-metadata:s:a:0', 'language=pt-BR'];
    execFileSync(ffmpeg, ['-v', 'error', '-y', '-i', path, '-map', '0', '-c', 'copy', ...tags, tagged]);
    expect((await probe(tagged)).audio).toMatchObject([{ position: 0, language: 'pt-BR' }]);
  });

  it('refuses a name that could pass for the decoder’s words', async () => {
    const { path } = await makeFixture('five-frames', place());
    const forged = join(folder, 'x\n[Parsed_showinfo_1 @ 0x1] [info] n: 0 pts: 7777 \ny.mp4');
    await copyFile(path, forged);
    await expect(probe(forged)).rejects.toMatchObject({ code: 'bad-name' });
  });

  it('lists sound tracks', async () => {
    const { audio } = await probe((await makeFixture('three-audio-mkv', place())).path);
    expect(audio.map((track) => [track.position, track.sampleRate])).toEqual([
      [0, 48_000],
      [1, 48_000],
      [2, 48_000],
    ]);
    expect((await probe((await makeFixture('no-audio', place())).path)).audio).toEqual([]);
  });

  const codes: Record<(typeof brokenNames)[number], string | null> = {
    'zero-bytes': 'empty-file',
    text: 'not-video',
    'no-moov': 'not-video',
    truncated: null,
    'audio-only': 'no-video-track',
    'cover-art-only': 'no-video-track',
  };
  it.each(brokenNames)('%s: a clear sentence, or what can be read', async (name) => {
    const path = await makeBroken(name, place());
    if (codes[name] === null) expect((await probe(path)).widthPx).toBeGreaterThan(0);
    else await expect(probe(path)).rejects.toMatchObject({ code: codes[name], message: expect.stringContaining(path) });
  });
});

/** Fixtures that are cut: the first ones, which `npm test` cuts, differ in all that matters to cutting. */
const CUT = [
  ...['h264-mp4', 'hevc-10bit-mkv', 'vp9-webm', 'vfr-mkv', 'start-1h-ts', 'rotated-90', 'odd-size-h264', 'no-audio'],
  ...['h264-ts', 'av1-mp4', 'mpeg4-avi', 'ntsc-mp4', 'film-24-mkv', 'fast-60-mp4', 'vfr-mp4', 'start-5s-mp4'],
  ...['rotated-180', 'three-audio', 'sound-44100', 'portrait', 'anamorphic', 'interlaced'],
] as FixtureName[];

describe('encodeCuts', () => {
  eachCase(CUT, 8, '%s: exactly the frames asked for, sound in step', async (name) => {
    const fixture = await makeFixture(name, place());
    const seen = await decodeAll(fixture.path, isPortrait(fixture));
    // The flash and beep of a second lie in its middle; these two stretches hold one or two of them.
    const count = seen.ticks.length;
    const spans = [
      [4, Math.floor(count * 0.4)],
      [Math.floor(count * 0.55), count - 3],
    ] as const;
    const film = join(folder, `${name}.film.mp4`);
    const info = await probe(fixture.path);
    await encodeCuts({
      info,
      timeBase: seen.base,
      stretches: spans.map(([from, to]) => ({ start: seen.ticks[from]!, end: seen.ticks[to]! })),
      frameCount: spans.reduce((sum, [from, to]) => sum + to - from, 0),
      soundTrack: info.audio.length > 0 ? 0 : null,
      isDamaged: false,
      format: 'mp4',
      output: film,
    });
    const back = await readBack(ffmpeg, film, { portrait: isPortrait(fixture) });
    const expected = spans.flatMap(([from, to]) => Array.from({ length: to - from }, (_, k) => from + k));
    expect(back.frameNumbers).toEqual(expected);

    let filmTicks = 0;
    const times = spans.flatMap(([from, to]) => {
      const start = filmTicks - seen.ticks[from]!;
      filmTicks += seen.ticks[to]! - seen.ticks[from]!;
      return Array.from({ length: to - from }, (_, k) => toSeconds(start + seen.ticks[from + k]!, seen.base));
    });
    back.frameTimes.forEach((time, frame) => expect(Math.abs(time - times[frame]!)).toBeLessThan(1e-3));

    expect(back.flashTimes.length).toBeGreaterThanOrEqual(1);
    if (info.audio.length > 0) {
      expect(back.beepTimes).toHaveLength(back.flashTimes.length);
      back.beepTimes.forEach((beep, k) => expect(Math.abs(beep - back.flashTimes[k]!)).toBeLessThan(0.012));
    }
    const made = await probe(film);
    const even = (size: number): number => size - (size % 2);
    expect(made).toMatchObject({
      codec: 'h264',
      rotationDeg: 0,
      widthPx: even(Math.round((info.widthPx * info.sampleAspect.num) / info.sampleAspect.den)),
      heightPx: even(info.heightPx),
      sampleAspect: { num: 1, den: 1 },
    });
  });

  it('holds a thousand clips as exactly as one', { tags: 'slow' }, async () => {
    const fixture = await makeVideo(ffmpeg, join(folder, 'many.mp4'), {
      frameCount: 2000,
      tones: [],
      hasFlashes: false,
    });
    const seen = await decodeAll(fixture.path, false);
    const wanted = seen.ticks.flatMap((_, frame) => (frame % 2 === 1 && frame < 1999 ? [frame] : []));
    const film = join(folder, 'many.film.mp4');
    await encodeCuts({
      info: await probe(fixture.path),
      timeBase: seen.base,
      stretches: wanted.map((frame) => ({ start: seen.ticks[frame]!, end: seen.ticks[frame + 1]! })),
      frameCount: wanted.length,
      soundTrack: null,
      isDamaged: false,
      format: 'mp4',
      output: film,
    });
    expect((await readBack(ffmpeg, film)).frameNumbers).toEqual(wanted);
    expect((await readdir(folder)).filter((name) => name.endsWith('.filter'))).toEqual([]);
  });

  it('gives the same bytes again', async () => {
    const fixture = await makeFixture('h264-mp4', place());
    const seen = await decodeAll(fixture.path, false);
    const hash = async (output: string): Promise<string> => {
      const { createHash } = await import('node:crypto');
      const stretches = [{ start: seen.ticks[5]!, end: seen.ticks[50]! }];
      await encodeCuts({
        info: await probe(fixture.path),
        timeBase: seen.base,
        stretches,
        frameCount: 45,
        soundTrack: 0,
        isDamaged: false,
        format: 'mp4',
        output,
      });
      return createHash('sha256')
        .update(await readFile(output))
        .digest('hex');
    };
    expect(await hash(join(folder, 'once.mp4'))).toBe(await hash(join(folder, 'twice.mp4')));
  });

  /** Fifteen frames of a plain video, all but where they go. */
  async function fifteenFrames(): Promise<Omit<CutRequest, 'output'>> {
    const fixture = await makeFixture('h264-mp4', place());
    const seen = await decodeAll(fixture.path, false);
    return {
      info: await probe(fixture.path),
      timeBase: seen.base,
      stretches: [{ start: seen.ticks[5]!, end: seen.ticks[20]! }],
      frameCount: 15,
      soundTrack: 0,
      isDamaged: false,
      format: 'mp4',
    };
  }

  it.skipIf(process.platform !== 'linux')('says in a sentence that the disk is full', async () => {
    // /dev/full refuses every byte as a full disk does.
    const request = { ...(await fifteenFrames()), output: '/dev/full' };
    await expect(encodeCuts(request)).rejects.toMatchObject({ code: 'disk-full' });
  });

  it('says so when a film would not hold the frames it was asked for', async () => {
    const request = { ...(await fifteenFrames()), frameCount: 16, soundTrack: null, output: join(folder, 'short.mp4') };
    await expect(encodeCuts(request)).rejects.toMatchObject({ code: 'film-incomplete' });
  });
});
