import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openMetrics } from '../../src/jobs/bullmq/metrics.js';
import { TaskFailure } from '../../src/jobs/bullmq/task-processes.js';
import { openQueue, enqueueTree, queueName, type JobData, openBackoffs } from '../../src/jobs/bullmq/queues.js';
import { makeProcessor } from '../../src/jobs/bullmq/processor.js';
import { Topics } from '../../src/jobs/bullmq/topics.js';
import { openObjects, type TaskResult } from '../../src/jobs/index.js';
import { redisProgram, shareRedis } from '../fixtures/redis.js';
import { until } from './fleet.case.js';

const server = redisProgram();
const [prefix, engineKey, topic] = ['test', 'e1', 'topic'];
let redisServer: Awaited<ReturnType<typeof shareRedis>>;
let redis: Redis;

beforeAll(async () => {
  if (server === null) return;
  redisServer = await shareRedis();
  redis = new Redis(redisServer.url, { maxRetriesPerRequest: null });
});
afterAll(async () => {
  redis?.disconnect();
  await redisServer?.close();
});

describe.skipIf(server === null)('a task that failed', () => {
  it('waits its time, though a worker whose clock is ahead ends every wait at once', async () => {
    const ground = { redis, prefix, engineKey };
    const begins: number[] = [];
    const run = async (): Promise<TaskResult> => {
      if (begins.push(performance.now()) < 4) throw new TaskFailure({ kind: 'passing', message: 'the store is away' });
      return { done: 'now' };
    };
    const { process } = makeProcessor({
      topics: new Topics(redis, prefix),
      pool: { run, memory: async () => 0, close: () => undefined },
      backoffs: openBackoffs({ pause: () => undefined, resume: () => undefined }),
      ...{ ground, jobs: 1, store: '', log: () => undefined, metrics: openMetrics('1') },
      context: { objects: await openObjects(tmpdir()), scratch: tmpdir(), jobs: 1, emit: () => undefined },
    });
    await enqueueTree({ task: { topic, kind: 'export' }, children: [] }, 1, ground);
    const worker = new Worker<JobData>(queueName('export', engineKey), process, { connection: redis, prefix });
    const queue = openQueue('export', ground);
    let ended = 0;
    await until(async () => {
      const waiting = await queue.getDelayed();
      ended += (await Promise.all(waiting.map((job) => job.promote().then(() => 1, () => 0)))).reduce((a, b) => a + b, 0 as number); // prettier-ignore
      return begins.length === 4;
    });
    await worker.close();
    await queue.close();
    const gaps = begins.slice(1).map((at, k) => at - begins[k]!);
    // Half of what the wait doubles to each time; the other half is drawn.
    gaps.forEach((gap, k) => expect(gap, `wait ${k + 1}`).toBeGreaterThan(500 * 2 ** k - 20));
    expect(ended).toBeGreaterThan(6);
  });
});
