import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { rational, rescale, type Rational } from '../base/index.js';
import { eachCase } from '../../test/fixtures/each-case.js';
import { makeBroken, makeVideo, readBack, type VideoSpec } from '../../test/fixtures/make.js';
import { readTimes } from '../../test/fixtures/frames.js';
import {
  encodePreview,
  encodeReel,
  layOutReel,
  locateFfmpeg,
  probe,
  probeMusic,
  reelFrames,
  type Overlay,
  type Reel,
  type ReelCut,
} from './index.js';
import { writeCutSound } from './cut.js';
import { writeReelSound } from './reel-sound.js';

let folder: string;
let ffmpeg: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-reel-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Cut = { readonly part: ReelCut; readonly ticks: readonly number[]; readonly from: number };

/** Frames [from, to) of a file as a cut. */
async function cutOf(path: string, from: number, to: number): Promise<Cut> {
  const { ticks, ...source } = await readTimes(path);
  const part: ReelCut = {
    ...{ ...source, frameCount: to - from },
    stretch: { start: ticks[from]!, end: ticks[to]! },
    soundTrack: source.info.audio.length > 0 ? 0 : null,
  };
  return { part, ticks, from };
}

async function made(name: string, spec: Partial<VideoSpec>, from: number, to: number): Promise<Cut> {
  return cutOf((await makeVideo(ffmpeg, join(folder, name), spec)).path, from, to);
}

/** The source frames a cut shows at each of the film's frames: each goes to the nearest, the last of several stays. */
function shown({ part, ticks, from }: Cut, rate: Rational, frames: number): number[] {
  const base = { num: rate.den, den: rate.num };
  const at = ticks
    .slice(from, from + part.frameCount)
    .map((tick) => rescale(tick - part.stretch.start, part.timeBase, base));
  return Array.from({ length: frames }, (_, frame) => from + at.findLastIndex((place) => place <= frame));
}

const RATE = rational(25, 1);
const FRAME = { widthPx: 192, heightPx: 108, rate: RATE };

function reelOf(name: string, parts: Reel['parts'], more: Partial<Reel> = {}): Reel {
  const plain = { fit: 'letterbox', fadeFrames: 0, evenLoudness: false, format: 'mp4', frame: FRAME } as const;
  return { ...plain, parts, output: join(folder, name), ...more };
}

/** The brightness of every pixel of every frame. */
function lumaOf(path: string): Buffer[] {
  const args = ['-v', 'error', '-i', path, '-vf', 'extractplanes=y', '-vsync', 'passthrough', '-f', 'rawvideo', '-'];
  const bytes = execFileSync(ffmpeg, args, { maxBuffer: 1 << 28 });
  const size = FRAME.widthPx * FRAME.heightPx;
  return Array.from({ length: bytes.length / size }, (_, frame) => bytes.subarray(frame * size, (frame + 1) * size));
}

const meanOf = (values: Iterable<number>): number => {
  let [sum, count] = [0, 0];
  for (const value of values) [sum, count] = [sum + value, count + 1];
  return sum / count;
};

/** Samples of the left channel of 32-bit float stereo. */
function soundOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 8 }, (_, sample) => bytes.readFloatLE(8 * sample));
}

/** The level of each tenth of a second of a film, in decibels. */
function levelsOf(path: string): number[] {
  const args = ['-v', 'error', '-i', path, '-vn', '-ac', '2', '-f', 'f32le', '-'];
  const samples = soundOf(execFileSync(ffmpeg, args, { maxBuffer: 1 << 28 }));
  return Array.from({ length: Math.floor(samples.length / 4800) }, (_, step) => {
    const power = meanOf(samples.slice(4800 * step, 4800 * (step + 1)).map((value) => value * value));
    return 10 * Math.log10(power + 1e-12);
  });
}

/** Integrated loudness of seconds [from, to) of a film, by ffmpeg's own meter. */
function loudnessOf(path: string, from: number, to: number): number {
  const filter = `atrim=${from}:${to},ebur128`;
  const said = spawnSync(ffmpeg, ['-hide_banner', '-i', path, '-vn', '-af', filter, '-f', 'null', '-']);
  return Number(/Integrated loudness:\s+I:\s+(-?[\d.]+) LUFS/.exec(said.stderr.toString())?.[1]);
}

