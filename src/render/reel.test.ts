import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { rational, type Rational } from '../base/index.js';
import { locateFfmpeg, probe, type VideoInfo } from '../media/index.js';
import { makeVideo, readBack } from '../../test/fixtures/make.js';
import { chooseFrame, drawGlyphs, timecodeAt } from './reel.js';
import { planReel, renderFilm, renderPreview, renderReel, type Film, type ReelClip, type ReelFilm } from './index.js'; // prettier-ignore

/** Seconds of a source of some size and rate; nothing of it is read. */
function clip(
  seconds: number,
  widthPx: number,
  heightPx: number,
  rate: Rational | null,
  aspect = rational(1, 1),
): ReelClip {
  const frames = Math.round(seconds * (rate ? rate.num / rate.den : 24));
  const range = { start: 0, end: Math.round(seconds * 90_000), base: { num: 1, den: 90_000 } };
  const info = { widthPx, heightPx, sampleAspect: aspect, audio: [] } as unknown as VideoInfo;
  return { info, frameRate: rate, isDamaged: false, clip: { startFrame: 0, endFrame: frames, range } };
}

const [PAL, NTSC, FAST] = [rational(25, 1), rational(30_000, 1001), rational(120, 1)];

describe('chooseFrame, by hand', () => {
  it('takes the shape that plays longest, and the largest size that a third of the time supports', () => {
    const clips = [clip(20, 640, 360, NTSC), clip(12, 1280, 720, NTSC), clip(6, 1920, 1080, NTSC), clip(4, 480, 640, PAL)]; // prettier-ignore
    // A third of 42 s is reached within the 720 lines; the large source alone plays for 6 s.
    expect(chooseFrame(clips)).toEqual({ widthPx: 1280, heightPx: 720, rate: NTSC });
    expect(chooseFrame([...clips, clip(12, 1920, 1080, NTSC)])).toMatchObject({ widthPx: 1920, heightPx: 1080 });
  });

  it('counts an upright picture by the wide frame that it fills from top to bottom', () => {
    const clips = [clip(10, 640, 360, NTSC), clip(8, 1080, 1920, NTSC), clip(4, 640, 360, PAL)];
    expect(chooseFrame(clips)).toEqual({ widthPx: 1920, heightPx: 1080, rate: NTSC });
  });

  it('takes the rate of the better sources', () => {
    const clips = [clip(20, 320, 240, rational(15, 1)), clip(12, 1280, 960, PAL), clip(4, 1280, 960, NTSC)];
    expect(chooseFrame(clips)).toEqual({ widthPx: 1280, heightPx: 960, rate: PAL });
  });

  it('counts shapes that hardly differ as one, and pixels that are not square as they are shown', () => {
    const wide = clip(5, 720, 576, PAL, rational(64, 45));
    expect(chooseFrame([wide, clip(6, 720, 406, PAL), clip(8, 640, 480, PAL)])).toMatchObject({
      widthPx: 854,
      heightPx: 480,
    });
    expect(chooseFrame([wide])).toEqual({ widthPx: 1024, heightPx: 576, rate: PAL });
    expect(chooseFrame([clip(6, 720, 576, PAL, rational(1, 2))])).toMatchObject({ widthPx: 720, heightPx: 1152 });
  });

  it('stays within 1920 × 1080, upright or wide, and even', () => {
    expect(chooseFrame([clip(5, 3840, 2160, PAL)])).toMatchObject({ widthPx: 1920, heightPx: 1080 });
    expect(chooseFrame([clip(5, 2160, 3840, PAL)])).toMatchObject({ widthPx: 1080, heightPx: 1920 });
    expect(chooseFrame([clip(5, 333, 187, PAL)])).toMatchObject({ widthPx: 334, heightPx: 188 });
  });

  it('replaces rates that players do not support by near ones', () => {
    expect(chooseFrame([clip(5, 640, 360, FAST)]).rate).toEqual(rational(60, 1));
    expect(chooseFrame([clip(5, 640, 360, rational(15, 1))]).rate).toEqual(rational(30, 1));
    expect(chooseFrame([clip(5, 640, 360, rational(2997, 100))]).rate).toEqual(NTSC);
    // A varying rate counts as the standard one nearest to its mean.
    expect(chooseFrame([clip(5, 640, 360, null)]).rate).toEqual(rational(24, 1));
  });
});

