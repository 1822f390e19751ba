import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { makeVideo } from '../../test/fixtures/make.js';
import { chunkReader } from './decode.js';
import { readPictures, scanPictures } from './packets.js';
import { decode, encodeCuts, encodeReel, listen, listFrames, locateFfmpeg, probe, readStill, survey, type VideoInfo } from './index.js'; // prettier-ignore
import { runEncoder } from './encoder.js';
import { start, STUCK_MS } from './process.js';
import { readSlices } from './sound.js';
import { readStretch } from './stretch.js';
import { base, request, stretches, view } from './readings.case.js';

const isUnix = process.platform !== 'win32';
let folder: string;
let whole: VideoInfo;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-stuck-'));
  const { path: ffmpeg } = await locateFfmpeg();
  const path = join(folder, 'whole.mkv');
  await makeVideo(ffmpeg, path, {
    container: 'mkv',
    widthPx: 160,
    heightPx: 90,
    frameCount: 250,
    tones: [440],
  });
  whole = await probe(path);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => void vi.useRealTimers());

/** A pipe under the name of the video: nothing comes out of it behind the first `bytes` of the video, and no end. */
function hanging(bytes = 0): { info: VideoInfo; release(): void } {
  const path = join(folder, `pipe-${count++}.mkv`);
  execFileSync('mkfifo', [path]);
  const end = openSync(path, constants.O_RDWR);
  if (bytes > 0) writeSync(end, readFileSync(whole.path).subarray(0, bytes));
  return { info: { ...whole, path }, release: () => closeSync(end) };
}

/** Real programs, and a clock for those who watch them that runs as fast as it can. */
async function longAfter<T>(work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  work.then(settle, settle);
  while (!isSettled) {
    await vi.advanceTimersByTimeAsync(1000);
    for (let i = 0; i < 20; i++) await turn();
  }
  return work;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const readers: Record<string, (info: VideoInfo) => Promise<unknown>> = {
  pictures: (info) => all(decode(info, [view]).frames),
  'key pictures': (info) => all(decode(info, [view], { keysOnly: true }).frames),
  'the list of frames': (info) => listFrames(info),
  'the count of packets': (info) => survey(info),
  'sound to look at': (info) => all(listen({ path: info.path, track: 0, from: 0, base }, 16_000).samples),
  'sound for a film': (info) => all(readSlices({ path: info.path, track: 0, maySeek: false }, [{ from: 0, length: 48_000 * 9 }])),
  'sound behind a jump': (info) => all(readSlices({ path: info.path, track: 0, maySeek: true }, [{ from: 400_000, length: 50_000 }])),
  'a stretch': async (info) => (await readStretch({ ...request, info, maySeek: false })).next(),
  'a stretch behind a jump': async (info) => (await readStretch({ ...request, info, maySeek: true })).next(),
  'a still': (info) => readStill({ ...request, info }, stretches[0]!),
  'pictures to copy, listed': (info) => scanPictures({ path: info.path, timeBase: base }, { from: 0, to: 1e9 }, undefined),
  'pictures to copy': (info) => all(readPictures({ path: info.path, timeBase: base }, 0, 250, undefined)),
}; // prettier-ignore

describe.runIf(isUnix)('a decoder that does not go on is ended, and the file named, for', () => {
  describe.each([
    ['opens nothing', 0],
    ['stops in the middle', 20_000],
  ])('a file that %s', (_, bytes) => {
    it.each(Object.entries(readers))('%s', { tags: 'slow' }, async (_name, read) => {
      const { info, release } = hanging(bytes);
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
      try {
        await expect(longAfter(read(info))).rejects.toMatchObject({
          code: 'past-limit',
          message: expect.stringContaining(`"${info.path}" took more than 120 s for one step`) as string,
        });
      } finally {
        release();
      }
    });
  });
});

/** The pid of a child of this process that has `word` among its arguments, and that `isWanted`. */
async function childWith(word: string, isWanted: (args: string) => boolean): Promise<number> {
  for (;;) {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];
        const args = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
        if (parent === String(process.pid) && args.includes(word) && isWanted(args)) return Number(pid);
      } catch {
        // It ended meanwhile.
      }
    }
    await turn();
  }
}

