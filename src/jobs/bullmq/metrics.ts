import type { Queue } from 'bullmq';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { messageOf, UsageError } from '../../base/index.js';
import type { TaskKind } from '../types.js';

/** What can be seen of a worker from outside. */
type Sight = {
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

/** Counters of one worker, in the text format of Prometheus. */
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
      // Without Redis the queues cannot be counted, but what this worker did is still known.
      if (sight) await Promise.race([look(sight).catch(() => undefined), sleep(LOOK_MS, undefined, { ref: false })]);
      return registers[0]!.metrics();
    },
  };
}

/** Who asks takes moments; whoever takes longer to ask, or to take the answer, holds a connection for nothing. */
const PATIENCE_MS = 10_000;
/** Far more than look at a worker, far fewer than files that a process may open. */
const MOST_CONNECTIONS = 500;
const MOST_HEADER_BYTES = 8 << 10;

/** Serves /metrics, /health (this process lives) and /ready (so do Redis and the store) until closed. */
export async function serveMetrics(
  metrics: Metrics,
  checkReady: () => Promise<void>,
  { host, port, patienceMs = PATIENCE_MS }: { host: string; port: number; patienceMs?: number },
): Promise<Server> {
  const answers = new Map<string, () => Promise<string>>([
    ['/metrics', oneAtATime(() => metrics.text())],
    ['/health', async () => 'ok\n'],
    ['/ready', oneAtATime(async () => (await checkReady(), 'ok\n'))],
  ]);
  const limits = { headersTimeout: patienceMs, requestTimeout: patienceMs, keepAliveTimeout: patienceMs };
  const checks = { connectionsCheckingInterval: Math.ceil(patienceMs / 4), maxHeaderSize: MOST_HEADER_BYTES };
  const server = createServer({ ...limits, ...checks }, (request, response) => {
    const answer = answers.get(request.url?.split('?')[0] ?? '');
    // Nothing that is sent along is read: a connection with more than a question on it ends with the answer.
    if (request.method !== 'GET' || hasBody(request)) response.setHeader('connection', 'close');
    if (!answer || request.method !== 'GET') return void response.writeHead(404).end();
    answer().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      // What is wrong stands in the log; an address that may be open to others says no more than that.
      () => response.writeHead(503).end('not ready\n'),
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.setTimeout(2 * patienceMs);
  await new Promise<void>((settle, fail) => server.once('error', fail).listen(port, host, settle)).catch((error) => {
    throw new UsageError('no-port', `Expected a free port ${port} on ${host} for metrics, found: ${messageOf(error)}.`);
  });
  return server;
}

/** However many ask at once, Redis and the store are asked once. */
function oneAtATime(work: () => Promise<string>): () => Promise<string> {
  let underWay: Promise<string> | null = null;
  return () => (underWay ??= work().finally(() => (underWay = null)));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/** Where a server is reached from this machine. */
export function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
