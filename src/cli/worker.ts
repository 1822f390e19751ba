import { type Command, InvalidArgumentError, Option } from 'commander';
import { once } from 'node:events';
import { availableParallelism, hostname, totalmem } from 'node:os';

import { VERSION } from '../index.js';
import { loadQueues, TASK_KINDS, type FleetWorker, type TaskKind, type WorkerSettings } from '../jobs/index.js';
import {
  addFleetOptions,
  type BucketFlags,
  bucketOption,
  required,
  SCRATCH,
  withoutSecrets,
  type FleetFlags,
} from './fleet.js';
import { readCount } from './run-options.js';
import { EXIT } from './reporters.js';

/** Kinds of which a topic has only one task. */
const SINGLE: readonly TaskKind[] = ['roster', 'concept', 'export'];

type Rates = Partial<Record<TaskKind, { max: number; duration: number }>>;
type KindFlags = Partial<Record<`${TaskKind}Jobs`, number>>;
type WorkerFlags = FleetFlags &
  BucketFlags &
  KindFlags & {
    jobs: number;
    rate: Rates;
    memoryLimit?: number;
    timeLimit: number;
    grace: number;
    lostAfter: number;
    forgetAfter: number;
    metricsPort?: number;
    metricsHost: string;
    scratch: string;
    name: string;
    json?: boolean;
  };

