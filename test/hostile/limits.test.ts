import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { locateFfmpeg } from '../../src/media/index.js';
import { buildProgram, type Program } from '../fixtures/program.js';
import { makeVideo } from '../fixtures/video.js';

let home: string;
let program: Program;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-limits-'));
  await mkdir(join(home, 'topic'));
  const { path: ffmpeg } = await locateFfmpeg();
  await makeVideo(ffmpeg, join(home, 'topic', 'one.mp4'), { frameCount: 50, cuts: [25], tones: [] });
  program = await buildProgram();
});
afterAll(async () => {
  await program.close();
  await rm(home, { recursive: true, force: true });
});

/** Runs the program as a shell does that was told something first; gives its exit code and what it said on stderr. */
async function under(shell: string, ...args: string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn('sh', ['-c', `${shell} exec "$@"`, 'sh', process.execPath, program.entry, ...args], {
    ...{ cwd: home, stdio: ['ignore', 'ignore', 'pipe'] },
    env: { ...process.env, NO_COLOR: '1' },
  });
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

const summarize = ['summarize', 'topic', '--out', 'out', '--cache', 'cache', '--features', 'shallow'];

describe.runIf(process.platform === 'linux')('a process that may use little ends with one sentence:', () => {
  it.each([
    ['few files', 'ulimit -n 64;', [...summarize, '--quiet'], 'found a limit of 64. Raise it (ulimit -n), and run again.'],
    ['little memory', 'ulimit -v 1500000;', [...summarize, '--quiet'], 'found a limit of 1.4 GB. Raise it (ulimit -v), and run again.'],
    ['a full disk for its answer', 'exec >/dev/full;', ['doctor'], 'Could not write to standard output: its disk is full.'],
    ['a full disk for its help', 'exec >/dev/full;', ['--help'], 'Could not write to standard output: its disk is full.'],
    ['a full disk for its events', 'exec >/dev/full;', [...summarize, '--json'], 'Could not write to standard output: its disk is full.'],
  ])('%s', async (_, shell, args, sentence) => {
    const { code, said } = await under(shell, ...args);
    expect(code).toBe(1);
    expect(said).toContain(sentence);
    expect(said).toMatch(/^throughline: [^\n]*\n$/);
  }); // prettier-ignore

  it('does all of its work where that suffices', async () => {
    expect(await under('ulimit -n 256; ulimit -v 4000000;', ...summarize, '--quiet')).toEqual({ code: 0, said: '' });
  });
});
