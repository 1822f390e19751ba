import { access, rm, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostname } from 'node:os';
import type { Queue } from 'bullmq';

import { CancelledError, messageOf, StoreError, isAlive, UsageError } from '../../base/index.js';
import { openObjects, type ObjectStore } from '../../storage/index.js';
import { TASK_KINDS, taskId, type TaskKind, type TaskResult } from '../tasks.js';
import { openTaskPool, type Limits } from './task-processes.js';
import { thisEngine } from './fleet.js';
import { BudgetedWorker, openBudget } from './budget.js';
import { anotherLike, type Log, explainRedis, keysOf, openLastingRedis } from './redis.js';
import type { Metrics } from './metrics.js';
import { openQueue, queueName, type JobData, openBackoffs, isOfOneVideo } from './queues.js';
import { makeProcessor, type Processor } from './processor.js';
import { Topics, type Client } from './topics.js';

/** At most `max` jobs of a kind are started in `duration` milliseconds, by all workers together. */
type Rate = { readonly max: number; readonly duration: number };

/** How a worker is set up. */
export type WorkerSettings = {
  readonly redis: string;
  readonly store: string;
  readonly prefix: string;
  readonly name: string;
  /** Tasks that run at the same time. */
  readonly jobs: number;
  /** At most so many of them are of a kind. */
  readonly concurrency: Readonly<Record<TaskKind, number>>;
  readonly rates: Partial<Record<TaskKind, Rate>>;
  readonly limits: Limits;
  /** A task whose worker has been silent for this long is given to another one. */
  readonly lostAfterMs: number;
  /** Redis forgets topics that have been done or cancelled for this long. */
  readonly forgetAfterMs: number;
  /** Folder for the temporary files of tasks. */
  readonly scratch: string;
  /** Buckets that videos may come from, besides that of the store. */
  readonly buckets?: readonly string[] | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** A running worker. Must be stopped. */
export type FleetWorker = {
  /** Takes no new tasks, gives the running ones `graceMs` to finish, then puts the rest back into the queue. */
  stop(graceMs: number): Promise<void>;
  /** Ends all tasks at once. Other workers notice that they are lost, and take them over. */
  kill(): void;
  /** Throws if Redis or the store cannot be reached, or if the worker is stopping. */
  checkReady(): Promise<void>;
};

/** A task during which this many workers died is given up. */
const LOST_WORKERS = 5;
const TICK_MS = 5_000;
const READY_MS = 3_000;

/** Starts a worker. If Redis cannot be reached, waits for it until `signal` is aborted. */
export async function startFleetWorker(settings: WorkerSettings, signal: AbortSignal): Promise<FleetWorker> {
  const opened: (() => unknown)[] = [];
  try {
    return await start(settings, signal, (close) => opened.push(close));
  } catch (error) {
    // Anything left open would keep the process alive.
    for (const close of opened.reverse()) close();
    throw error;
  }
}

async function start(
  settings: WorkerSettings,
  signal: AbortSignal,
  onFailure: (close: () => unknown) => void,
): Promise<FleetWorker> {
  const { name, store, log, metrics, concurrency, jobs } = settings;
  const prefix = keysOf(settings.prefix);
  const engine = await thisEngine();
  const objects = await openObjects(store);
  const scratch = await openScratch(settings.scratch);
  onFailure(() => rm(scratch, { recursive: true, force: true }).catch(() => undefined));
  const redis = openLastingRedis(settings.redis);
  onFailure(() => redis.disconnect());
  await firstContact(redis, settings, signal);
  const hearing = anotherLike(redis);
  onFailure(() => hearing.disconnect());
  const topics = new Topics(redis, prefix);
  const pool = openTaskPool(settings.limits);
  onFailure(pool.close);
  const ground = { redis, prefix, engineKey: engine.key };
  const context = { objects, buckets: settings.buckets, scratch, jobs: 1, emit: () => undefined };
  const ofKind = (kind: TaskKind): BudgetedWorker<JobData, TaskResult> => workers[TASK_KINDS.indexOf(kind)]!;
  const backoffs = openBackoffs({
    pause: (kind) => void ofKind(kind).pause(true).catch(reportTrouble),
    resume: (kind) => void ofKind(kind).resume().catch(reportTrouble),
  });
  const processor = makeProcessor({ topics, pool, ground, store, context, jobs, backoffs, log, metrics });
  // Lost connections are logged once, by `firstContact`.
  const reportTrouble = (error: unknown): void => {
    if (!/ECONN|ETIMEDOUT|ENOTFOUND|Connection is closed/.test(messageOf(error)))
      log('warn', { event: 'queue-trouble', message: messageOf(error) });
  };

  const queues = new Map(TASK_KINDS.map((kind) => [kind, openQueue(kind, ground)]));
  const budget = openBudget(jobs);
  onFailure(budget.close);
  const workers = TASK_KINDS.map((kind) => {
    const limiter = settings.rates[kind];
    const worker = new BudgetedWorker<JobData, TaskResult>(queueName(kind, engine.key), processor.process, {
      connection: redis,
      prefix,
      name,
      concurrency: Math.min(jobs, concurrency[kind]),
      lockDuration: settings.lostAfterMs,
      stalledInterval: settings.lostAfterMs,
      maxStalledCount: LOST_WORKERS,
      runRetryDelay: 1_000,
      autorun: false,
      ...(limiter ? { limiter } : {}),
    });
    onFailure(() => worker.close(true).catch(reportTrouble));
    worker.on('error', reportTrouble);
    worker.on('lockRenewalFailed', (ids) => processor.end('lost', (task) => ids.includes(taskId(task))));
    worker.on('failed', (job, error) => void (job && processor.givenUp(job, error.message).catch(reportTrouble)));
    return worker;
  });

  hearing.on('error', () => undefined);
  const endTopic = (id: string): void => processor.end('cancelled', (task) => task.topic === id);
  await topics.onCancelled(hearing, endTopic);
  const { forgetAfterMs } = settings;
  const upkeep = makeUpkeep({
    name,
    engine,
    topics,
    queues: [...queues.values()],
    processor,
    endTopic,
    log,
    forgetAfterMs,
  });
  await upkeep();
  let isStopping = false;
  let lastUpkeep = Promise.resolve();
  // One at a time: without Redis, calls would accumulate.
  const upkeepLater = (): NodeJS.Timeout =>
    setTimeout(() => {
      lastUpkeep = upkeep().catch(reportTrouble);
      void lastUpkeep.then(() => (timer = timer && upkeepLater()));
    }, TICK_MS);
  let timer: NodeJS.Timeout | null = upkeepLater();
  const endUpkeep = (): Promise<void> => {
    if (timer) clearTimeout(timer);
    timer = null;
    return lastUpkeep;
  };
  metrics.watch({ queues, memory: pool.memory, engine: engine.words });
  for (const [rank, worker] of workers.entries()) worker.runWithin(budget, rank).catch(reportTrouble);
  log('info', { event: 'worker-started', message: `Worker ${name} takes tasks for ${engine.words}` });

  return {
    async stop(graceMs) {
      isStopping = true;
      backoffs.close();
      const running = processor.activeCount();
      log('info', { event: 'worker-stopping', message: `Worker ${name} takes no new tasks; ${running} running` });
      await Promise.all(workers.map((worker) => worker.pause(true)));
      budget.close();
      const end = performance.now() + graceMs;
      while (processor.activeCount() > 0 && performance.now() < end) await sleep(100);
      processor.end('shutdown', () => true);
      // Without Redis the jobs cannot be given back; other workers will notice that they are lost.
      const closed = Promise.all(workers.map((worker) => worker.close()));
      const gone = closed.then(endUpkeep).then(() => topics.signOff(name));
      await Promise.race([gone, sleep(10_000, undefined, { ref: false })]);
      void endUpkeep();
      pool.close();
      hearing.disconnect();
      redis.disconnect();
      await rm(scratch, { recursive: true, force: true });
      log('info', { event: 'worker-stopped', message: `Worker ${name} stopped` });
    },
    kill: pool.close,
    async checkReady() {
      if (isStopping) throw new StoreError('stopping', 'This worker takes no new tasks.');
      await within(READY_MS, redis.ping(), 'Redis did not answer.');
      await within(READY_MS, lookInto(objects), 'The store did not answer.');
    },
  };
}

/** Waits for Redis as long as it takes, and throws if it refuses the user or the password. Logs later interruptions. */
async function firstContact(redis: Client, { redis: url, log }: WorkerSettings, signal: AbortSignal): Promise<void> {
  let said = '';
  let wasThere = false;
  await new Promise<void>((settle, fail) => {
    const giveUp = (): void => {
      redis.disconnect();
      fail(new CancelledError());
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    redis.once('ready', () => {
      signal.removeEventListener('abort', giveUp);
      settle();
    });
    redis.on('error', (error) => {
      const explained = explainRedis(error, url);
      const { code, message } = explained;
      if (code === 'redis-refused' && !wasThere) {
        redis.disconnect();
        return fail(explained);
      }
      if (message !== said) log('warn', { event: 'redis-away', message: `${message} Waiting for Redis.` });
      said = message;
    });
    redis.on('ready', () => {
      wasThere = true;
      if (said !== '') log('info', { event: 'redis-back', message: 'Redis is back.' });
      said = '';
    });
  });
}

/** Throws if the store cannot be read. A missing folder looks empty, so the folder itself is checked too. */
async function lookInto(objects: ObjectStore): Promise<void> {
  await objects.head('ready');
  const local = objects.localPath('ready');
  if (local !== null) await access(dirname(local));
}

async function within<T>(timeMs: number, work: Promise<T>, otherwise: string): Promise<T> {
  const stop = new AbortController();
  const late = sleep(timeMs, undefined, { signal: stop.signal }).then(() => {
    throw new StoreError('no-answer', otherwise);
  });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => stop.abort());
}

/** Makes a folder for this worker inside `root`. First removes what dead workers of this machine left there. */
async function openScratch(root: string): Promise<string> {
  try {
    return await clearAndMake(root);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? messageOf(error);
    throw new UsageError(
      'bad-scratch',
      `Expected a folder that can be written at "${resolve(root)}", for temporary files, found none (${reason}). Choose another with --scratch.`,
      { cause: error },
    );
  }
}

async function clearAndMake(root: string): Promise<string> {
  const folder = resolve(root);
  const ours = `worker-${hostname()}-`;
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(ours) ? Number(name.slice(ours.length).split('-')[0]) : NaN;
    // In a restarted container, the dead worker had the same process id as this one.
    if (Number.isInteger(pid) && (pid === process.pid || !isAlive(pid))) await rm(join(folder, name), { recursive: true, force: true }); // prettier-ignore
  }
  return mkdtemp(join(folder, `${ours}${process.pid}-`));
}

