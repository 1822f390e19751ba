import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type Outcome } from 'throughline-video';
import { locateFfmpeg } from '../../src/media/index.js';
import type { Run } from '../../src/pipeline/run.js';
import { keepGoing } from '../../src/pipeline/admit.js';
import { readBack } from '../fixtures/make.js';
import { runFfmpeg } from '../fixtures/run.js';
import { makeVideo } from '../fixtures/video.js';

let home: string;
let ffmpeg: string;
let outcome: Outcome;
const at = (...parts: string[]): string => join(home, ...parts);

/** Copies the pictures of a video, or encodes them anew, with other settings. */
const remake = (from: string, to: string, ...args: string[]): Promise<unknown> =>
  runFfmpeg(ffmpeg, ['-v', 'error', '-y', '-i', at(from), '-an', '-vsync', 'passthrough', ...args, at('topic', to)]);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-odd-streams-'));
  await mkdir(at('topic'));
  ffmpeg = (await locateFfmpeg()).path;
  await makeVideo(ffmpeg, at('topic', 'good.mp4'), { frameCount: 75, cuts: [25, 50] });
  await makeVideo(ffmpeg, at('source.mp4'), { frameCount: 300, tones: [], hasFlashes: false });
  const key = ['-encryption_key', '76a6c65c5ea762046bd749a2e632ccbb', '-encryption_kid', 'a7e61c373e219033c21091fa607bf3b8']; // prettier-ignore
  await remake('source.mp4', 'encrypted.mp4', '-c', 'copy', '-encryption_scheme', 'cenc-aes-ctr', ...key);
  for (const size of ['1x100', '100x1', '1x1']) {
    const args = [
      '-v',
      'error',
      '-y',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgb24',
      '-s',
      size,
      '-i',
      'pipe:0',
      '-c:v',
      'ffv1',
    ];
    await runFfmpeg(ffmpeg, [...args, at('topic', `${size}.mkv`)], [[Buffer.alloc(3 * 100 * 50, 99)]]);
  }
  await remake('source.mp4', 'nanoseconds.mp4', '-c', 'copy', '-video_track_timescale', '1000000000');
  const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0'];
  const hourly = ['-vf', 'settb=1/1000,setpts=N*3600000', '-enc_time_base', '1/1000', '-frames:v', '12'];
  await remake('source.mp4', 'hourly.mkv', ...hourly, ...x264);
  await remake('source.mp4', 'fast.mkv', '-vf', 'settb=1/1000,setpts=N', '-enc_time_base', '1/1000', ...x264); // prettier-ignore
  await remake('source.mp4', 'one-key.mkv', ...x264, '-g', '100000', '-keyint_min', '100000', '-sc_threshold', '0');
  outcome = await summarizeTopic(at('topic'), { features: 'shallow', length: '60%', concept: '2s', out: at('out'), cache: at('cache') }); // prettier-ignore
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('odd streams in a topic', () => {
  it('are named and left out where no picture can be seen: encrypted, or one pixel wide or high', () => {
    const skipped = Object.fromEntries(outcome.document.skipped.map(({ path, code, message }) => [path, { code, message }])); // prettier-ignore
    expect(skipped).toEqual({
      'encrypted.mp4': { code: 'encrypted', message: expect.stringContaining('"encrypted.mp4", found encrypted') as string }, // prettier-ignore
      '1x100.mkv': { code: 'bad-size', message: expect.stringContaining('found 1×100') as string },
      '100x1.mkv': { code: 'bad-size', message: expect.stringContaining('found 100×1') as string },
      '1x1.mkv': { code: 'bad-size', message: expect.stringContaining('found 1×1') as string },
    });
  });

  it.each([
    ['nanoseconds.mp4', 300, 0.04],
    ['hourly.mkv', 12, 3600],
    ['fast.mkv', 300, 0.001],
    ['one-key.mkv', 300, 0.04],
  ])('%s gives a film of its own frames, each as long as in the file', async (path, frames, step) => {
    const video = outcome.document.videos.find((each) => each.path === path)!;
    expect(video.frames).toBe(frames);
    const wanted = video.clips.flatMap(({ startFrame, endFrame }) => Array.from({ length: endFrame - startFrame }, (_, k) => startFrame + k)); // prettier-ignore
    const film = await readBack(ffmpeg, at('out', video.film!));
    expect(film.frameNumbers).toEqual(wanted);
    for (const [k, time] of film.frameTimes.entries()) expect(time / step).toBeCloseTo(k, 1);
  });
});

describe('a fault in the work on one video', () => {
  const run = (): Run => ({ skipped: [], notes: [], emit: () => undefined }) as unknown as Run;
  const input = { id: 'a', path: '/videos/a.mp4', name: 'a.mp4' };

  it.each([
    [new TypeError("Cannot read properties of undefined (reading 'x')"), 'fault', 'TypeError: Cannot read properties'],
    [new RangeError('Invalid typed array length: -1'), 'fault', 'RangeError: Invalid typed array'],
    ['a text that was thrown', 'fault', 'a text that was thrown'],
  ])('skips that video, with a report: %s', async (thrown, code, message) => {
    const here = run();
    const work = async (): Promise<never> => {
      throw thrown;
    };
    expect(await keepGoing(here, input, work)).toBeNull();
    expect(here.skipped).toEqual([{ path: 'a.mp4', code, message: expect.stringContaining(message) as string }]);
  });

  it('ends the run if the system has nothing more to give', async () => {
    const work = async (): Promise<never> => {
      throw Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' });
    };
    await expect(keepGoing(run(), input, work)).rejects.toMatchObject({ code: 'EMFILE' });
  });
});
