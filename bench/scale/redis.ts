import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { enqueueTree } from '../../src/jobs/bullmq/queues.js';
import { openRedis } from '../../src/jobs/bullmq/redis.js';
import type { TaskTree } from '../../src/jobs/index.js';

/** A Redis of its own, as `compose.yaml` starts it: on disk within a second, nothing dropped. */
export async function withRedis<T>(work: (url: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-redis-'));
  const port = await freePort();
  const how = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction', '--save', ''];
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...how], {
    stdio: 'ignore',
  });
  const gone = new Promise((settle) => server.once('exit', settle));
  try {
    const url = `redis://127.0.0.1:${port}`;
    for (let tries = 0; tries < 50; tries++) {
      const redis = await openRedis(url).catch(() => null);
      redis?.disconnect();
      if (redis) break;
      await sleep(100);
    }
    return await work(url);
  } finally {
    server.kill();
    await gone;
    await rm(folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

export type Queued = { readonly jobs: number; readonly bytes: number; readonly seconds: number };

/** Queues the first phase of a topic of so many videos, and asks Redis what that takes. */
export async function measureQueue(videos: number): Promise<Queued> {
  return withRedis(async (url) => {
    const redis = await openRedis(url);
    const used = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    const before = await used();
    const began = performance.now();
    const counts = await enqueueTree(firstPhase(videos), 100, {
      redis,
      prefix: 'throughline',
      engineKey: 'a'.repeat(12),
    });
    const seconds = (performance.now() - began) / 1000;
    const jobs = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const bytes = (await used()) - before;
    redis.disconnect();
    return { jobs, bytes, seconds };
  });
}

/** Every video extracted, brought together 64 at a time, then the roster; names as long as real ones. */
function firstPhase(videos: number): TaskTree {
  const topic = 'f'.repeat(40);
  const gathered = Array.from({ length: Math.ceil(videos / 64) }, (_, chunk): TaskTree => ({
    task: { topic, kind: 'gather', of: 'extract', chunk },
    children: Array.from({ length: Math.min(64, videos - chunk * 64) }, (_unused, at) => ({
      task: { topic, kind: 'extract', place: chunk * 64 + at },
      children: [],
    })),
  }));
  return { task: { topic, kind: 'roster' }, children: gathered };
}
