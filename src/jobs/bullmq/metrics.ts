import type { Queue } from 'bullmq';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { messageOf, UsageError } from '../../base/index.js';
import type { TaskKind } from '../tasks.js';

/** Where a worker's current figures come from. */
type Sight = {
  readonly queues: ReadonlyMap<TaskKind, Queue>;
  readonly memory: () => Promise<number>;
  readonly engine: string;
};

/** The metrics of a worker, for Prometheus. */
export type Metrics = {
  /** Counts a task that ended. */
  count(kind: TaskKind, outcome: 'done' | 'skipped' | 'failed', seconds: number): void;
  /** From now on, reports the queues and the memory of this worker too. */
  watch(sight: Sight): void;
  /** Everything in the text format of Prometheus. */
  text(): Promise<string>;
};

/** Up to half a day: analysing a long video takes hours. */
const SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 1_200, 3_600, 14_400, 43_200];

const LOOK_MS = 2_000;

/** Starts the metrics of one worker, all at zero. */
export function openMetrics(version: string): Metrics {
  const registers = [new Registry()];
  const tasks = new Counter({
    name: 'throughline_tasks_total',
    help: 'Tasks that ended: done, skipped (the video was left out) or failed (one try).',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'throughline_task_seconds',
    help: 'Duration of tasks.',
    labelNames: ['kind', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const jobs = new Gauge({
    name: 'throughline_queue_jobs',
    help: 'Jobs in the queues of the fleet, by kind and state.',
    labelNames: ['kind', 'state'],
    registers,
  });
  const memory = new Gauge({
    name: 'throughline_task_memory_bytes',
    help: 'Memory of the tasks of this worker, including decoders and encoders.',
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
    memory.set(await used());
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

/** Time for a client to send its request, or to read the answer; slower ones are disconnected. */
const PATIENCE_MS = 10_000;
/** Far more connections than a worker has clients, far fewer than the files a process may open. */
const MAX_CONNECTIONS = 500;
const MAX_HEADER_BYTES = 8 << 10;

/** Serves /metrics, /health (this process is alive) and /ready (`checkReady` does not throw) until closed. */
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
  const checks = { connectionsCheckingInterval: Math.ceil(patienceMs / 4), maxHeaderSize: MAX_HEADER_BYTES };
  const server = createServer({ ...limits, ...checks }, (request, response) => {
    const answer = answers.get(request.url?.split('?')[0] ?? '');
    // Bodies are not read: a connection that sends one is closed after the answer.
    if (request.method !== 'GET' || hasBody(request)) response.setHeader('connection', 'close');
    if (!answer || request.method !== 'GET') return void response.writeHead(404).end();
    answer().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      // The reason is in the log. This address may be open to others, so the answer does not repeat it.
      () => response.writeHead(503).end('not ready\n'),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(2 * patienceMs);
  await new Promise<void>((settle, fail) => server.once('error', fail).listen(port, host, settle)).catch((error) => {
    throw new UsageError(
      'no-port',
      `Expected a free port ${port} on ${host} for metrics, found: ${messageOf(error)}. Choose another with --metrics-port.`,
    );
  });
  return server;
}

/** Requests that come while one is being answered share its answer. */
function oneAtATime(work: () => Promise<string>): () => Promise<string> {
  let underWay: Promise<string> | null = null;
  return () => (underWay ??= work().finally(() => (underWay = null)));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/** The address of a server, as seen from this machine. */
export function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
