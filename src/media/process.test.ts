import { describe, expect, it } from 'vitest';

import { start } from './process.js';

const run = (script: string, limits: { limitMs?: number; limitBytes?: number }) =>
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
