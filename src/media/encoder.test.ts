import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import type * as Pour from './encoder.js';
import { locateFfmpeg } from './tools.js';

const isUnix = process.platform !== 'win32';
const FRAMES = 25;

let folder: string;
let runEncoder: typeof Pour.runEncoder;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-pour-'));
  const { path: ffmpeg } = await locateFfmpeg();
  // The program itself; what it reports of its progress arrives in two pieces, "frame=2" and "5".
  const slow = join(folder, 'ffmpeg');
  const inPieces = `while IFS= read -r line; do printf '%s' "\${line:0:7}"; sleep 0.05; printf '%s\\n' "\${line:7}"; done`;
  await writeFile(slow, `#!/bin/bash\n"${ffmpeg}" "$@" > >(${inPieces})\nstatus=$?\nwait $!\nexit $status\n`);
  await chmod(slow, 0o755);
  vi.stubEnv('FFMPEG_PATH', slow);
  vi.resetModules();
  ({ runEncoder } = await import('./encoder.js'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

it.runIf(isUnix)('counts the frames of a film whose reports arrive in pieces', { tags: 'slow' }, async () => {
  const seen: number[] = [];
  const args = ['-f', 'rawvideo', '-pix_fmt', 'gray', '-s', '16x16', '-r', '25', '-i', 'pipe:3', '-c:v', 'ffv1'];
  const feed: Pour.Feed = async (sink) => void sink.write(Buffer.alloc(FRAMES * 256));
  const film = { output: join(folder, 'film.mkv'), frames: FRAMES };
  await runEncoder(args, [feed], film, { onFrames: (frames) => seen.push(frames) });
  expect(seen.at(-1)).toBe(FRAMES);
});