/** Index of the last job that is looked at in one go. */
const LAST = 99;

type UpkeepTools = {
  readonly name: string;
  readonly engine: { readonly words: string; readonly key: string };
  readonly topics: Topics;
  readonly queues: readonly Queue<JobData>[];
  readonly processor: Pick<Processor, 'activeCount' | 'activeTopics'>;
  /** Stops the tasks of a topic. */
  endTopic(id: string): void;
  readonly log: Log;
  readonly forgetAfterMs: number;
};

/** What a worker does every few seconds besides its tasks. What concerns all of an engine is done by one of its workers. */
function makeUpkeep({ name, engine, topics, queues, processor, endTopic, log, forgetAfterMs }: UpkeepTools) {
  const [warned, seen] = [new Set<string>(), new Set<string>()];
  return async (): Promise<void> => {
    const active = processor.activeCount();
    await topics.heartbeat({ name, engine: engine.words, engineKey: engine.key, active });
    if (await topics.isKeeper(engine.key, name, TICK_MS - 500)) {
      await promoteDue(queues, await topics.now());
      await failStranded(queues, topics, seen);
      await topics.dropOlderThan(forgetAfterMs);
    }
    // The message that a topic was cancelled is sent once; a worker without Redis misses it.
    for (const id of processor.activeTopics()) if ((await topics.state(id)) === 'cancelled') endTopic(id);
    for (const row of await topics.ofOtherEngines(engine.key)) {
      if (warned.has(row.id)) continue;
      warned.add(row.id);
      const message = `Topic ${row.id} needs workers with ${row.engine}; this worker has ${engine.words} and skips it. Start a worker with that engine, or submit the topic again from a machine with this one.`;
      log('warn', { event: 'other-engine', message, topic: row.id });
    }
  };
}

/** Ends waits that are over by the clock of Redis, so that a machine with a wrong clock holds no task back. */
async function promoteDue(queues: Iterable<Queue<JobData>>, now: number): Promise<void> {
  for (const queue of queues) {
    const due = (await queue.getDelayed(0, LAST)).filter(({ data }) => data.due !== undefined && data.due <= now);
    // Another worker may have been faster.
    await Promise.all(due.map((job) => job.promote().catch(() => undefined)));
  }
}

/**
 * Fails topics whose task was given up by a worker that was killed before it could say so. They would wait for ever. Jobs
 * that were `seen` are not looked at again.
 */
export async function failStranded(
  queues: Iterable<Queue<JobData>>,
  topics: Topics,
  seen = new Set<string>(),
): Promise<void> {
  const failed = new Set<string>();
  for (const queue of queues) {
    for (const id of await queue.getRanges(['failed'], 0, LAST)) {
      failed.add(id);
      const job = seen.has(id) ? undefined : await queue.getJob(id);
      if (job && !isOfOneVideo(job.data.task)) await topics.fail(job.data.task, job.failedReason, queue.toKey(id));
    }
  }
  seen.clear();
  failed.forEach((id) => seen.add(id));
}
