import type { Queue } from 'bullmq';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { messageOf, UsageError } from '../../base/index.js';
import type { TaskKind } from '../types.js';

/** What can be seen of a worker from outside. */
export type Sight = {
  readonly queues: ReadonlyMap<TaskKind, Queue>;
  readonly memory: () => number;
  readonly engine: string;
};

/** Counts what a worker does, for Prometheus. */
export type Metrics = {
  count(kind: TaskKind, outcome: 'done' | 'skipped' | 'failed', seconds: number): void;
  watch(sight: Sight): void;
  text(): Promise<string>;
};

/** From a moment to half a day: analysing a long video takes hours. */
const SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 1_200, 3_600, 14_400, 43_200];

const LOOK_MS = 2_000;

export function openMetrics(version: string): Metrics {
  const registers = [new Registry()];
  const tasks = new Counter({
    name: 'throughline_tasks_total',
    help: 'Tasks that ended here: done, skipped (done, without its video) or failed (a try).',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'throughline_task_seconds',
    help: 'How long tasks took.',
    labelNames: ['kind', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const jobs = new Gauge({
    name: 'throughline_queue_jobs',
    help: 'Jobs of all workers by kind and state.',
    labelNames: ['kind', 'state'],
    registers,
  });
  const memory = new Gauge({
    name: 'throughline_task_memory_bytes',
    help: 'Memory of the processes of this worker’s tasks, with decoders and encoders.',
    registers,
  });
  const own = new Gauge({ name: 'throughline_worker_memory_bytes', help: 'Memory of the worker itself.', registers });
  const info = new Gauge({
    name: 'throughline_info',
    help: 'Version and engine of this worker.',
    labelNames: ['version', 'engine'],
    registers,
  });
  let sight: Sight | null = null;

  const look = async ({ queues, memory: used }: Sight): Promise<void> => {
    memory.set(used());
    own.set(process.memoryUsage.rss());
    for (const [kind, queue] of queues) {
      for (const [state, count] of Object.entries(await queue.getJobCounts())) jobs.set({ kind, state }, count);
    }
  };

  return {
    count(kind, outcome, took) {
      tasks.inc({ kind, outcome });
      seconds.observe({ kind, outcome }, took);
    },
    watch(given) {
      sight = given;
      info.set({ version, engine: given.engine }, 1);
    },
    async text() {
      // Without Redis there are no depths, but what this worker did is known all the same.
      if (sight) await Promise.race([look(sight), sleep(LOOK_MS, undefined, { ref: false })]);
      return registers[0]!.metrics();
    },
  };
}

/** Serves /metrics, /health (this process lives) and /ready (so do Redis and the store) until closed. */
export async function serveMetrics(
  metrics: Metrics,
  checkReady: () => Promise<void>,
  { host, port }: { host: string; port: number },
): Promise<Server> {
  const answers: Record<string, () => Promise<string>> = {
    '/metrics': () => metrics.text(),
    '/health': async () => 'ok\n',
    '/ready': async () => (await checkReady(), 'ok\n'),
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url?.split('?')[0] ?? ''];
    if (!answer || request.method !== 'GET') return void response.writeHead(404).end();
    answer().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      // What is wrong stands in the log; an address that may be open to others says no more than that.
      () => response.writeHead(503).end('not ready\n'),
    );
  });
  await new Promise<void>((settle, fail) => server.once('error', fail).listen(port, host, settle)).catch((error) => {
    throw new UsageError('no-port', `Expected a free port ${port} on ${host} for metrics, found: ${messageOf(error)}.`);
  });
  return server;
}

/** Where a server is reached from this machine. */
export function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