describe('planReel', () => {
  const film: ReelFilm = {
    ...{ sound: 'none', fit: 'letterbox', surround: 'blur', fade: 0.4, loudness: 'keep', format: 'mp4' },
    clips: [clip(4, 1280, 720, PAL), clip(2, 640, 360, NTSC)],
  };

  it('gives the place of each clip, fades shared', () => {
    expect(planReel(film)).toMatchObject({ frames: 140, seconds: 5.6, clips: [{ startFrame: 0, frames: 100 }, { startFrame: 90, frames: 50 }] }); // prettier-ignore
  });

  it('puts a title of 2.5 seconds before them', () => {
    const { frames, clips } = planReel({ ...film, fade: 0, title: 'Surfing' });
    expect(frames).toBe(63 + 150);
    expect(clips.map(({ startFrame }) => startFrame)).toEqual([63, 163]);
  });
});

describe('timecodeAt', () => {
  const counted = (timecode: string, frameRate: Rational | null, startFrame: number, rate: Rational) => {
    const base = { num: 1, den: 1000 };
    const clock = frameRate ?? rational(25, 1);
    const [start, end] = [startFrame, startFrame + 100].map((frame) => Math.round((1000 * frame * clock.den) / clock.num) + 7); // prettier-ignore
    const spot = { startFrame, endFrame: startFrame + 100, range: { start: start!, end: end!, base } };
    return timecodeAt({ info: { timecode } as VideoInfo, frameRate, clip: spot, startTick: 7 }, rate);
  };

  it('counts the frames of the source, whatever the rate of the film', () => {
    const labels = (at: (frame: number) => string): string[] => [0, 1, 2].map(at);
    expect(labels(counted('10:00:00:00', PAL, 60, PAL))).toEqual(['10:00:02:10', '10:00:02:11', '10:00:02:12']);
    expect(labels(counted('00:00:00:00', rational(50, 1), 60, PAL))).toEqual(['00:00:01:10', '00:00:01:12', '00:00:01:14']); // prettier-ignore
    // At 25 the pictures 0 to 4 of 10 a second last two frames or three.
    expect([0, 1, 2, 3, 4, 5].map(counted('00:00:00:00', rational(10, 1), 0, PAL))).toEqual(['00:00:00:00', '00:00:00:00', '00:00:00:00', '00:00:00:01', '00:00:00:01', '00:00:00:02']); // prettier-ignore
    expect(counted('01:00:59;20', NTSC, 0, NTSC)(10)).toBe('01:01:00;02');
    expect(counted('00:00:00:00', null, 60, PAL)(3)).toBe('00:00:02:13');
  });

  it('repeats the last label after the last picture', () => {
    expect(counted('00:00:00:00', PAL, 60, PAL)(120)).toBe('00:00:06:09');
  });
});