/** Adds `worker`. `end` is called with the exit code. */
export function addWorker(program: Command, end: (code: number) => void): void {
  const worker = addFleetOptions(
    program.command('worker').description('Process submitted topics on this machine until stopped.'),
  ).addOption(
    new Option('--jobs <COUNT>', 'Tasks to run at the same time, of all kinds together.')
      .default(usualJobs(), 'up to 4, by processors and memory')
      .argParser(readCount(1, 256)),
  );
  for (const kind of TASK_KINDS) {
    worker.addOption(
      new Option(`--${kind}-jobs <COUNT>`, `At most this many of them ${kind} tasks.`).argParser(readCount(1, 256)),
    );
  }
  worker
    .addOption(
      new Option(
        '--rate <KIND=COUNT/TIME>',
        'Start at most this many tasks of one kind, all workers together, such as extract=10/60s.',
      )
        .default({}, 'no limit')
        .argParser(readRate),
    )
    .addOption(
      new Option(
        '--memory-limit <MB>',
        'Memory limit of a task and the processes it starts. Default: four fifths of what the machine or container has, divided by --jobs.',
      ).argParser(readCount(64, 10_000_000)),
    )
    .addOption(
      new Option('--time-limit <SECONDS>', 'Time limit of a task.').default(43_200).argParser(readCount(1, 2_000_000)),
    )
    .addOption(
      new Option('--grace <SECONDS>', 'Time running tasks get to finish when the worker is stopped.')
        .default(30)
        .argParser(readCount(0, 86_400)),
    )
    .addOption(
      new Option('--lost-after <SECONDS>', 'Give a task to another worker if its worker has been silent for this long.')
        .default(30)
        .argParser(readCount(2, 3_600)),
    )
    .addOption(
      new Option(
        '--forget-after <HOURS>',
        'Redis forgets topics that have been done or cancelled for this long; results stay.',
      )
        .default(168)
        .argParser(readCount(1, 100_000)),
    )
    .addOption(
      new Option('--metrics-port <NUMBER>', 'Serve /metrics, /health and /ready on this port.').argParser(
        readCount(0, 65_535),
      ),
    )
    .addOption(new Option('--metrics-host <HOST>', 'Address to serve them on.').default('127.0.0.1'))
    .addOption(bucketOption())
    .addOption(new Option('--scratch <FOLDER>', 'Folder for temporary files.').default(SCRATCH))
    .addOption(
      new Option('--name <NAME>', 'Name of the worker in logs and status.').default(
        `${hostname()}-${process.pid}`,
        'host and process',
      ),
    )
    .addOption(
      new Option('--json', 'Log one JSON object per line. This is the default if the output is not a terminal.'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  throughline worker --redis redis://10.0.0.5:6379 --store s3://films/throughline\n  THROUGHLINE_REDIS=rediss://:secret@host:6380 throughline worker --store /mnt/archive --metrics-port 9464',
    )
    .exitOverride()
    .action(async (flags: WorkerFlags) => end(await withoutSecrets(flags, () => runWorker(flags))));
}

async function runWorker(flags: WorkerFlags): Promise<number> {
  const fleet = await loadQueues();
  const [redis, store] = [required(flags, 'redis'), required(flags, 'store')];
  const log = fleet.openLog(process.stderr, {
    worker: flags.name,
    asJson: flags.json ?? !process.stderr.isTTY,
    secrets: fleet.secretsOf(redis),
  });
  const metrics = fleet.openMetrics(VERSION);
  const stopped = new AbortController();
  let killNow = (): void => undefined;
  const onSignal = (): void => {
    // A second signal ends the process at once.
    if (stopped.signal.aborted) {
      killNow();
      process.exit(EXIT.interrupted);
    }
    stopped.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  // /health answers even while the worker waits for Redis.
  let worker: FleetWorker | null = null;
  const { metricsPort: port, metricsHost: host } = flags;
  const checkReady = async (): Promise<void> => (worker ? worker.checkReady() : Promise.reject(new Error('not ready')));
  const server = port === undefined ? null : await fleet.serveMetrics(metrics, checkReady, { host, port });
  if (server) log('info', { event: 'metrics', message: `Metrics at ${fleet.addressOf(server)}/metrics` });
  try {
    worker = await fleet.startFleetWorker(settingsOf(flags, { redis, store, log, metrics }), stopped.signal);
    killNow = worker.kill;
    if (!stopped.signal.aborted) await once(stopped.signal, 'abort');
    await worker.stop(flags.grace * 1000);
  } finally {
    server?.close();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
  return EXIT.done;
}

function settingsOf(
  flags: WorkerFlags,
  given: Pick<WorkerSettings, 'redis' | 'store' | 'log' | 'metrics'>,
): WorkerSettings {
  return {
    ...given,
    prefix: flags.prefix,
    name: flags.name,
    jobs: flags.jobs,
    concurrency: concurrencyOf(flags),
    rates: flags.rate,
    limits: { memoryBytes: memoryOf(flags), timeMs: flags.timeLimit * 1000 },
    lostAfterMs: flags.lostAfter * 1000,
    forgetAfterMs: flags.forgetAfter * 3_600_000,
    scratch: flags.scratch,
    buckets: flags.allowBucket,
  };
}

function concurrencyOf(flags: WorkerFlags): Record<TaskKind, number> {
  const usual = (kind: TaskKind): number => (SINGLE.includes(kind) ? 1 : flags.jobs);
  return Object.fromEntries(TASK_KINDS.map((kind) => [kind, flags[`${kind}Jobs`] ?? usual(kind)])) as Record<
    TaskKind,
    number
  >;
}

/** The part of the memory that all tasks together may use. */
const TASKS_SHARE = 0.8;
/** What a task of an ordinary topic may need. */
const TASK_BYTES = 1e9;

/** Memory that all tasks together may use. A container may have less than the machine; 0 or a very large number means no limit. */
function memoryOfTasks(): number {
  return TASKS_SHARE * Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

function usualJobs(): number {
  return Math.max(1, Math.min(4, availableParallelism(), Math.floor(memoryOfTasks() / TASK_BYTES)));
}

function memoryOf({ memoryLimit, jobs }: WorkerFlags): number {
  return memoryLimit === undefined ? memoryOfTasks() / jobs : memoryLimit * 1e6;
}

/** Reads `extract=10/60s`. Several are separated by commas, or given one by one. */
function readRate(text: string, before: Rates): Rates {
  return text.split(',').reduce((rates, part) => {
    const [, kind, max, seconds] = /^\s*(\w+)=(\d+)\/(\d+)s?\s*$/.exec(part) ?? [];
    if (kind && TASK_KINDS.includes(kind as TaskKind) && Number(max) > 0 && Number(seconds) > 0) {
      return { ...rates, [kind]: { max: Number(max), duration: Number(seconds) * 1000 } };
    }
    throw new InvalidArgumentError(
      `Expected KIND=COUNT/TIME, such as extract=10/60s; kinds: ${TASK_KINDS.join(', ')}.`,
    );
  }, before);
}
