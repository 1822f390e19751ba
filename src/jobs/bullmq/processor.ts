import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import { availableParallelism } from 'node:os';

import { CancelledError, messageOf } from '../../base/index.js';
import { CHUNK } from '../chunks.js';
import { namesOf, readRecord } from '../records.js';
import { treeAfter } from '../tree.js';
import { taskId, type TaskDesk, type Task, type TaskKind, type TaskResult } from '../types.js';
import { TaskFailure, type Crew } from './crew.js';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';
import { isOfOneVideo, plant, type Ground, type JobData, type TaskOfVideo } from './plant.js';
import { afterFailure, CRASHES } from './retry.js';
import type { Rests } from './rests.js';
import type { Topics } from './topics.js';

/** Why a running task is stopped: this worker is stopping, the topic was cancelled, or the job was given to another worker. */
type Ending = 'shutdown' | 'cancelled' | 'lost';

/** What a processor works with. */
type ProcessorTools = {
  readonly topics: Topics;
  readonly crew: Crew;
  readonly ground: Ground;
  readonly store: string;
  readonly desk: TaskDesk;
  readonly concurrency: Readonly<Record<TaskKind, number>>;
  readonly rests: Rests;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Runs the jobs of a worker. */
export type Processor = {
  /** Runs one job. Throws what tells BullMQ to keep it for later, or to give it up. */
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
  crew,
  ground,
  store,
  desk,
  concurrency,
  rests,
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
      const jobs = Math.max(1, Math.floor(availableParallelism() / concurrency[task.kind]));
      const triesLeft = CRASHES - 1 - (job.data.tries?.crash ?? 0);
      const order = { task, store, scratch: desk.scratch, jobs, failures, triesLeft };
      const result = await crew.run(order, stop.signal, (pid) =>
        log('info', { event: 'task-started', message: `${nameOf(task)} started`, ...about, pid }),
      );
      if (result.next) await goOn(task, result.next);
      await topics.done(task, result);
      rests.worked(task.kind);
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
    const restMs = job.data.due - (await topics.now());
    if (restMs <= 0) return;
    await job.moveToDelayed(Date.now() + restMs, token);
    throw new DelayedError();
  }

  /** Queues the tasks of the next phase, before the job that ended the last one counts as done, so that a crash loses nothing. */
  async function goOn({ topic }: Task, phase: 'roster' | 'moment'): Promise<void> {
    const tree = await treeAfter(topic, phase, desk);
    await topics.expect(topic, await plant(tree, await topics.priority(topic), ground));
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
    const restMs = failure.kind === 'machine' ? rests.begin(task.kind) : null;
    if (restMs !== null) {
      const message = `This worker takes no ${task.kind} tasks for ${restMs / 1000} s because they fail on this machine: ${failure.message}`;
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
    if (isOfOneVideo(task)) await topics.leaveOut(task, `${await videoOf(task, desk)} was left out: ${reason}.`);
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
async function videoOf({ topic, kind, place }: TaskOfVideo, { objects }: TaskDesk): Promise<string> {
  const [names, chunk] = [namesOf(topic), Math.floor(place / CHUNK)];
  const record = kind === 'extract' ? names.inputs(chunk) : names.rosterChunk(chunk);
  const videos = await readRecord<readonly { name: string }[]>(objects, record).catch(() => null);
  return `"${videos?.[place % CHUNK]?.name ?? `video ${place}`}"`;
}
