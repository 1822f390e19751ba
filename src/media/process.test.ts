import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { asPipeGroup, start, workLimitMs } from './process.js';

const run = (script: string, limits: { limitMs?: number; workMs?: number; limitBytes?: number }) =>
  start(process.execPath, ['-e', script, '--', '-i', 'file:/films/one.mp4'], limits);

describe('a program that is started', () => {
  it('is ended when it takes more time than it may', async () => {
    const running = run('setInterval(() => undefined, 1000)', { limitMs: 300 });
    await expect(running.exited).rejects.toMatchObject({
      code: 'past-limit',
      message: expect.stringContaining('"/films/one.mp4" took more than 0.3 s') as string,
    });
  });

  it.skipIf(process.platform !== 'linux')('is ended when it takes more memory than it may', async () => {
    const script = 'const all = []; setInterval(() => all.push(Buffer.alloc(2 ** 24, 1)), 20)';
    const running = run(script, { limitBytes: 2 ** 28 });
    await expect(running.exited).rejects.toMatchObject({
      code: 'past-limit',
      message: expect.stringContaining('more than 0.3 GB of memory') as string,
    });
  });

  it('is ended when it works longer than a file may make it, however much it gives', async () => {
    const running = run('setInterval(() => process.stdout.write("x"), 20)', { workMs: 700 });
    running.output(1).resume();
    await expect(running.exited).rejects.toMatchObject({
      code: 'past-limit',
      message: expect.stringContaining('"/films/one.mp4" took more than 0.7 s of work') as string,
    });
  });

  it('may stop reading: what is written to it then is no error here', async () => {
    const running = start(process.execPath, ['-e', 'fs.closeSync(0); setInterval(() => undefined, 1000)'], {
      stdin: true,
    });
    const broken = new Promise((resolve) => running.input(0).once('close', resolve));
    const writing = setInterval(() => running.input(0).write('x'), 50);
    await broken;
    clearInterval(writing);
    running.kill();
    expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('does not work while what it gave waits for us', { tags: 'slow' }, async () => {
    const running = run('process.stdout.write(Buffer.alloc(1 << 24))', { workMs: 3000 });
    await new Promise((resolve) => void setTimeout(resolve, 6000));
    running.output(1).resume();
    expect(await running.exited).toEqual({ code: 0, signal: null });
  });

  it('may work an hour, or thirty times the length that a file has bytes for', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'throughline-work-'));
    const path = join(folder, 'film.mp4');
    await writeFile(path, '');
    const HOUR = 3_600_000;
    try {
      expect(workLimitMs({ path, durationHint: 1e6 })).toBe(HOUR);
      await truncate(path, 3_600_000);
      expect(workLimitMs({ path, durationHint: 60 })).toBe(HOUR);
      expect(workLimitMs({ path, durationHint: 1800 })).toBe(15 * HOUR);
      expect(workLimitMs({ path, durationHint: 1e9 })).toBe(30 * HOUR);
      expect(workLimitMs({ path })).toBe(30 * HOUR);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  const fed = (script: string) =>
    start(process.execPath, ['-e', script, '--', '-i', 'pipe:0'], { stdin: true, pipes: 1, stuckMs: 900 });
  const stuck = {
    code: 'past-limit',
    message: expect.stringContaining('Writing a film took more than 0.9 s for one step') as string,
  };
  const IDLE = 'setInterval(() => undefined, 1000)';

  it.each([
    ['on any of its pipes', [0, 3]],
    ['on one of its pipes', [0]],
    ['because nothing comes', []],
  ])('is ended when it takes nothing, %s', async (_, fds) => {
    const running = fed(IDLE);
    for (const fd of fds) running.input(fd).write(Buffer.alloc(1 << 22));
    await expect(running.exited).rejects.toMatchObject(stuck);
  });

  it('is ended although it reports its status all the time', async () => {
    const script = 'setInterval(() => console.log("frame=1"), 50)';
    const running = start(process.execPath, ['-e', script, '--', '-i', 'pipe:3'], { pipes: 1, reportsStatus: true, stuckMs: 900 }); // prettier-ignore
    running.output(1).resume();
    await expect(running.exited).rejects.toMatchObject(stuck);
  });

  it(
    'is not ended while another program of its group moves bytes, and is when that one waits too',
    { tags: 'slow' },
    async () => {
      await asPipeGroup(
        () => 0,
        async () => {
          let count = 0;
          const other = run('setInterval(() => process.stdout.write("x".repeat(1 << 16)), 100)', {});
          const chunks = (wanted: number): Promise<void> =>
            new Promise((resolve) => other.output(1).on('data', () => ++count >= wanted && resolve()));
          // The other program may take long to start on a busy machine; the encoder waits only while it moves bytes.
          await chunks(1);
          const encoder = fed(IDLE);
          await chunks(30);
          expect([encoder.child.killed, encoder.child.exitCode]).toEqual([false, null]);
          // Nobody reads it any more: its pipe fills up.
          other.output(1).pause();
          await expect(encoder.exited).rejects.toMatchObject(stuck);
          other.kill();
        },
      );
    },
  );

  it('is not told what a shell says of ffmpeg’s words', async () => {
    process.env['FFREPORT'] = 'file=report.log';
    process.env['AV_LOG_FORCE_COLOR'] = '1';
    try {
      const running = run('console.error(process.env.FFREPORT, process.env.AV_LOG_FORCE_COLOR)', {});
      await running.exited;
      expect(running.errors).toEqual(['undefined undefined']);
    } finally {
      delete process.env['FFREPORT'];
      delete process.env['AV_LOG_FORCE_COLOR'];
    }
  });
});
