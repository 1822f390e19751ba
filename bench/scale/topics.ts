import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { openFleet } from '../../src/jobs/bullmq/index.js';
import { keysOf, openRedis } from '../../src/jobs/bullmq/redis.js';
import { Topics, type Client } from '../../src/jobs/bullmq/topics.js';
import { withRedis } from './redis.js';

type Idle = {
  readonly topics: number;
  /** Commands a second that one idle worker sends to Redis, those of its scripts included. */
  readonly workerCalls: number;
  /** Share of a core that the idle worker uses. */
  readonly workerCpu: number;
  /** Commands, bytes and milliseconds for one `jobs status`. */
  readonly statusCalls: number;
  readonly statusBytes: number;
  readonly statusMs: number;
  /** Bytes of Redis that a finished topic takes. */
  readonly topicBytes: number;
};

const WATCHED_S = 20;

/** What an idle worker and `jobs status` cost in a fleet with so many finished topics. Linux. */
export async function measureIdle(count: number): Promise<Idle> {
  return withRedis(async (url) => {
    const redis = await openRedis(url);
    const before = await figure(redis, 'memory', 'used_memory');
    const topics = new Topics(redis, keysOf('throughline'));
    for (let first = 0; first < count; first += 200) {
      const some = Array.from({ length: Math.min(200, count - first) }, (_, at) => finish(topics, first + at));
      await Promise.all(some);
    }
    const topicBytes = ((await figure(redis, 'memory', 'used_memory')) - before) / count;

    const home = await mkdtemp(join(tmpdir(), 'throughline-scale-'));
    const main = resolve(import.meta.dirname, '../../src/cli/main.ts');
    const env = { ...process.env, THROUGHLINE_REDIS: url, THROUGHLINE_STORE: home };
    const args = ['--import', 'tsx', main, 'worker', '--scratch', join(home, 'scratch')];
    const worker = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      await new Promise<void>((ready, fail) => {
        worker.stderr.on('data', (text: Buffer) => text.includes('"event":"worker-started"') && ready());
        worker.once('exit', (code) => fail(new Error(`the worker ended with ${code}`)));
      });
      await sleep(5_000);
      await redis.config('RESETSTAT');
      const began = await cpuSeconds(worker.pid!);
      await sleep(WATCHED_S * 1000);
      const workerCalls = (await calls(redis)) / WATCHED_S;
      const workerCpu = ((await cpuSeconds(worker.pid!)) - began) / WATCHED_S;
      const gone = new Promise((end) => worker.removeAllListeners('exit').once('exit', end));
      worker.kill('SIGTERM');
      await gone;

      const fleet = await openFleet(url, 'throughline');
      await redis.config('RESETSTAT');
      const start = performance.now();
      await fleet.status();
      const statusMs = performance.now() - start;
      const statusCalls = await calls(redis);
      const statusBytes = await figure(redis, 'stats', 'total_net_output_bytes');
      fleet.close();
      return { topics: count, workerCalls, workerCpu, statusCalls, statusBytes, statusMs, topicBytes };
    } finally {
      worker.kill('SIGKILL');
      redis.disconnect();
      await rm(home, { recursive: true, force: true });
    }
  });
}

/** A topic of ten videos from its beginning to its end. */
async function finish(topics: Topics, at: number): Promise<void> {
  const id = at.toString(16).padStart(8, '0').repeat(5);
  await topics.begin(
    { id, name: `topic ${at}`, priority: 100, engine: 'an engine', engineKey: 'e'.repeat(8) },
    'submit',
  );
  await topics.expect(id, new Map([['extract', 10], ['gather-extract', 1], ['roster', 1], ['summarise', 10], ['gather-summarise', 1], ['export', 1]])); // prettier-ignore
  await topics.move(id, 'adding', 'running');
  for (const kind of ['extract', 'summarise'] as const) {
    for (let place = 0; place < 10; place++) await topics.done({ topic: id, kind, place }, { done: 'now' });
    await topics.done({ topic: id, kind: 'gather', of: kind, chunk: 0 }, { done: 'now' });
  }
  await topics.done({ topic: id, kind: 'roster' }, { done: 'now' });
  await topics.done({ topic: id, kind: 'export' }, { done: 'now' });
}

async function calls(redis: Client): Promise<number> {
  const text = await redis.info('commandstats');
  const counted = [...text.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)].filter(
    ([, name]) => !/^(info|config)/.test(name!),
  );
  return counted.reduce((sum, [, , count]) => sum + Number(count), 0);
}

async function figure(redis: Client, section: string, name: string): Promise<number> {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await redis.info(section))?.[1]);
}

async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
