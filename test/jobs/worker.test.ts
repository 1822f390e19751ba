import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openMetrics, startFleetWorker, type WorkerSettings } from '../../src/jobs/bullmq/index.js';
import { TASK_KINDS, type TaskKind } from '../../src/jobs/index.js';
import { freePort } from '../fixtures/free-port.js';
import { redisProgram, shareRedis } from '../fixtures/redis.js';

const server = redisProgram();
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-worker-'));
  await mkdir(join(home, 'store'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

function settings(redis: string): WorkerSettings {
  return {
    redis,
    store: join(home, 'store'),
    prefix: 'test',
    name: 'one',
    jobs: 1,
    forgetAfterMs: 3_600_000,
    concurrency: Object.fromEntries(TASK_KINDS.map((kind) => [kind, 1])) as Record<TaskKind, number>,
    rates: {},
    limits: { memoryBytes: 1e9, timeMs: 60_000 },
    lostAfterMs: 5_000,
    scratch: join(home, 'scratch'),
    log: () => undefined,
    metrics: openMetrics('1.2.3'),
  };
}

describe('a worker', () => {
  it('that was stopped before it looked for Redis does not wait for it', async () => {
    const started = startFleetWorker(settings(`redis://127.0.0.1:${await freePort()}`), AbortSignal.abort());
    await expect(started).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe.skipIf(server === null)('a worker on Redis', () => {
  let redis: Awaited<ReturnType<typeof shareRedis>>;
  beforeAll(async () => {
    redis = await shareRedis();
  });
  afterAll(() => redis.close());

  it('tells what it counted even when Redis can no longer be asked', async () => {
    const given = settings(redis.url);
    const worker = await startFleetWorker(given, new AbortController().signal);
    given.metrics.count('extract', 'done', 3);
    expect(await given.metrics.text()).toContain('throughline_queue_jobs{kind="extract",state="active"} 0');
    await worker.stop(0);
    expect(await given.metrics.text()).toContain('throughline_tasks_total{kind="extract",outcome="done"} 1');
    expect(await readdir(join(home, 'scratch'))).toEqual([]);
  });
});
