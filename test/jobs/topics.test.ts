import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { openFleet } from '../../src/jobs/bullmq/index.js';
import { enqueueTree } from '../../src/jobs/bullmq/queues.js';
import { keysOf, openRedis } from '../../src/jobs/bullmq/redis.js';
import { Topics, type Client } from '../../src/jobs/bullmq/topics.js';
import type { TaskKind, TopicState } from '../../src/jobs/index.js';
import { redisProgram, startCluster, startRedis, startSentinel, type TestRedis } from '../fixtures/redis.js';

const server = redisProgram();
const NAME = 'test';
const engineKey = 'e'.repeat(8);
const idOf = (at: number): string => at.toString(16).padStart(40, '0');

/** A topic of two videos in a state. */
async function plant(topics: Topics, at: number, state: TopicState): Promise<void> {
  const id = idOf(at);
  await topics.begin({ id, name: `topic ${at}`, engine: 'an engine', engineKey, priority: 1 }, 'submit');
  await topics.expect(id, new Map([['extract', 2], ['export', 1]])); // prettier-ignore
  await topics.move(id, 'adding', 'running');
  for (const place of [0, 1]) {
    const skipped = place === 0 ? { skipped: { code: 'x', message: `lost ${at}` } } : {};
    await topics.done({ topic: id, kind: 'extract', place }, { done: 'now', ...skipped });
  }
  if (state === 'done') await topics.done({ topic: id, kind: 'export' }, { done: 'now' });
  else if (state === 'failed') await topics.fail({ topic: id, kind: 'export' }, 'no disk');
  else await topics.set(id, { state });
}

