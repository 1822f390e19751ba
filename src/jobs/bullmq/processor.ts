import { availableParallelism } from 'node:os';
import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';

import { CancelledError, messageOf, StoreError, ThroughlineError, UsageError } from '../../base/index.js';
import { CHUNK, treeAfter, taskId, type TaskContext, type Task, type TaskResult } from '../tasks.js';
import { namesOf, readRecord } from '../records.js';
import { TaskFailure, type TaskPool } from './task-processes.js';
import type { Log } from './redis.js';
import type { Metrics } from './metrics.js';
import {
  isOfOneVideo,
  enqueueTree,
  type FlowContext,
  type JobData,
  type TaskOfVideo,
  type Backoffs,
} from './queues.js';
import type { Topics } from './topics.js';
import { WHOLE_RUN } from '../../pipeline/index.js';

/** Why a running task is stopped: this worker is stopping, the topic was cancelled, or the job was given to another worker. */
type Ending = 'shutdown' | 'cancelled' | 'lost';

/** What a processor works with. */
type ProcessorTools = {
  readonly topics: Topics;
  readonly pool: TaskPool;
  readonly ground: FlowContext;
  readonly store: string;
  readonly context: TaskContext;
  /** Tasks that this worker does at the same time. */
  readonly jobs: number;
  readonly backoffs: Backoffs;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Runs the jobs of a worker. */
export type Processor = {
  /** Runs one job. Throws the error by which BullMQ keeps it for later or gives it up. */
  process(job: Job<JobData>, token?: string): Promise<TaskResult>;
  /** Reports a job that was given up, here or because its workers were lost too often. */
  givenUp(job: Job<JobData>, reason: string): Promise<void>;
  /** Stops the running tasks for which `which` is true. */
  end(why: Ending, which: (task: Task) => boolean): void;
  activeCount(): number;
  activeTopics(): ReadonlySet<string>;
};

const CANCELLED = 'The topic was cancelled.';
/** Errors by which BullMQ learns that a job was put back, or is given up. */
const ENDINGS = [DelayedError, WaitingError, UnrecoverableError];

export function makeProcessor({
  topics,
  pool,
  ground,
  store,
  context,
  jobs: places,
  backoffs,
  log,
  metrics,
}: ProcessorTools): Processor {
  const active = new Map<Task, (why: Ending) => void>();

  async function process(job: Job<JobData>, token = ''): Promise<TaskResult> {
    const { task } = job.data;
    const about = { topic: task.topic, task: taskId(task) };
    const stop = new AbortController();
    const began = performance.now();
    const seconds = (): number => Math.round(performance.now() - began) / 1000;
    active.set(task, (why) => stop.abort(why));
    try {
      await waitUntilDue(job, token);
      if ((await topics.state(task.topic)) === 'cancelled') throw new UnrecoverableError(CANCELLED);
      const failures = await failuresBelow(job);
      const jobs = Math.max(1, Math.floor(availableParallelism() / places));
      const triesLeft = CRASHES - 1 - (job.data.tries?.crash ?? 0);
      const order = { task, store, buckets: context.buckets, scratch: context.scratch, jobs, failures, triesLeft };
      const result = await pool.run(order, stop.signal, (pid) =>
        log('info', { event: 'task-started', message: `${nameOf(task)} started`, ...about, pid }),
      );
      if (result.next) await goOn(task, result.next);
      await topics.done(task, result);
      backoffs.worked(task.kind);
      metrics.count(task.kind, result.skipped ? 'skipped' : 'done', seconds());
      const skipped = result.skipped ? `; left out: ${result.skipped.message}` : '';
      log('info', { event: 'task-done', message: `${nameOf(task)} done${skipped}`, ...about, seconds: seconds() });
      return result;
    } catch (error) {
      const isCancelled = error instanceof CancelledError;
      if (error instanceof UnrecoverableError || error instanceof DelayedError) throw error;
      if (!isCancelled) metrics.count(task.kind, 'failed', seconds());
      const putBack = isCancelled ? handBack(job, token, stop.signal.reason as Ending) : tryLater(job, token, error);
      return await putBack.catch((thrown: unknown) => {
        if (ENDINGS.some((ending) => thrown instanceof ending)) throw thrown;
        // A job that could not be put back is left alone until it counts as lost; any other error would fail it for good.
        log('warn', { event: 'queue-trouble', message: messageOf(thrown), ...about });
        throw new DelayedError();
      });
    } finally {
      active.delete(task);
    }
  }

  /** BullMQ ends waits by the clock of any worker. One whose clock is ahead would end all waits at once, so it is checked again. */
  async function waitUntilDue(job: Job<JobData>, token: string): Promise<void> {
    if (job.data.due === undefined) return;
    const waitMs = job.data.due - (await topics.now());
    if (waitMs <= 0) return;
    await job.moveToDelayed(Date.now() + waitMs, token);
    throw new DelayedError();
  }

  /** Queues the tasks of the next phase, before the job that ended the last one counts as done, so that a crash loses nothing. */
  async function goOn({ topic }: Task, phase: 'roster' | 'moment'): Promise<void> {
    const tree = await treeAfter(topic, phase, context);
    await topics.expect(topic, await enqueueTree(tree, await topics.priority(topic), ground));
    await topics.set(topic, { phase });
  }

  async function handBack(job: Job<JobData>, token: string, why: Ending): Promise<never> {
    if (why === 'cancelled') throw new UnrecoverableError(CANCELLED);
    // Another worker has this job, or will get it.
    if (why === 'lost') throw new DelayedError();
    await job.moveToWait(token);
    const { task } = job.data;
    const about = { topic: task.topic, task: taskId(task) };
    log('info', { event: 'task-given-back', message: `${nameOf(task)} put back into the queue`, ...about });
    throw new WaitingError();
  }

  async function tryLater(job: Job<JobData>, token: string, error: unknown): Promise<never> {
    const { task, tries = { passing: 0, crash: 0 } } = job.data;
    // An error of this process, not of the task's, comes from Redis or the store.
    const failure =
      error instanceof TaskFailure ? error.failure : { kind: 'passing' as const, message: messageOf(error) };
    const pauseMs = failure.kind === 'machine' ? backoffs.begin(task.kind) : null;
    if (pauseMs !== null) {
      const message = `This worker takes no ${task.kind} tasks for ${pauseMs / 1000} s because they fail on this machine: ${failure.message}`;
      log('error', { event: 'worker-rests', message });
    }
    const next = afterFailure(failure, tries, Math.random());
    if ('giveUp' in next) throw new UnrecoverableError(next.giveUp);
    const about = { topic: task.topic, task: taskId(task) };
    const wait = (next.waitMs / 1000).toFixed(1);
    log('warn', {
      event: 'task-failed',
      message: `${nameOf(task)} failed, next try in ${wait} s: ${failure.message}`,
      ...about,
    });
    await job.updateData({ task, tries: next.again, due: (await topics.now()) + next.waitMs });
    await job.moveToDelayed(Date.now() + next.waitMs, token);
    throw new DelayedError();
  }

  async function givenUp({ data: { task } }: Job<JobData>, reason: string): Promise<void> {
    if (reason === CANCELLED || (await topics.state(task.topic)) === 'cancelled') return;
    const about = { topic: task.topic, task: taskId(task) };
    log('error', { event: 'task-given-up', message: `${nameOf(task)} was given up: ${reason}`, ...about });
    if (isOfOneVideo(task)) await topics.leaveOut(task, `${await videoOf(task, context)} was left out: ${reason}.`);
    else await topics.fail(task, reason);
  }

  return {
    process,
    givenUp,
    end: (why, which) => active.forEach((endTask, task) => which(task) && endTask(why)),
    activeCount: () => active.size,
    activeTopics: () => new Set([...active.keys()].map(({ topic }) => topic)),
  };
}

/** Why tasks that a job depends on were given up, by `taskId`. */
async function failuresBelow(job: Job<JobData>): Promise<Record<string, string>> {
  const failures = Object.entries(await job.getIgnoredChildrenFailures());
  return Object.fromEntries(failures.map(([key, reason]) => [key.slice(key.lastIndexOf(':') + 1), String(reason)]));
}

/** A short name of a task for people, such as `extract-12 of 4f0c2d9a`. */
function nameOf(task: Task): string {
  return `${taskId(task).slice(task.topic.length + 1)} of ${task.topic.slice(0, 8)}`;
}

/** The name of a task's video, or its place if the store cannot be read. */
async function videoOf({ topic, kind, place }: TaskOfVideo, { objects }: TaskContext): Promise<string> {
  const [names, chunk] = [namesOf(topic), Math.floor(place / CHUNK)];
  const record = kind === 'extract' ? names.inputs(chunk) : names.rosterChunk(chunk);
  const videos = await readRecord<readonly { name: string }[]>(objects, record).catch(() => null);
  return `"${videos?.[place % CHUNK]?.name ?? `video ${place}`}"`;
}

/**
 * Why a task failed. `passing`: it may work later. `machine`: this machine lacks something that another may have. `crash`:
 * its process ended. `final`: it can never work.
 */
export type Failure = {
  readonly kind: 'passing' | 'machine' | 'crash' | 'final';
  /** Written to follow a colon. */
  readonly message: string;
};

/** How often a task has failed so far, kept with its job; `machine` counts as `passing`. */
export type Tries = { readonly passing: number; readonly crash: number };

/** A task is given up after this many crashes. */
const CRASHES = 3;
/** Waits double up to a minute, so this many tries bridge half an hour without a store; chance shortens it by half at most. */
const PASSING_TRIES = 36;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Whether to try again, and after how long. The wait doubles with every try; up to half of it is random, so that many
 * workers do not come back at the same moment. `chance` is a number in [0, 1).
 */
export function afterFailure(
  failure: Failure,
  tries: Tries,
  chance: number,
): { readonly again: Tries; readonly waitMs: number } | { readonly giveUp: string } {
  if (failure.kind === 'final') return { giveUp: failure.message };
  const counted = failure.kind === 'crash' ? 'crash' : 'passing';
  const count = tries[counted] + 1;
  if (count >= (counted === 'crash' ? CRASHES : PASSING_TRIES)) {
    return { giveUp: `${failure.message.replace(/\.$/, '')}; given up after ${count} tries` };
  }
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - 1));
  return { again: { ...tries, [counted]: count }, waitMs: Math.round(wait * (0.5 + chance / 2)) };
}

/** No space, no permission, too many processes or open files. */
const OF_MACHINE = new Set('ENOSPC EDQUOT EROFS EACCES EPERM EMFILE ENFILE EAGAIN ENOMEM'.split(' '));

/** What an error means for the task: a store or network may come back, but wrong usage stays wrong. */
export function failureOf(error: unknown): Failure {
  const message = messageOf(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'other-engine' || WHOLE_RUN.has(code) || OF_MACHINE.has(code)) return { kind: 'machine', message };
  if (error instanceof StoreError || /^E[A-Z]+$/.test(code)) return { kind: 'passing', message };
  if (error instanceof UsageError || code === 'nothing-done') return { kind: 'final', message };
  if (error instanceof ThroughlineError) return { kind: 'crash', message };
  return {
    kind: 'crash',
    message: `this is a bug in Throughline: ${error instanceof Error ? error.stack : message}`,
  };
}
