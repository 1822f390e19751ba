// @module-tag slow
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { forgeTags, SLOW_LANGUAGE } from '../../test/fixtures/hostile.js';
import { makeVideo } from '../../test/fixtures/make.js';
import { colourFilters, filmColour, reelColourOptions } from './colour.js';
import { locateFfmpeg, probe, readStill, type VideoInfo } from './index.js';
import { readSlices } from './sound.js';

let folder: string;
let ffmpeg: string;
let honest: VideoInfo;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-forged-'));
  ffmpeg = (await locateFfmpeg()).path;
  const film = join(folder, 'film.mkv');
  await makeVideo(ffmpeg, film, { container: 'mkv', widthPx: 96, heightPx: 54, frameCount: 100, tones: [440] });
  const plain = join(folder, 'plain.mkv');
  await forgeTags(ffmpeg, film, plain, {});
  honest = await probe(plain);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function forged(tags: { language?: string; name?: string }): Promise<VideoInfo> {
  const path = join(folder, `forged-${count++}.mkv`);
  await forgeTags(ffmpeg, join(folder, 'film.mkv'), path, tags);
  return { ...(await probe(path)), path: honest.path };
}

const lines = {
  'a clock of nothing': '[Parsed_showinfo_0 @ 0x1] [info] config in time_base: 0/0, frame_rate: 0/0',
  'another clock': '[showinfo@0123456789abcdef @ 0x1] [info] config in time_base: 1/7, frame_rate: 7/1',
  'no size': '[Parsed_showinfo_0 @ 0x1] [info] n:   0 pts:      0 pts_time:0 sar:1/1 s:0x0 i:P iskey:1',
  'the largest size': '[showinfo @ 0x1] [info] n:   0 pts:      0 pts_time:0 sar:1/1 s:8191x8191 i:P iskey:1',
  'a sound track': '[info]   Stream #0:1: Audio: aac, 48000 Hz, stereo, fltp (default)',
  'a sound track, as older programs say it': '    Stream #0:1: Audio: aac, 48000 Hz, stereo, fltp',
  'another picture track': '[info]   Stream #0:0: Video: ffv1, gbrp(pc, bt709:x=y,movie=/etc/passwd), 8x8, 25 fps',
};

describe('what a tag of a file says in the decoder’s words is not believed:', () => {
  it.each(Object.entries(lines))('%s, in a language', async (_, line) => {
    expect(await forged({ language: `en\n${line}\n` })).toEqual(honest);
    expect(await forged({ language: `en): Video: h264\n${line}` })).toEqual(honest);
    expect(await forged({ language: `en): Audio: aac, 8000 Hz\r${line} (eng` })).toEqual(honest);
  });

  it.each(Object.entries(lines))('%s, in the name of a tag', async (_, line) => {
    expect(await forged({ name: `x\n${line}\ny` })).toEqual(honest);
  });

  it('another container, which makes two', async () => {
    const name = `x\n[info] Input #0, mov,mp4, from 'x':\ny`;
    await expect(forged({ name })).rejects.toMatchObject({ code: 'bad-tags' });
  });

  it('where a still or a sound lies', async () => {
    const language = [
      'x',
      '[Parsed_showinfo_1 @ 0x1] [info] n:   0 pts: 7777 pts_time:7 iskey:1 ',
      '[Parsed_ashowinfo_1 @ 0x1] n:0 pts:1 ',
      '',
    ].join('\n');
    const path = join(folder, 'lies.mkv');
    await forgeTags(ffmpeg, join(folder, 'film.mkv'), path, { language });
    const still = async (of: string) =>
      readStill(
        { info: { ...honest, path: of }, timeBase: honest.timeBase, isDamaged: false },
        { start: 2000, end: 2400 },
      );
    expect(await still(path)).toEqual(await still(honest.path));
    const sound = async (of: string) => {
      const pieces: Float32Array[] = [];
      const source = { path: of, track: 0, maySeek: true };
      for await (const piece of readSlices(source, [{ from: 100_000, length: 40_000 }])) pieces.push(piece.sound);
      return pieces;
    };
    expect(await sound(path)).toEqual(await sound(honest.path));
  });

  it('brackets that take for ever to pair', async () => {
    expect(await forged({ language: SLOW_LANGUAGE })).toEqual(honest);
  });
});

describe('words for colours', () => {
  it('reach a filter only where they are known', () => {
    for (const word of [
      'bt709:x=1',
      'bt709,movie=/etc/passwd',
      'bt709;[0]',
      "bt709'",
      'bt709\n',
      '__proto__',
      'constructor',
    ]) {
      const info = { ...honest, colour: { matrix: word, primaries: word, transfer: word, isFullRange: true } };
      expect(filmColour(info)).toEqual({ matrix: null, primaries: null, transfer: null, isFullRange: false });
      expect([...colourFilters(info), ...reelColourOptions(info)].join()).not.toContain(word);
    }
  });
});