describe.runIf(process.platform === 'linux')('a film that does not go on is given up, whoever waits for whom:', () => {
  const isEncoder = (args: string): boolean => args.includes('-progress');
  const isPictureDecoder = (args: string): boolean => !isEncoder(args) && args.includes('rawvideo');
  const stretch = { start: 0, end: 10_000 };
  const cut = { timeBase: base, isDamaged: false, frameCount: 250, soundTrack: 0 };
  const films: Record<string, (info: VideoInfo, output: string) => Promise<void>> = {
    'of one video': (info, output) => encodeCuts({ ...cut, info, stretches: [stretch], format: 'mp4', output }),
    'of a topic': (info, output) =>
      encodeReel({
        ...{ parts: [{ ...cut, info, stretch }], frame: { widthPx: 160, heightPx: 90, rate: { num: 25, den: 1 } } },
        ...{ fit: 'letterbox', fadeFrames: 0, evenLoudness: true, format: 'mp4', output },
      }),
  };

  it.each(
    Object.keys(films).flatMap((film) => [
      [film, 'its encoder stopped'] as const,
      [film, 'a decoder stopped'] as const,
    ]),
  )('%s, %s', { tags: 'slow' }, async (film, who) => {
    const output = join(folder, `stopped-${count++}.mp4`);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const work = films[film]!(whole, output);
    work.catch(() => undefined);
    // While the encoder takes nothing, the decoder of the pictures cannot come to its end.
    const encoder = await childWith(output, isEncoder);
    process.kill(encoder, 'SIGSTOP');
    if (who === 'a decoder stopped') {
      process.kill(await childWith(whole.path, isPictureDecoder), 'SIGSTOP');
      process.kill(encoder, 'SIGCONT');
    }
    await expect(longAfter(work)).rejects.toMatchObject({ code: 'past-limit', message: expect.stringContaining('more than 120 s for one step') as string }); // prettier-ignore
  });

  it('a decoder whose pipe is full, and a writer that waits for it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const output = join(folder, 'full.mkv');
    const args = ['-f', 'rawvideo', '-pix_fmt', 'gray', '-s', '16x16', '-i', 'pipe:3', '-c:v', 'ffv1'];
    const flood = ['-e', 'process.stdout.write(Buffer.alloc(1 << 25))'];
    const feed = async (_sink: unknown, signal: AbortSignal): Promise<void> => {
      const decoder = start(process.execPath, flood, { signal });
      await chunkReader([decoder.output(1)]).take(0, 1000);
      await decoder.exited;
    };
    await expect(longAfter(runEncoder(args, [feed], { output, frames: null }, {}))).rejects.toMatchObject({
      code: 'past-limit',
    });
  });
});

describe.runIf(isUnix)('a decoding that works too long', () => {
  it('is ended, and the file named', async () => {
    const { info, release } = hanging(20_000);
    try {
      await expect(all(decode(info, [view], { workMs: 800 }).frames)).rejects.toMatchObject({
        code: 'past-limit',
        message: expect.stringContaining(`"${info.path}" took more than 0.8 s of work`) as string,
      });
    } finally {
      release();
    }
  });
});

describe('only the wait for a program counts', () => {
  const BYTES = 1 << 25;
  const flood = ['-e', `process.stdout.write(Buffer.alloc(${BYTES}))`];

  it.each([
    ['nothing was taken yet', 0],
    ['the reader has what it may hold', 1000],
  ])('%s', async (_, first) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const running = start(process.execPath, flood);
    const output = running.output(1);
    const reader = first > 0 ? chunkReader([output]) : null;
    await reader?.take(0, first);
    while (output.readableLength === 0) await turn();
    await vi.advanceTimersByTimeAsync(2 * STUCK_MS);
    const rest = reader ?? chunkReader([output]);
    expect((await rest.take(0, BYTES - first))?.length).toBe(BYTES - first);
    expect(await running.exited).toEqual({ code: 0, signal: null });
  });

  it('not the time in which this process slept', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const running = start(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10 * STUCK_MS);
    await vi.advanceTimersByTimeAsync(1000);
    expect(running.child.exitCode).toBeNull();
    expect(running.child.killed).toBe(false);
    running.kill();
    expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
    vi.restoreAllMocks();
  });
});