describe.skipIf(server === null)('the topics of a fleet', { timeout: 120_000 }, () => {
  let redis: TestRedis;
  let client: Client;
  let topics: Topics;
  beforeAll(async () => {
    redis = await startRedis(server!);
    client = await openRedis(redis.url);
    topics = new Topics(client, keysOf(NAME));
  });
  beforeEach(() => client.flushall());
  afterAll(async () => {
    client?.disconnect();
    await redis?.close();
  });

  /** Commands that Redis got during some work, those of scripts included. */
  async function callsOf(work: () => Promise<unknown>): Promise<number> {
    const other = new Redis(redis.url);
    await other.config('RESETSTAT');
    await work();
    const stats = await other.info('commandstats');
    other.disconnect();
    const counts = [...stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)];
    return counts
      .filter(([, name]) => !/^(config|info)/.test(name!))
      .reduce((sum, [, , calls]) => sum + Number(calls), 0);
  }

  it('cost what is running: status, a worker’s look and an id are as cheap among 400 ended topics as among 40', async () => {
    await plant(topics, 1, 'running');
    const fleet = await openFleet(redis.url, NAME);
    // The first look also greets the server, once for each queue.
    await fleet.status();
    const costs = [];
    for (const [from, to] of [
      [100, 140],
      [140, 500],
    ] as const) {
      // prettier-ignore
      for (let at = from; at < to; at++) await plant(topics, at, at % 4 === 0 ? 'cancelled' : 'done');
      costs.push([
        await callsOf(() => fleet.status()),
        await callsOf(() => topics.ofOtherEngines('other')),
        await callsOf(() => fleet.read(idOf(1).slice(0, 39))),
        await callsOf(() => topics.dropOlderThan(3_600_000)),
      ]);
    }
    fleet.close();
    expect(costs[1]).toEqual(costs[0]);
    expect(costs[0]![0]).toBeLessThan(250);
  });

  it('are shown by state, page by page, with their number', async () => {
    for (const [at, state] of (['running', 'failed', ...Array<TopicState>(12).fill('done')] as const).entries()) {
      await plant(topics, at, state as TopicState);
    }
    const fleet = await openFleet(redis.url, NAME);
    const shown = async (...asked: Parameters<typeof fleet.status>): Promise<number[]> =>
      (await fleet.status(...asked)).topics.map(({ id }) => parseInt(id, 16));
    const { counts, topics: rows } = await fleet.status();
    expect(counts).toEqual({ adding: 0, running: 1, failed: 1, done: 12, cancelled: 0 });
    expect(rows[0]).toMatchObject({ state: 'running', leftOut: 1, skipped: { 'extract-0': 'lost 0' } });
    expect(await shown()).toEqual([0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(await shown({ states: ['done'], limit: 3 })).toEqual([11, 12, 13]);
    expect(await shown({ states: ['done', 'failed'], limit: 2, skip: 10 })).toEqual([2, 3]);
    expect(await shown({ topic: idOf(3) })).toEqual([3]);
    await expect(fleet.read('00')).rejects.toMatchObject({ code: 'unknown-topic' });
    fleet.close();
  });

  it('leave nothing in Redis once they are forgotten, by age or by name, and only when they have ended', async () => {
    for (const [at, state] of (['running', 'failed', 'done', 'cancelled'] as const).entries())
      await plant(topics, at, state);
    const keys = async (at: number): Promise<number> => (await client.keys(`*${idOf(at)}*`)).length;
    await topics.dropOlderThan(3_600_000);
    expect(await keys(2)).toBeGreaterThan(2);
    await topics.dropOlderThan(0);
    expect([(await keys(0)) > 0, (await keys(1)) > 0, await keys(2), await keys(3)]).toEqual([true, true, 0, 0]);

    const fleet = await openFleet(redis.url, NAME);
    await expect(fleet.forget(idOf(0))).rejects.toMatchObject({ code: 'topic-running' });
    await fleet.forget(idOf(1));
    await fleet.cancel(idOf(0));
    await fleet.forget(idOf(0));
    expect(await fleet.status()).toMatchObject({ topics: [], counts: { running: 0, failed: 0, cancelled: 0 } });
    fleet.close();
    expect(await client.keys('*:fleet:*')).toEqual([]);
    // A late message of a worker brings nothing back.
    await topics.done({ topic: idOf(0), kind: 'extract', place: 0 }, { done: 'now' });
    await topics.expect(idOf(0), new Map([['extract', 2]])); // prettier-ignore
    expect(await client.keys('*:fleet:*')).toEqual([]);
  });
});

describe.skipIf(server === null)('a fleet on several servers', { timeout: 120_000 }, () => {
  const tree = (topic: string) => ({
    task: { topic, kind: 'roster' } as const,
    children: [0, 1, 2].map((place) => ({ task: { topic, kind: 'extract', place } as const, children: [] })),
  });

  /** What a fleet does with Redis, from submitting to forgetting. */
  async function useFleet(url: string): Promise<void> {
    const client = await openRedis(url);
    const topics = new Topics(client, keysOf(NAME));
    const fleet = await openFleet(url, NAME);
    try {
      const id = idOf(7);
      await topics.begin({ id, name: 'x', engine: 'an engine', engineKey, priority: 1 }, 'submit');
      await topics.expect(id, await enqueueTree(tree(id), 1, { redis: client, prefix: keysOf(NAME), engineKey }));
      await topics.move(id, 'adding', 'running');
      await topics.heartbeat({ name: 'w', engine: 'an engine', engineKey, active: 0 });
      const { queues, workers } = await fleet.status();
      const ready = (of: TaskKind) => queues.find(({ kind, engineKey: key }) => kind === of && key === engineKey)!;
      expect([ready('extract').ready, ready('roster').blocked, workers.length]).toEqual([3, 1, 1]);
      await fleet.pause('extract');
      await fleet.cancel(id);
      const left = (await fleet.status()).queues.reduce(
        (sum, { ready: waiting, blocked }) => sum + waiting + blocked,
        0,
      );
      expect(left).toBe(0);
      await fleet.forget(id);
      expect((await fleet.status()).topics).toEqual([]);
    } finally {
      fleet.close();
      client.disconnect();
    }
  }

  it('keeps all its keys on one node of a cluster', async () => {
    const cluster = await startCluster(server!, 3);
    try {
      await useFleet(cluster.url);
    } finally {
      await cluster.close();
    }
  });

  it('finds its Redis through Sentinels', async () => {
    const sentinel = await startSentinel(server!);
    try {
      await useFleet(sentinel.url);
    } finally {
      await sentinel.close();
    }
  });
});
