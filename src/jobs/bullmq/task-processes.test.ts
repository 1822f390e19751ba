import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

import { openTaskPool } from './task-processes.js';

it('says at once that a process could not be started, and that it is the machine', async () => {
  const pool = openTaskPool({ memoryBytes: 1e9, timeMs: 60_000 });
  const { execPath } = process;
  process.execPath = '/nonexistent/node';
  try {
    const task = { topic: 't', kind: 'roster' } as const;
    const order = { task, store: '/tmp', scratch: '/tmp', jobs: 1, failures: {}, triesLeft: 0 };
    const failure = { kind: 'machine', message: 'its process could not be started (ENOENT)' };
    await expect(pool.run(order, new AbortController().signal, () => undefined)).rejects.toMatchObject({ failure });
  } finally {
    process.execPath = execPath;
    pool.close();
  }
});

it('says the same of a machine on which no more files can be opened', { tags: 'slow' }, async () => {
  const program = `
    import { openSync } from 'node:fs';
    const { openTaskPool } = await import('${new URL('./task-processes.ts', import.meta.url).href}');
    const pool = openTaskPool({ memoryBytes: 1e9, timeMs: 60_000 });
    const order = { task: { topic: 't', kind: 'roster' }, store: '/tmp', scratch: '/tmp', jobs: 1, failures: {}, triesLeft: 0 };
    try {
      for (;;) openSync('/dev/null');
    } catch {}
    const error = await pool.run(order, new AbortController().signal, () => undefined).catch((error) => error);
    process.stdout.write(JSON.stringify(error.failure ?? String(error)), () => process.exit());`;
  const limited = 'ulimit -n 100; exec "$0" --import "$1" --input-type=module -e "$2"';
  const args = ['-c', limited, process.execPath, import.meta.resolve('tsx'), program];
  const { stdout } = await promisify(execFile)('sh', args);
  expect(JSON.parse(stdout)).toEqual({ kind: 'machine', message: 'its process could not be started (EMFILE)' });
});
