import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { taskId, type Phase, type Task, type TaskTree } from '../../src/jobs/index.js';
import { openQueue, enqueueTree, queueName, type JobData } from '../../src/jobs/bullmq/queues.js';
import { Topics } from '../../src/jobs/bullmq/topics.js';
import { failStranded } from '../../src/jobs/bullmq/worker.js';
import { redisProgram, shareRedis } from '../fixtures/redis.js';
import { until } from './fleet.case.js';

const server = redisProgram();
const [prefix, engineKey, topic] = ['test', 'e1', 'topic'];
let redisServer: Awaited<ReturnType<typeof shareRedis>>;
let redis: Redis;
let workers: Worker[] = [];

beforeAll(async () => {
  if (server !== null) redisServer = await shareRedis();
});
afterAll(() => redisServer?.close());
beforeEach(async () => {
  if (server === null) return;
  redis = new Redis(redisServer.url, { maxRetriesPerRequest: null });
  await redis.flushdb();
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
  redis?.disconnect();
});

/** A roster over so many chunks of 64 videos each. */
function rosterOver(chunks: number): TaskTree {
  const gather = (chunk: number): TaskTree => ({
    task: { topic, kind: 'gather', of: 'extract', chunk },
    children: Array.from({ length: 64 }, (_, i) => ({ task: { topic, kind: 'extract', place: chunk * 64 + i }, children: [] })), // prettier-ignore
  });
  return { task: { topic, kind: 'roster' }, children: Array.from({ length: chunks }, (_, chunk) => gather(chunk)) };
}

/** Does all tasks as they come, and says in which order. */
function doTasks(): string[] {
  const order: string[] = [];
  for (const kind of ['extract', 'gather', 'roster', 'export', 'concept'] as const) {
    const process = async ({ data }: { data: JobData }): Promise<void> => void order.push(nameOf(data.task));
    workers.push(new Worker(queueName(kind, engineKey), process, { connection: redis, prefix, concurrency: 8 }));
  }
  return order;
}

function nameOf(task: Task): string {
  return taskId(task).slice(topic.length + 1);
}

const ground = () => ({ redis, prefix, engineKey });

describe.skipIf(server === null)('queueing a tree', () => {
  it('does what stands below first, everything once, and leaves nothing behind', async () => {
    const order = doTasks();
    expect(await enqueueTree(rosterOver(5), 1, ground())).toEqual(new Map([['roster', 1], ['gather-extract', 5], ['extract', 320]])); // prettier-ignore
    await until(() => order.includes('roster'));
    expect(order).toHaveLength(326);
    expect(new Set(order).size).toBe(326);
    expect(order.at(-1)).toBe('roster');
    for (let chunk = 0; chunk < 5; chunk++) {
      const below = order.slice(0, order.indexOf(`gather-extract-${chunk}`)).filter((name) => name.startsWith('extract') && Math.floor(Number(name.slice(8)) / 64) === chunk); // prettier-ignore
      expect(below).toHaveLength(64);
    }
    await until(async () => (await redis.keys(`${prefix}:*:${topic}-*`)).length === 0);
  });

  it('keeps the gate shut for what was interrupted, however fast the rest is done; the next one goes on', async () => {
    const order = doTasks();
    const fragile = new Redis(redisServer.url, { maxRetriesPerRequest: 0, retryStrategy: null });
    fragile.on('error', () => undefined);
    let steps = 0;
    const exec = fragile.exists.bind(fragile);
    // The connection breaks for good when the second step is about to be added.
    fragile.exists = ((...keys: Parameters<typeof exec>) => {
      if (++steps === 6) fragile.disconnect();
      return exec(...keys);
    }) as typeof fragile.exists;
    await expect(enqueueTree(rosterOver(8), 1, { redis: fragile, prefix, engineKey })).rejects.toThrow();
    await until(() => order.filter((name) => name.startsWith('gather')).length >= 3);
    const roster = new Queue(queueName('roster', engineKey), { connection: redis, prefix });
    expect(await (await roster.getJob(`${topic}-roster`))?.getState()).toBe('waiting-children');
    expect(order).not.toContain('roster');

    await enqueueTree(rosterOver(8), 1, ground());
    await until(() => order.includes('roster'));
    expect(new Set(order).size).toBe(8 * 65 + 1);
    expect(order.filter((name) => name === 'roster')).toHaveLength(1);
    await roster.close();
  });

  it('is not confused by two who do it at once, nor by a chain with much below its end', async () => {
    const order = doTasks();
    const summaries = rosterOver(6).children;
    const tree: TaskTree = { task: { topic, kind: 'export' }, children: [{ task: { topic, kind: 'concept' }, children: summaries }] }; // prettier-ignore
    await Promise.all([enqueueTree(tree, 1, ground()), enqueueTree(tree, 1, ground())]);
    await until(() => order.includes('export'));
    expect(new Set(order).size).toBe(6 * 65 + 2);
    expect(order.slice(-2)).toEqual(['concept', 'export']);
  });
});