describe('encodeReel', () => {
  eachCase(['mp4', 'webm'] as const, 1, 'joins sources of any size, rate and codec as %s', async (format) => {
    const irregularMs = Array.from({ length: 60 }, (_, k) => k * 40 + (k % 3) * 9);
    const cuts = [
      await made('plain.mp4', { frameCount: 100 }, 30, 70),
      await made(
        'large.mkv',
        { widthPx: 384, heightPx: 216, codec: 'hevc', container: 'mkv', frameCount: 100 },
        55,
        80,
      ),
      await made('fast.mp4', { frameRate: rational(60, 1), frameCount: 240 }, 130, 200),
      await made('ntsc.mp4', { frameRate: rational(30_000, 1001), frameCount: 120 }, 41, 90),
      await made('hour.ts', { container: 'ts', startSeconds: 3600 }, 10, 60),
      await made('irregular.mp4', { irregularMs }, 5, 50),
      await made('vp9.webm', { codec: 'vp9', container: 'webm', frameCount: 80 }, 40, 70),
    ];
    const reel = reelOf(`mixed.${format}`, cuts.map(({ part }) => part), { format }); // prettier-ignore
    const places = layOutReel(reel);
    await encodeReel(reel);
    const back = await readBack(ffmpeg, reel.output);
    expect(back.frameNumbers).toEqual(cuts.flatMap((cut, k) => shown(cut, RATE, places[k]!.frames)));
    // WebM tells times in milliseconds, and counts them from the first sample of its sound, which builds with another
    // encoder of it begin earlier; pictures and sound agree, as the flashes below show.
    const isOld = format === 'webm' && (await locateFfmpeg()).major < 6;
    const late = isOld ? 0.007 : 0;
    back.frameTimes.forEach((time, frame) => expect(Math.abs(time - late - frame / 25)).toBeLessThan(0.008));
    expect(back.flashTimes.length).toBeGreaterThanOrEqual(6);
    for (const flash of back.flashTimes) {
      // Brought to another rate, a picture is up to half a frame from its time.
      expect(Math.min(...back.beepTimes.map((beep) => Math.abs(beep - flash)))).toBeLessThan(0.02 + 0.012);
    }
    const film = await probe(reel.output);
    // Those builds do not find 25 frames a second in whole milliseconds.
    expect(film).toMatchObject({ frameRate: isOld ? null : RATE, widthPx: 192, heightPx: 108, sampleAspect: { num: 1, den: 1 } }); // prettier-ignore
    expect(film).toMatchObject({ codec: format === 'mp4' ? 'h264' : 'vp9', colour: { matrix: 'bt709' } });
    expect(film.audio).toMatchObject([{ codec: format === 'mp4' ? 'aac' : 'opus', channels: 2, sampleRate: 48_000 }]);
    // They also let the last picture of a WebM film stay for a second.
    expect(Math.abs(film.durationHint! - reelFrames(places) / 25 - (isOld ? 0.96 : 0))).toBeLessThan(0.03);
  });

  it('fades over exactly the frames planned, and gives the same bytes again', { tags: 'slow' }, async () => {
    // Still pictures of two brightnesses.
    const still = { isMoving: false, hasFlashes: false, frameCount: 60, tones: [] };
    const first = await made('first.mp4', still, 5, 45);
    const second = await made('second.mp4', { ...still, cuts: [0, 0] }, 10, 40);
    const reel = reelOf('faded.mp4', [first.part, second.part], { fadeFrames: 10 });
    expect(layOutReel(reel)).toEqual([
      { start: 0, frames: 40, fadeOut: 10 },
      { start: 30, frames: 30, fadeOut: 0 },
    ]);
    await encodeReel(reel);
    // The upper half has no frame numbers.
    const levels = lumaOf(reel.output).map((luma) => meanOf(luma.subarray(0, luma.length / 2)));
    expect(levels).toHaveLength(60);
    const [before, behind] = [levels[10]!, levels[55]!];
    expect(Math.abs(behind - before)).toBeGreaterThan(30);
    levels.forEach((level, frame) => {
      const share = Math.min(1, Math.max(0, (frame - 29) / 11));
      expect(Math.abs(level - (before + share * (behind - before))), `frame ${frame}`).toBeLessThan(2);
    });
    const again = { ...reel, output: join(folder, 'faded-again.mp4') };
    await encodeReel(again);
    expect((await readFile(again.output)).equals(await readFile(reel.output))).toBe(true);
  });

  it('never fades over more than half of a cut', () => {
    const cut = (frames: number): ReelCut =>
      ({ stretch: { start: 0, end: frames }, timeBase: { num: 1, den: 25 } }) as unknown as ReelCut;
    const places = layOutReel({ parts: [cut(40), cut(5), cut(40), cut(1), cut(9)], frame: FRAME, fadeFrames: 25 });
    expect(places.map(({ fadeOut }) => fadeOut)).toEqual([2, 2, 0, 0, 0]);
    expect(places.map(({ start }) => start)).toEqual([0, 38, 41, 81, 82]);
    expect(reelFrames(places)).toBe(91);
  });

  it('shows pictures of another shape whole, on black or on themselves, or fills the frame with their middle', async () => {
    const portrait = await made(
      'portrait.mp4',
      { widthPx: 108, heightPx: 192, isMoving: false, hasFlashes: false },
      5,
      9,
    );
    const parts = [{ ...portrait.part, soundTrack: null }];
    await encodeReel(reelOf('whole.mp4', parts));
    await encodeReel(reelOf('cut.mp4', parts, { fit: 'crop' }));
    await encodeReel(reelOf('blurred.mp4', parts, { fit: 'blur' }));
    const column = (luma: Buffer, x: number): number =>
      meanOf(Array.from({ length: 100 }, (_, y) => luma[(y + 4) * FRAME.widthPx + x]!));
    // 108 × 192 is 60 wide when 108 high; half of the rest, in whole colour samples, is 66.
    const [whole] = lumaOf(join(folder, 'whole.mp4'));
    expect([2, 30, 62, 130, 160, 189].map((x) => column(whole!, x) < 20)).toEqual([true, true, true, true, true, true]);
    expect(column(whole!, 96)).toBeGreaterThan(50);
    const [cut] = lumaOf(join(folder, 'cut.mp4'));
    for (const x of [2, 30, 96, 160, 189]) expect(column(cut!, x)).toBeGreaterThan(40);
    // The picture itself is the same; around it is one without sharp edges, darker than the picture cut to the frame.
    const [blurred] = lumaOf(join(folder, 'blurred.mp4'));
    expect(Math.abs(column(blurred!, 96) - column(whole!, 96))).toBeLessThan(3);
    for (const x of [2, 30, 160, 189]) {
      expect(column(blurred!, x)).toBeGreaterThan(25);
      expect(column(blurred!, x)).toBeLessThan(column(cut!, x));
      for (let y = 4; y < 104; y++) {
        expect(Math.abs(blurred![y * FRAME.widthPx + x]! - blurred![(y + 1) * FRAME.widthPx + x]!)).toBeLessThan(12);
      }
    }
    expect((await readBack(ffmpeg, join(folder, 'whole.mp4'))).frameNumbers).toEqual([null, null, null, null]);
  });

  it('shows anamorphic and turned pictures in their true shape', { tags: 'slow' }, async () => {
    const spec = { widthPx: 144, heightPx: 108, sampleAspect: rational(4, 3) };
    const wide = await made('anamorphic.mp4', spec, 5, 20);
    const turned = await made('turned.mp4', { rotationDeg: 180 }, 5, 20);
    const reel = reelOf('shapes.mp4', [wide.part, turned.part]);
    await encodeReel(reel);
    const numbers = Array.from({ length: 15 }, (_, k) => 5 + k);
    expect((await readBack(ffmpeg, reel.output)).frameNumbers).toEqual([...numbers, ...numbers]);
  });

  it('brings sources to one loudness, and leaves them alone when asked to', { tags: 'slow' }, async () => {
    const source = await makeVideo(ffmpeg, join(folder, 'loud.mp4'), { frameCount: 100 });
    const quieter = join(folder, 'quiet.mp4');
    const args = ['-v', 'error', '-y', '-i', source.path, '-c:v', 'copy', '-af', 'volume=-9dB', quieter];
    execFileSync(ffmpeg, args);
    const parts = [(await cutOf(source.path, 0, 99)).part, (await cutOf(quieter, 0, 99)).part];
    const [kept, even] = [reelOf('kept.mp4', parts), reelOf('even.mp4', parts, { evenLoudness: true })];
    await encodeReel(kept);
    await encodeReel(even);
    const difference = (path: string): number => loudnessOf(path, 0, 3.9) - loudnessOf(path, 4, 7.9);
    expect(difference(kept.output)).toBeCloseTo(9, 0);
    expect(Math.abs(difference(even.output))).toBeLessThan(0.5);
    expect(Math.abs(loudnessOf(even.output, 0, 7.9) - -18)).toBeLessThan(0.5);
  });

  it(
    'fills cuts without sound with room tone, and has no sound track where all are silent',
    { tags: 'slow' },
    async () => {
      const heard = await made('heard.mp4', { frameCount: 75 }, 0, 50);
      const mute = { ...heard.part, soundTrack: null };
      const reel = reelOf('half-silent.mp4', [mute, heard.part]);
      await encodeReel(reel);
      const { beepTimes } = await readBack(ffmpeg, reel.output);
      expect(beepTimes).toHaveLength(2);
      for (const [k, beep] of beepTimes.entries()) expect(Math.abs(beep - (2.52 + k))).toBeLessThan(0.035);
      // The first second fades in; the tone is between −56 and −36 dB, before it is encoded.
      for (const level of levelsOf(reel.output).slice(10, 19)) expect(Math.abs(level - -46)).toBeLessThan(14);
      const silent = reelOf('silent.mp4', [mute, mute]);
      await encodeReel(silent);
      expect((await probe(silent.output)).audio).toEqual([]);
    },
  );

  it('joins sound over two frames, in step to the sample, without a hole', { tags: 'slow' }, async () => {
    const tone = join(folder, 'tone.mkv');
    const from = ['-f', 'lavfi', '-i', 'testsrc2=s=192x108:r=25:d=6', '-f', 'lavfi', '-i', 'sine=f=500:r=48000:d=6'];
    execFileSync(ffmpeg, ['-v', 'error', ...from, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_f32le', '-y', tone]); // prettier-ignore
    const [first, second] = [await cutOf(tone, 10, 60), await cutOf(tone, 80, 130)];
    const collect = async (feed: (sink: Writable) => Promise<void>): Promise<number[]> => {
      const written: Buffer[] = [];
      await feed(new Writable({ write: (chunk: Buffer, _, done) => (written.push(Buffer.from(chunk)), done()) }));
      return soundOf(Buffer.concat(written));
    };
    const reel = reelOf('joined.mp4', [first.part, second.part]);
    const { signal } = new AbortController();
    const film = await collect((sink) => writeReelSound(reel, layOutReel(reel), sink, { maySeek: false, signal }));
    const source = soundOf(execFileSync(ffmpeg, ['-v', 'error', '-i', tone, '-ac', '2', '-f', 'f32le', '-'], { maxBuffer: 1 << 26 })); // prettier-ignore
    // 50 frames of 1920 samples each; the two frames around the join belong to both.
    expect(film).toHaveLength(2 * 96_000);
    const expected = film.map((_, at) => {
      const share = Math.min(1, Math.max(0, (at - 96_000 + 1920 + 0.5) / 3840));
      return source[19_200 + at]! * (1 - share) + source[153_600 - 96_000 + at]! * share;
    });
    const difference = (a: readonly number[], b: readonly number[]): number =>
      a.slice(200, -200).reduce((most, value, at) => Math.max(most, Math.abs(value - b[at + 200]!)), 0);
    expect(difference(film, expected)).toBeLessThan(1e-6);
    // A film of one video sounds the same.
    const stretches = [first.part.stretch, second.part.stretch];
    const request = { ...first.part, stretches, frameCount: 100, soundTrack: 0, output: '' };
    const alone = await collect((sink) => writeCutSound(request, false)!(sink, signal));
    expect(alone).toHaveLength(film.length);
    expect(difference(alone, film)).toBeLessThan(1e-6);
  });

  it('plays music to the end, again if it is short, and softer under speech', { tags: 'slow' }, async () => {
    const music = join(folder, 'music.flac');
    execFileSync(ffmpeg, [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'anoisesrc=d=10:a=0.3:c=pink:seed=3',
      '-ac',
      '2',
      '-y',
      music,
    ]);
    await probeMusic(music);
    const spec = { frameCount: 300, hasFlashes: false };
    const mute = await made('mute.mp4', { ...spec, tones: [] }, 0, 299);
    const reel = reelOf('music.mp4', [mute.part], { music: { path: music } });
    await encodeReel(reel);
    const levels = levelsOf(reel.output);
    expect(levels).toHaveLength(119);
    // Where it begins again, two parts of it fade into each other.
    for (const level of levels.slice(6, -30)) expect(Math.abs(level - levels[20]!)).toBeLessThan(7);
    expect(Math.abs(loudnessOf(reel.output, 1, 6) - -24)).toBeLessThan(1);
    expect(levels.at(-1)).toBeLessThan(levels[20]! - 20);
    const { part } = await made('spoken.mp4', { ...spec, tones: [100] }, 0, 299);
    const speech = [{ start: 5 * part.timeBase.den, end: 7 * part.timeBase.den }];
    const ducked = reelOf('ducked.mp4', [{ ...part, speech }], { music: { path: music } });
    await encodeReel(ducked);
    // The source beeps once in each second; the median is the music.
    const heard = levelsOf(ducked.output);
    const median = (from: number): number => heard.slice(from, from + 10).toSorted((a, b) => a - b)[5]!;
    expect(Math.abs(median(55) - median(25) + 12)).toBeLessThan(2);
  });

  it('says what is wrong with music', async () => {
    const { path } = await makeVideo(ffmpeg, join(folder, 'silent-music.mp4'), { frameCount: 30, tones: [] });
    await expect(probeMusic(path)).rejects.toThrow(/^Expected sound in ".*", found a file without sound\. Choose another file for the music\.$/); // prettier-ignore
    const list = join(folder, 'list.m3u8');
    await writeFile(list, '#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n');
    await expect(probeMusic(list)).rejects.toThrow(/^Expected sound in ".*", found something else/);
    await expect(probeMusic(join(folder, 'none.mp3'))).rejects.toThrow(/found nothing\. Check the path\.$/);
  });

  it(
    'shows a card for its frames, and lays a caption over every picture of its cut and no other',
    { tags: 'slow' },
    async () => {
      const white = (leftPx: number, topPx: number, widthPx: number, heightPx: number): Overlay => ({
        ...{ leftPx, topPx, widthPx, heightPx },
        rgba: new Uint8Array(widthPx * heightPx * 4).fill(255),
      });
      const spec = { isMoving: false, hasFlashes: false, frameCount: 30 };
      const { part } = await made('captioned.mp4', spec, 3, 13);
      const reel = reelOf('card.mp4', [
        { card: white(80, 40, 32, 16), frames: 6 },
        { ...part, overlay: white(10, 12, 20, 8) },
        part,
      ]);
      await encodeReel(reel);
      const films = lumaOf(reel.output);
      const at = (frame: number, x: number, y: number): number => films[frame]![y * FRAME.widthPx + x]!;
      expect(films).toHaveLength(26);
      for (let frame = 0; frame < 26; frame++) {
        expect(at(frame, 96, 48) > 220, `card in frame ${frame}`).toBe(frame < 6);
        expect(at(frame, 20, 16) > 220, `caption in frame ${frame}`).toBe(frame >= 6 && frame < 16);
      }
      expect(at(2, 4, 4)).toBeLessThan(20);
    },
  );

  it('takes what a damaged source gives, the same each time', async () => {
    const cut = await cutOf(await makeBroken('truncated', { folder, ffmpeg }), 2, 20);
    expect(cut.part.isDamaged).toBe(true);
    const reel = reelOf('damaged.mp4', [cut.part]);
    await encodeReel(reel);
    expect((await readBack(ffmpeg, reel.output)).frameNumbers).toHaveLength(18);
  });

  it('says so when a source does not hold the frames it was asked for', async () => {
    const { part } = await made('short.mp4', { frameCount: 60 }, 30, 50);
    const broken = encodeReel(reelOf('incomplete.mp4', [{ ...part, frameCount: 21 }]));
    await expect(broken).rejects.toMatchObject({ code: 'film-incomplete' });
  });

  it('stops at once when told to', { tags: 'slow' }, async () => {
    const { part } = await made('stopped.mp4', { frameCount: 300 }, 0, 290);
    const stop = new AbortController();
    const hooks = { signal: stop.signal, onFrames: () => stop.abort() };
    const running = encodeReel(reelOf('stopped.film.mp4', [part, part, part]), hooks);
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('encodePreview', () => {
  it.each(['gif', 'webp'] as const)('draws a few pictures a second as %s, for ever again', async (format) => {
    const { part } = await made('previewed.mp4', { frameCount: 100 }, 10, 90);
    const output = join(folder, `preview.${format}`);
    // 3.2 seconds at 2.5 pictures a second are 8 pictures; shown at 4 a second, 250 ms each.
    const frame = { widthPx: 96, heightPx: 54, rate: rational(5, 2) };
    await encodePreview({ parts: [part], frame, shownRate: rational(4, 1), format, output });
    const { default: sharp } = await import('sharp');
    const picture = await sharp(output, { animated: true }).metadata();
    expect(picture).toMatchObject({ format, width: 96, pageHeight: 54, pages: 8, loop: 0 });
    expect(new Set(picture.delay)).toEqual(new Set([250]));
  });
});
