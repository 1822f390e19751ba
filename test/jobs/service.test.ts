import { createHash } from 'node:crypto';
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic } from '../../src/index.js';
import { openFleet, openMetrics, startFleetWorker, type Fleet } from '../../src/jobs/bullmq/index.js';
import { TASK_KINDS, type TaskKind } from '../../src/jobs/index.js';
import { drawToken, fleetEngine, startService } from '../../src/service/index.js';
import { redisProgram, shareRedis } from '../fixtures/redis.js';
import { contentsOf, makeTinyTopic } from './topic.js';

const program = redisProgram();

type Topic = { readonly id: string; readonly state: string; readonly reason: { code: string } | null };

describe.skipIf(program === null)('a service on a fleet', () => {
  let home: string;
  let redis: Awaited<ReturnType<typeof shareRedis>>;
  let fleet: Fleet;
  let service: Awaited<ReturnType<typeof startService>>;
  const [anna, bert, operator] = [drawToken(), drawToken(), drawToken()];

  beforeAll(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'throughline-service-fleet-')));
    await makeTinyTopic(join(home, 'anna', 'paris'), 3);
    await cp(join(home, 'anna', 'paris'), join(home, 'bert', 'paris'), { recursive: true });
    redis = await shareRedis();
    fleet = await openFleet(redis.url, 'service');
    await start();
  });
  afterEach(async () => {
    for (const token of [anna.token, bert.token]) {
      const { topics } = await ask<{ topics: Topic[] }>(token, 'GET', '/api/topics');
      for (const { id } of topics) await ask(token, 'POST', `/api/topics/${id}/cancel`);
    }
  });
  afterAll(async () => {
    await service?.close();
    fleet?.close();
    await redis?.close();
    await rm(home, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    const tenant = (name: string, hash: string) => ({
      ...{ tokens: [hash], roots: { films: join(home, name) }, running: 2, videos: 100, topics: 100 },
      ...{ webhooks: [], webhooksToPrivate: false },
    });
    service = await startService({
      config: { tenants: { anna: tenant('anna', anna.hash), bert: tenant('bert', bert.hash) }, operators: [operator.hash] }, // prettier-ignore
      folder: join(home, 'state'),
      engine: await fleetEngine({ redis: redis.url, store: join(home, 'store'), prefix: 'service', scratch: join(home, 'scratch') }), // prettier-ignore
    });
  }

  async function ask<T>(token: string, method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${service.address}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }); // prettier-ignore
    expect([path, answer.status]).toEqual([path, 200]);
    return (await answer.json()) as T;
  }
  const submit = (token: string, options: object): Promise<Topic> =>
    ask(token, 'POST', '/api/topics', { folder: 'films/paris', options });
  const counts = async () => (await fleet.status({ states: [] })).counts;
  const metrics = async (): Promise<string> =>
    (await fetch(`${service.address}/metrics`, { headers: { authorization: `Bearer ${operator.token}` } })).text();

  it('stops what a tenant cancels, and shows the queues while no worker is there', async () => {
    const { id } = await submit(anna.token, { length: '30%' });
    await expect.poll(async () => (await counts()).running).toBe(1);
    expect(await metrics()).toContain('throughline_queue_jobs{kind="extract",state="ready"} 3');
    expect((await fetch(`${service.address}/ready`)).status).toBe(200);
    await ask(anna.token, 'POST', `/api/topics/${id}/cancel`);
    await expect.poll(async () => (await counts()).running).toBe(0);
    await expect.poll(metrics).toContain('throughline_queue_jobs{kind="extract",state="ready"} 0');
  });

  it('leaves running what another tenant needs, goes on after a restart, and gives out what summarize makes', async () => {
    const options = { length: '40%' };
    const mine = await submit(anna.token, options);
    await expect.poll(async () => (await counts()).running).toBe(1);
    const theirs = await submit(bert.token, options);
    await expect.poll(async () => (await ask<Topic>(bert.token, 'GET', `/api/topics/${theirs.id}`)).state).toBe('running'); // prettier-ignore
    await service.close();
    await start();
    await expect.poll(async () => (await ask<Topic>(bert.token, 'GET', `/api/topics/${theirs.id}`)).state).toBe('running'); // prettier-ignore
    await ask(anna.token, 'POST', `/api/topics/${mine.id}/cancel`);
    await ask(anna.token, 'DELETE', `/api/topics/${mine.id}`);
    expect((await counts()).running).toBe(1);

    const worker = await startFleetWorker(
      {
        ...{ redis: redis.url, store: join(home, 'store'), prefix: 'service', name: 'one', jobs: 2 },
        ...{ forgetAfterMs: 3_600_000, rates: {}, limits: { memoryBytes: 1e9, timeMs: 600_000 }, lostAfterMs: 5_000 },
        concurrency: Object.fromEntries(TASK_KINDS.map((kind) => [kind, 2])) as Record<TaskKind, number>,
        ...{ scratch: join(home, 'scratch'), log: () => undefined, metrics: openMetrics('1.2.3') },
      },
      new AbortController().signal,
    );
    await expect.poll(async () => (await ask<Topic>(bert.token, 'GET', `/api/topics/${theirs.id}`)).state).not.toBe('running'); // prettier-ignore
    expect(await ask<Topic>(bert.token, 'GET', `/api/topics/${theirs.id}`)).toMatchObject({ state: 'done', reason: null }); // prettier-ignore
    await worker.stop(0);
    type Results = { files: { name: string; address: string }[] };
    const { files } = await ask<Results>(bert.token, 'POST', `/api/topics/${theirs.id}/results`, {});
    const given: Record<string, string> = {};
    for (const { name, address } of files) {
      const bytes = Buffer.from(await (await fetch(address)).arrayBuffer());
      given[name] = createHash('sha256').update(bytes).digest('hex');
    }
    const out = join(home, 'out');
    await summarizeTopic(join(home, 'bert', 'paris'), { ...options, out, cache: join(home, 'cache') });
    expect(given).toEqual(await contentsOf(out));
  });
});
