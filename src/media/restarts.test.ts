import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeVideo, readBack, readFrameNumber } from '../../test/fixtures/make.js';
import { runFfmpeg } from '../../test/fixtures/run.js';
import { joinStreams } from '../../test/fixtures/streams.js';
import { decode, encodeCuts, encodeReel, locateFfmpeg, probe, survey, toFileTicks, type ClockJump, type VideoInfo } from './index.js'; // prettier-ignore

const SIZE = { widthPx: 192, heightPx: 108 };
const FRAMES = 225;
/** Flashes and beeps in the middle of every second of the parts, whose lengths are whole seconds. */
const FLASHES = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5];

let folder: string;
let ffmpeg: string;
const at = (name: string): string => join(folder, name);

/** A disc: program streams of MPEG-2 pictures, joined. */
async function joinDisc(path: string): Promise<void> {
  const parts: Buffer[] = [];
  for (let part = 0; part < 3; part++) {
    const [source, vob] = [`${path}.${part}.mkv`, `${path}.${part}.vob`];
    await makeVideo(ffmpeg, source, { container: 'mkv', firstNumber: 75 * part });
    await runFfmpeg(ffmpeg, ['-v', 'error', '-y', '-i', source, '-vsync', 'passthrough', '-c:v', 'mpeg2video', '-q:v', '2', '-c:a', 'mp2', '-f', 'vob', vob]); // prettier-ignore
    parts.push(await readFile(vob));
  }
  await writeFile(path, Buffer.concat(parts));
}

const made: Record<string, () => Promise<unknown>> = {
  'back.ts': () => joinStreams(ffmpeg, at('back.ts'), [{}, {}, {}]),
  'ahead.ts': () => joinStreams(ffmpeg, at('ahead.ts'), [{}, { startSeconds: 3600 }, { startSeconds: 40 }]),
  'overlapping.ts': () => joinStreams(ffmpeg, at('overlapping.ts'), [{}, { startSeconds: 2 }, { startSeconds: 4 }]),
  'disc.mpg': () => joinDisc(at('disc.mpg')),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-restarts-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(Object.keys(made))('a recording whose clock restarts (%s)', (name) => {
  let info: VideoInfo;
  let ticks: number[];
  let jumps: readonly ClockJump[];

  beforeAll(async () => {
    await made[name]!();
    const probed = await probe(at(name));
    expect(await survey(probed)).toEqual({ packets: FRAMES, restarts: true });
    const decoding = decode({ ...probed, clock: [] }, [{ name: 'a', ...SIZE, every: 1 }]);
    ticks = [];
    for await (const frame of decoding.frames) {
      expect(readFrameNumber({ data: frame.pictures['a']!, ...SIZE })).toBe(frame.index);
      ticks.push(frame.ticks);
    }
    jumps = decoding.found().clock;
    info = { ...probed, clock: jumps };
  });

  it('gives every frame, at the pace of the file', () => {
    expect(ticks.length).toBe(FRAMES);
    expect(new Set(ticks.slice(1).map((tick, k) => tick - ticks[k]!))).toEqual(new Set([3600]));
  });

  it('tells where its frames are on the clock of the file', async () => {
    const { stderr } = await runFfmpeg(ffmpeg, ['-v', 'info', '-copyts', '-i', at(name), '-map', '0:v', '-vf', 'showinfo', '-f', 'null', '-']); // prettier-ignore
    const stored = [...stderr.matchAll(/\bn: *\d+ pts: *(-?\d+)/g)].map((match) => Number(match[1]));
    expect(jumps.length).toBe(2);
    expect(ticks.map((tick) => toFileTicks(tick, jumps))).toEqual(stored);
  });

  it('goes into films whole, with its sound in step', { tags: 'slow' }, async () => {
    const source = { info, timeBase: info.timeBase, isDamaged: false, frameCount: FRAMES, soundTrack: 0 };
    const stretch = { start: ticks[0]!, end: ticks.at(-1)! + 3600 };
    const films = [at(`${name}.cut.mp4`), at(`${name}.reel.mp4`)];
    await encodeCuts({ ...source, stretches: [stretch], format: 'mp4', output: films[0]! });
    await encodeReel({
      ...{ parts: [{ ...source, stretch }], frame: { ...SIZE, rate: { num: 25, den: 1 } }, output: films[1]! },
      ...{ fit: 'letterbox', fadeFrames: 0, evenLoudness: false, format: 'mp4' },
    });
    for (const film of films) {
      const { frameNumbers, flashTimes, beepTimes } = await readBack(ffmpeg, film);
      expect(frameNumbers).toEqual(ticks.map((_, k) => k));
      expect(flashTimes.length).toBe(FLASHES.length);
      for (const [k, expected] of FLASHES.entries()) {
        expect(Math.abs(flashTimes[k]! - expected)).toBeLessThan(0.041);
        // The sound of a part may begin a packet earlier or later than its pictures.
        expect(Math.min(...beepTimes.map((beep) => Math.abs(beep - flashTimes[k]!)))).toBeLessThan(0.03);
      }
    }
  });

  it('gives the same frames when only a part is read', async () => {
    const part = { info, timeBase: info.timeBase, isDamaged: false, soundTrack: null, format: 'mp4' } as const;
    const output = at(`${name}.part.mp4`);
    const stretches = [70, 145].map((first) => ({ start: ticks[first]!, end: ticks[first + 10]! }));
    await encodeCuts({ ...part, stretches, frameCount: 20, output });
    const numbers = [70, 145].flatMap((first) => Array.from({ length: 10 }, (_, k) => first + k));
    expect((await readBack(ffmpeg, output)).frameNumbers).toEqual(numbers);
  });
});
