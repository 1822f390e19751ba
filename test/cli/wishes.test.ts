import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { runCli } from '../../src/cli/program.js';

let home: string;

/** Runs a command line in this process; a topic of two files that are no videos, so that work would end with code 1. */
async function throughline(...args: string[]): Promise<{ code: number; stderr: string }> {
  let stderr = '';
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      if (name === 'stderr') stderr += String(chunk);
      return true;
    }),
  );
  const before = process.cwd();
  process.chdir(home);
  try {
    return { code: await runCli(['summarize', 'topic', '--cache', 'cache', ...args]), stderr };
  } finally {
    process.chdir(before);
    for (const spy of spies) spy.mockRestore();
  }
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-cli-wishes-'));
  await mkdir(join(home, 'topic'));
  for (const name of ['aiko.mp4', 'bruno.mp4']) await writeFile(join(home, 'topic', name), 'no video');
  await writeFile(join(home, 'pins.json'), JSON.stringify({ pin: ['zoe.mp4#1'] }));
  await writeFile(join(home, 'one.json'), JSON.stringify({ veto: 'aiko.mp4#1' }));
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('wishes on the command line', () => {
  it.each([
    ['spelled wrongly', ['--pin', 'aiko.mp4'], 'throughline: --pin: expected FILE@FROM-TO'],
    ['at no time', ['--veto', 'aiko.mp4@0:03-0:90'], 'found "aiko.mp4@0:03-0:90", in which "0:90" is not a time.'],
    ['that end before they begin', ['--veto', 'aiko.mp4@5-4'], 'found "aiko.mp4@5-4", whose end is not after its start.'],
    ['of an unknown video', ['--pin', 'zoe.mp4#2'], 'Expected a video of the topic in --pin "zoe.mp4#2", found none of that name. The topic has aiko.mp4, bruno.mp4.'],
    ['the first of several', ['--pin', 'c@1-2', '--pin', 'aiko.mp4#1'], '--pin "c@1-2"'],
    ['the last of several', ['--pin', 'aiko.mp4#1', '--pin', 'bruno#2', '--pin', 'c@1-2'], '--pin "c@1-2"'],
    ['that contradict each other', ['--pin', 'aiko.mp4#1', '--veto', 'bruno.mp4#1', '--veto', 'aiko#1'], 'Expected wishes that do not contradict each other, found --pin "aiko.mp4#1" and --veto "aiko#1" for the same pictures. Remove one of them.'],
    ['from a file', ['--config', 'pins.json'], '--pin "zoe.mp4#1", found none'],
    ['from a file, not as a list', ['--config', 'one.json'], 'Expected "veto" in "one.json" to be a list, found'],
    ['of lengths that cannot be', ['--min-clip', '3', '--max-clip', '2'], '--min-clip: expected at most --max-clip, so that a clip can fit both, found 3.'],
    ['of no length', ['--max-clip', '0'], '--max-clip'],
    ['of half a frame', ['--handles', '1.5'], '--handles'],
    ['of an unknown order', ['--order', 'backwards'], '--order'],
    ['beyond the scale', ['--shared', '1.5'], '--shared'],
  ])('%s: one sentence, code 2', async (_name, args, sentence) => {
    const { code, stderr } = await throughline(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(stderr).not.toContain('skipped');
  }); // prettier-ignore

  it('typed ones replace those of the file, and several go together', async () => {
    const { code, stderr } = await throughline(
      '--config',
      'pins.json',
      '--pin',
      'aiko.mp4#1',
      '--pin',
      'bruno.mp4@0-1',
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('skipped')]);
  });
});
