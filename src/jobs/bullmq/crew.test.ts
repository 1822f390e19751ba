import { expect, it } from 'vitest';

import { openCrew } from './crew.js';

it('says at once that a process could not be started, and that it is the machine', async () => {
  const crew = openCrew({ memoryBytes: 1e9, timeMs: 60_000 });
  const { execPath } = process;
  process.execPath = '/nonexistent/node';
  try {
    const task = { topic: 't', kind: 'roster' } as const;
    const order = { task, store: '/tmp', scratch: '/tmp', jobs: 1, failures: {}, triesLeft: 0 };
    const failure = { kind: 'machine', message: 'its process could not be started (ENOENT)' };
    await expect(crew.run(order, new AbortController().signal, () => undefined)).rejects.toMatchObject({ failure });
  } finally {
    process.execPath = execPath;
    crew.close();
  }
});