describe.skipIf(server === null)('what is known of a topic', () => {
  it('begins anew from the phase it is taken up at, unless it is still being added', async () => {
    const topics = new Topics(redis, prefix);
    const begin = (phase: Phase) => topics.begin({ id: topic, name: 'x', engine: 'e', engineKey, priority: 1 }, phase);
    const counts = async () => Object.fromEntries((await topics.read(topic))!.progress.map(({ kind, done }) => [kind, done])); // prettier-ignore
    const skipped = async () => Object.keys((await topics.read(topic))!.skipped);
    await begin('submit');
    await topics.expect(topic, new Map([['extract', 2], ['summarise', 2]])); // prettier-ignore
    const lost = { done: 'now', skipped: { code: 'x', message: 'lost' } } as const;
    for (const kind of ['extract', 'summarise'] as const) await topics.done({ topic, kind, place: 1 }, lost);
    await begin('submit');
    expect(await counts()).toEqual({ extract: 1, summarise: 1 });
    await topics.set(topic, { state: 'failed' });
    await begin('moment');
    expect([await counts(), await skipped()]).toEqual([{ extract: 1 }, ['extract-1']]);
    await topics.set(topic, { state: 'done' });
    await begin('submit');
    expect([await counts(), await skipped()]).toEqual([{}, []]);
  });

  it('is looked at through one queue of a name, however often', () => {
    expect(openQueue('extract', ground())).toBe(openQueue('extract', ground()));
    expect(openQueue('extract', ground())).not.toBe(openQueue('extract', { ...ground(), engineKey: 'other' }));
  });
});

describe.skipIf(server === null)('a topic whose task was given up', () => {
  const gather: Task = { topic, kind: 'gather', of: 'extract', chunk: 0 };

  it('fails, even where the worker that gave it up could not say so', async () => {
    const topics = new Topics(redis, prefix);
    await topics.begin({ id: topic, name: 'x', engine: 'e', engineKey, priority: 1 }, 'submit');
    await topics.move(topic, 'adding', 'running');
    const queue = openQueue('gather', ground());
    const refuse = async (): Promise<void> => {
      throw new UnrecoverableError('no more');
    };
    const refusing = new Worker(queueName('gather', engineKey), refuse, { connection: redis, prefix });
    workers.push(refusing);
    await queue.add('gather', { task: gather }, { jobId: taskId(gather) });
    await until(async () => (await queue.getFailedCount()) === 1);
    expect(await topics.state(topic)).toBe('running');
    await failStranded([queue], topics);
    expect(await topics.read(topic)).toMatchObject({ state: 'failed', reason: 'gather: no more' });

    // Whoever tries it again takes the job away first: a late look must not see it fail once more.
    await queue.remove(taskId(gather));
    await topics.begin({ id: topic, name: 'x', engine: 'e', engineKey, priority: 1 }, 'submit');
    await topics.fail(gather, 'no more', queue.toKey(taskId(gather)));
    expect(await topics.read(topic)).toMatchObject({ state: 'adding', reason: null });
  });

  it('is not said to have failed once it was cancelled or is done', async () => {
    const topics = new Topics(redis, prefix);
    await topics.begin({ id: topic, name: 'x', engine: 'e', engineKey, priority: 1 }, 'submit');
    for (const state of ['cancelled', 'done'] as const) {
      await topics.set(topic, { state });
      await topics.fail(gather, 'late');
      expect(await topics.state(topic)).toBe(state);
    }
  });
});