describe('films of files', () => {
  let folder: string;
  let ffmpeg: string;
  let film: Film;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'throughline-export-'));
    ffmpeg = (await locateFfmpeg()).path;
    const { path } = await makeVideo(ffmpeg, join(folder, 'source.mp4'), { frameCount: 150, hasFlashes: false });
    const info = await probe(path);
    const { timeBase } = info;
    const clips = [
      [10, 50],
      [70, 130],
    ].map(([startFrame = 0, endFrame = 0]) => ({
      // prettier-ignore
      ...{ startFrame, endFrame },
      range: { start: startFrame * (timeBase.den / 25), end: endFrame * (timeBase.den / 25), base: timeBase },
    }));
    const how = { sound: 'keep', format: 'mp4', fade: 0, loudness: 'keep', isDamaged: false } as const;
    film = { info, timeBase, frameRate: PAL, clips, titles: ['a', 'b'], ...how };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, k) => from + k);

  it.each(['mp4', 'webm', 'copy'] as const)(
    '%s holds the clips’ frames and their sound',
    { tags: 'slow' },
    async (format) => {
      const output = join(folder, `film-${format}`);
      expect(await renderFilm({ ...film, format }, output)).toBeNull();
      const back = await readBack(ffmpeg, output);
      expect(back.frameNumbers).toEqual([...numbers(10, 50), ...numbers(70, 130)]);
      expect(back.beepTimes).toHaveLength(4);
    },
  );

  it('fades at the source’s own size and rate: outside the fade every frame is there', { tags: 'slow' }, async () => {
    const output = join(folder, 'faded.mp4');
    expect(await renderFilm({ ...film, fade: 0.4, format: 'copy' }, output)).toMatch(/fade/);
    const back = await readBack(ffmpeg, output);
    expect(back.frameNumbers).toHaveLength(90);
    expect(back.frameNumbers.slice(0, 30)).toEqual(numbers(10, 40));
    expect(back.frameNumbers.slice(40)).toEqual(numbers(80, 130));
    expect(await probe(output)).toMatchObject({ widthPx: 192, heightPx: 108, frameRate: PAL });
  });

  it('writes title and captions that can be seen', async () => {
    const { info, isDamaged, clips } = film;
    const part = { info, frameRate: PAL, isDamaged, clip: { ...clips[0]!, endFrame: 20, range: { ...clips[0]!.range, end: clips[0]!.range.start + 10 * (film.timeBase.den / 25) } } }; // prettier-ignore
    const output = join(folder, 'titled.mp4');
    const reel: ReelFilm = { ...film, format: 'mp4', fit: 'letterbox', surround: 'plain', title: 'Surfing', clips: [{ ...part, caption: 'a.mp4' }, part] }; // prettier-ignore
    await renderReel(reel, output);
    const luma = execFileSync(ffmpeg, ['-v', 'error', '-i', output, '-vf', 'extractplanes=y', '-f', 'rawvideo', '-'], {
      maxBuffer: 1 << 26,
    });
    const brightest = (frame: number, top: number, bottom: number): number =>
      Math.max(...luma.subarray((frame * 108 + top) * 192, (frame * 108 + bottom) * 192));
    expect(luma.length).toBe((63 + 20) * 192 * 108);
    expect([brightest(30, 40, 68), brightest(30, 0, 30)].map((level) => level > 150)).toEqual([true, false]);
    // The lower left corner of a fixture is white; a caption's dark plate greys it.
    const corner = (frame: number): number => luma[(frame * 108 + 98) * 192 + 9]!;
    expect([65, 75].map((frame) => corner(frame) > 200)).toEqual([false, true]);
  });

  it('burns in the name and the timecode of every picture', { tags: 'slow' }, async () => {
    const frame = { widthPx: 192, heightPx: 108 };
    const glyphs = [...(await drawGlyphs(frame))];
    const { leftPx, topPx, widthPx, heightPx } = glyphs[0]![1];
    /** The character whose drawing is most like the pixels at a place of the line. */
    const readAt = (luma: Buffer, picture: number, place: number): string => {
      const likeness = ({ rgba }: (typeof glyphs)[0][1]): number => {
        let [product, drawn] = [0, 0];
        for (let at = 0; at < widthPx * heightPx; at++) {
          const [x, y] = [leftPx + place * widthPx + (at % widthPx), topPx + Math.floor(at / widthPx)];
          const ink = rgba[4 * at]! - 16;
          product += ink * (luma[(picture * frame.heightPx + y) * frame.widthPx + x]! - 60);
          drawn += ink * ink;
        }
        return product / Math.sqrt(drawn);
      };
      return glyphs.reduce((best, each) => (likeness(each[1]) > likeness(best[1]) ? each : best))[0];
    };
    const info = { ...film.info, timecode: '01:00:00:00' };
    const burnIn = { name: 'source.mp4', startTick: 0 };
    const output = join(folder, 'burned.mp4');
    expect(await renderFilm({ ...film, info, format: 'copy', burnIn }, output)).toMatch(/burned-in/);
    const luma = execFileSync(ffmpeg, ['-v', 'error', '-i', output, '-vf', 'extractplanes=y', '-f', 'rawvideo', '-'], { maxBuffer: 1 << 26 }); // prettier-ignore
    expect(luma.length).toBe(100 * 192 * 108);
    const expected = [...numbers(10, 50), ...numbers(70, 130)].map((source) => {
      const part = (value: number): string => String(value).padStart(2, '0');
      return `01:00:${part(Math.floor(source / 25))}:${part(source % 25)}`;
    });
    const read = expected.map((_, at) => Array.from({ length: 11 }, (__, place) => readAt(luma, at, place)).join(''));
    expect(read).toEqual(expected);
    const corner = (at: number): number => luma[(at * 108 + 98) * 192 + 9]!;
    expect(corner(50)).toBeLessThan(200);
  });

  it('draws a preview of a summary, 320 pixels on its longer side', async () => {
    const output = join(folder, 'preview.webp');
    const clips = film.clips.map((each) => ({ info: film.info, clip: each, isDamaged: false }));
    await renderPreview({ clips, format: 'webp' }, output);
    const { default: sharp } = await import('sharp');
    // 1.6 and 2.4 seconds at 4 pictures a second.
    expect(await sharp(output, { animated: true }).metadata()).toMatchObject({
      width: 320,
      pageHeight: 180,
      pages: 16,
    });
  });
});
