import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { makeVideo } from '../../test/fixtures/make.js';
import type * as Packets from './packets.js';
import type * as Media from './index.js';
import type * as Pour from './encoder.js';
import type * as Sound from './sound.js';
import type * as Stretches from './stretch.js';
import { locateFfmpeg } from './tools.js';
import { base, request, stretches, view } from './readings.case.js';

const isUnix = process.platform !== 'win32';

let folder: string;
let whole: Media.VideoInfo;
let media: typeof Media & typeof Pour & typeof Packets & typeof Sound & typeof Stretches;

beforeAll(async () => {
  if (!isUnix) return;
  folder = await mkdtemp(join(tmpdir(), 'throughline-killed-'));
  const { path: ffmpeg } = await locateFfmpeg();
  const path = join(folder, 'whole.mkv');
  await makeVideo(ffmpeg, path, { container: 'mkv', widthPx: 160, heightPx: 90, frameCount: 250, tones: [440] });
  // What reads a pipe is ended from outside, as a system without memory ends it; all else is the program itself.
  const deadly = join(folder, 'ffmpeg');
  const kill = (signal: string): string => `(sleep 0.7; kill -${signal} $$) >/dev/null 2>&1 3>&- 4>&- &`;
  await writeFile(
    deadly,
    `#!/bin/sh\ncase "$*" in *killed*) ${kill('KILL')};; *asked*) ${kill('TERM')};; esac\nexec "${ffmpeg}" "$@"\n`,
  );
  await chmod(deadly, 0o755);
  vi.stubEnv('FFMPEG_PATH', deadly);
  vi.resetModules();
  media = {
    ...(await import('./index.js')),
    ...(await import('./encoder.js')),
    ...(await import('./packets.js')),
    ...(await import('./sound.js')),
    ...(await import('./stretch.js')),
  };
  whole = await media.probe(path);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  if (isUnix) await rm(folder, { recursive: true, force: true });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const readers: Record<string, (info: Media.VideoInfo) => Promise<unknown>> = {
  pictures: (info) => all(media.decode(info, [view]).frames),
  'key pictures': (info) => all(media.decode(info, [view], { keysOnly: true }).frames),
  'the list of frames': (info) => media.listFrames(info),
  'sound to look at': (info) => all(media.listen({ path: info.path, track: 0, from: 0, base }, 16_000).samples),
  'sound for a film': (info) => all(media.readSlices({ path: info.path, track: 0, maySeek: false }, [{ from: 0, length: 48_000 * 9 }])),
  'sound behind a jump': (info) => all(media.readSlices({ path: info.path, track: 0, maySeek: true }, [{ from: 400_000, length: 50_000 }])),
  'a stretch': async (info) => (await media.readStretch({ ...request, info, maySeek: false })).next(),
  'a stretch behind a jump': async (info) => (await media.readStretch({ ...request, info, maySeek: true })).next(),
  'a still': (info) => media.readStill({ ...request, info }, stretches[0]!),
  'pictures to copy, listed': (info) => media.scanPictures({ path: info.path, timeBase: base }, { from: 0, to: 1e9 }, undefined),
  'pictures to copy': (info) => all(media.readPictures({ path: info.path, timeBase: base }, 0, 250, undefined)),
}; // prettier-ignore

describe.runIf(isUnix)('a decoder that somebody else ended gave no whole answer:', () => {
  it.each(Object.entries(readers).flatMap(([name, read]) => [[name, 'killed', read] as const, [name, 'asked', read] as const]))(
    '%s, %s to end',
    { tags: 'slow' }, async (name, how, read) => {
      // A pipe under a video's name: behind its first bytes the decoder waits for more until it is ended.
      const path = join(folder, `${how}-${name.replaceAll(/\W/g, '-')}.mkv`);
      execFileSync('mkfifo', [path]);
      const end = openSync(path, constants.O_RDWR);
      writeSync(end, readFileSync(whole.path).subarray(0, 20_000));
      try {
        await expect(read({ ...whole, path })).rejects.toMatchObject({
          code: 'decoder-died',
          message: expect.stringContaining(`"${path}"`) as string,
        });
      } finally {
        closeSync(end);
      }
    },
  ); // prettier-ignore
});

it.runIf(isUnix)('an encoder that somebody else ended: the error names the signal', async () => {
  const output = join(folder, 'killed.mkv');
  const args = ['-f', 'rawvideo', '-pix_fmt', 'gray', '-s', '16x16', '-i', 'pipe:3', '-c:v', 'ffv1'];
  // Pictures come for as long as the encoder takes them.
  const feed = async (sink: Writable, stop: AbortSignal): Promise<void> => {
    while (!stop.aborted && !sink.destroyed) {
      await media.writeTo(sink, Buffer.alloc(256));
      await new Promise((resolve) => void setImmediate(resolve));
    }
  };
  await expect(media.runEncoder(args, [feed], { output, frames: null }, {})).rejects.toMatchObject({
    code: 'encoder-died',
    message: expect.stringContaining('(SIGKILL)') as string,
  });
});
