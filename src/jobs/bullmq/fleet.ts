import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

import { CancelledError, UsageError } from '../../base/index.js';
import { bringBack } from '../fetch.js';
import { namesOf } from '../records.js';
import { treeAfter, TASK_KINDS, type TaskContext, type TaskKind } from '../tasks.js';
import { openQueue, enqueueTree, queueName } from './queues.js';
import { openRedis } from './redis.js';
import { scan, Topics, type TopicRow, type TopicState, type WorkerRow } from './topics.js';
import { keyOf } from '../../storage/index.js';
import { engineHere, type Engine } from '../engine.js';

/** Number of jobs in a queue, by state. */
type QueueRow = {
  readonly kind: TaskKind;
  readonly engineKey: string;
  readonly isPaused: boolean;
  readonly ready: number;
  readonly active: number;
  /** Waiting to be tried again. */
  readonly delayed: number;
  /** Waiting for other tasks. */
  readonly blocked: number;
  /** Given up. */
  readonly failed: number;
};

/** The state of a fleet: its topics, queues and workers. */
export type FleetStatus = {
  readonly topics: readonly TopicRow[];
  readonly queues: readonly QueueRow[];
  readonly workers: readonly WorkerRow[];
};

/** Shows and controls a fleet of workers, from any machine that can reach its Redis. Must be closed. */
export type Fleet = {
  /** Queues a topic that is in the store. `joined`: it is already running; `done`: its results are already there. */
  enqueue(
    topic: { id: string; name: string; priority: number },
    context: TaskContext,
  ): Promise<'queued' | 'joined' | 'done'>;
  /** The state of the whole fleet, or of one topic in it. */
  status(id?: string): Promise<FleetStatus>;
  /** Finds a topic by its id, or by the beginning of an id that only one topic has. The other methods do the same. */
  read(id: string): Promise<TopicRow>;
  /** Stops a topic. Resolves when none of its tasks is left, or after 90 s if a lost worker still holds one. */
  cancel(id: string): Promise<void>;
  /** Continues a failed or cancelled topic from where it stopped. */
  retry(id: string, context: TaskContext): Promise<void>;
  /** Tries again the videos that a topic left out, and redoes everything that depends on them. Returns their number. */
  retryLeftOut(id: string, context: TaskContext): Promise<number>;
  /** Starts no more tasks, or none of one kind. Running tasks continue. */
  pause(kind?: TaskKind): Promise<void>;
  resume(kind?: TaskKind): Promise<void>;
  /** Calls `listen` with the topic twice a second until it is done, failed or cancelled; resolves with its last state. */
  watch(id: string, listen: (row: TopicRow) => void, signal: AbortSignal): Promise<TopicRow>;
  close(): void;
};

const LOOK_MS = 500;
/** Running tasks stop within seconds, but those of a lost worker only when others notice the loss. */
const CANCEL_MS = 90_000;

/** Opens a fleet by the address of its Redis; `prefix` distinguishes several fleets on one server. Must be closed. */
export async function openFleet(url: string, prefix: string): Promise<Fleet> {
  const redis = await openRedis(url);
  const topics = new Topics(redis, prefix);

  const read = async (given: string): Promise<TopicRow> => {
    const ids = await topics.ids();
    const meant = ids.includes(given) ? [given] : ids.filter((id) => id.startsWith(given));
    const row = meant.length === 1 ? await topics.read(meant[0]!) : null;
    if (row) return row;
    const latest = ids.slice(-5).join(', ');
    const hint = latest === '' ? 'Submit a topic first: throughline submit.' : `The latest topics are ${latest}.`;
    throw new UsageError('unknown-topic', `Expected the id of a submitted topic, found "${given}". ${hint}`);
  };

  const begin = async (
    row: Pick<TopicRow, 'id' | 'name' | 'priority' | 'phase'>,
    context: TaskContext,
  ): Promise<void> => {
    const { id, phase, priority } = row;
    const engine = await thisEngine();
    await topics.begin({ id, name: row.name, priority, engine: engine.words, engineKey: engine.key }, phase);
    const totals = await enqueueTree(await treeAfter(id, phase, context), priority, {
      redis,
      prefix,
      engineKey: engine.key,
    });
    await topics.expect(id, totals);
    await topics.move(id, 'adding', 'running');
  };

  const cancel = async (given: string): Promise<void> => {
    const { id, engineKey, state } = await read(given);
    if (state === 'done') {
      throw new UsageError(
        'topic-done',
        `Expected a topic that is not done yet, found ${id}, which is. Its results stay in the store.`,
      );
    }
    await topics.set(id, { state: 'cancelled' });
    await topics.cancelled(id);
    const end = performance.now() + CANCEL_MS;
    while ((await removeJobs(redis, { prefix, engineKey, id })) > 0 && performance.now() < end) await sleep(LOOK_MS);
  };

  /** A topic in one of these states that this machine can continue. */
  const requireEnded = async (given: string, states: readonly TopicState[]): Promise<TopicRow> => {
    const row = await read(given);
    const { id } = row;
    if (!states.includes(row.state)) {
      const leftOut = row.state === 'done' ? ' To try videos again that it left out, add --left-out.' : '';
      throw new UsageError(
        'nothing-to-retry',
        `Expected a topic that failed or was cancelled, found ${id}, which is ${row.state}.${leftOut}`,
      );
    }
    const engine = await thisEngine();
    if (row.engineKey !== engine.key) {
      throw new UsageError(
        'other-engine',
        `Expected ${row.engine}, with which topic ${id} was submitted, found ${engine.words}. Retry it from a machine with that engine, or submit it again from this one.`,
      );
    }
    return row;
  };

  const setPaused = async (kinds: readonly TaskKind[], isPaused: boolean): Promise<void> => {
    for (const engineKey of await enginesOf(topics)) {
      for (const kind of kinds) {
        const queue = openQueue(kind, { redis, prefix, engineKey });
        await (isPaused ? queue.pause() : queue.resume());
      }
    }
  };

  return {
    read,
    cancel,
    async enqueue({ id, name, priority }, context) {
      const state = await topics.state(id);
      if (state === 'running') return 'joined';
      // If its results were removed from the store, it is done again.
      if (state === 'done' && (await context.objects.head(namesOf(id).done)) !== null) return 'done';
      if (state === 'failed' || state === 'cancelled') await cancel(id);
      await begin({ id, name, priority, phase: 'submit' }, context);
      return 'queued';
    },
    async status(id) {
      const rows = id === undefined ? await Promise.all((await topics.ids()).map((one) => topics.read(one))) : [await read(id)]; // prettier-ignore
      const queues = [];
      for (const engineKey of await enginesOf(topics)) {
        for (const kind of TASK_KINDS)
          queues.push(await describeQueue(openQueue(kind, { redis, prefix, engineKey }), kind, engineKey));
      }
      return { topics: rows.filter((row) => row !== null), queues, workers: await topics.workers() };
    },
    async retry(given, context) {
      const row = await requireEnded(given, ['failed', 'cancelled']);
      await cancel(row.id);
      await begin(row, context);
    },
    async retryLeftOut(given, context) {
      const row = await requireEnded(given, ['failed', 'cancelled', 'done']);
      const count = await bringBack(row.id, context);
      await topics.set(row.id, { state: 'cancelled', phase: 'submit' });
      await cancel(row.id);
      await begin({ ...row, phase: 'submit' }, context);
      return count;
    },
    pause: (kind) => setPaused(kind ? [kind] : TASK_KINDS, true),
    resume: (kind) => setPaused(kind ? [kind] : TASK_KINDS, false),
    async watch(id, listen, signal) {
      for (;;) {
        const row = await read(id);
        listen(row);
        if (row.state !== 'running' && row.state !== 'adding') return row;
        await sleep(LOOK_MS, undefined, { signal }).catch(() => {
          throw new CancelledError();
        });
      }
    },
    close: () => redis.disconnect(),
  };
}

/** Keys of all engines that topics or workers of this fleet have, and of this machine. */
async function enginesOf(topics: Topics): Promise<string[]> {
  const ids = await topics.ids();
  const rows = [...(await Promise.all(ids.map((id) => topics.read(id)))), ...(await topics.workers())];
  return [...new Set([(await thisEngine()).key, ...rows.flatMap((row) => (row ? [row.engineKey] : []))])];
}

async function describeQueue(queue: Queue, kind: TaskKind, engineKey: string): Promise<QueueRow> {
  const [counts, isPaused] = await Promise.all([queue.getJobCounts(), queue.isPaused()]);
  const count = (...states: string[]): number => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  return {
    kind,
    engineKey,
    isPaused,
    ready: count('waiting', 'prioritized', 'paused'),
    active: count('active'),
    delayed: count('delayed'),
    blocked: count('waiting-children'),
    failed: count('failed'),
  };
}

/** Removes the jobs of a topic from all queues, except those that run right now. Returns how many there were. */
async function removeJobs(
  redis: Redis,
  { prefix, engineKey, id }: { prefix: string; engineKey: string; id: string },
): Promise<number> {
  let found = 0;
  // A job is removed before those it waits for, so that none becomes ready in between.
  for (const kind of [...[...TASK_KINDS].reverse(), 'gate' as const]) {
    const queue = openQueue(kind, { redis, prefix, engineKey });
    const start = `${prefix}:${queueName(kind, engineKey)}:`;
    for await (const keys of scan(redis, `${start}${id}-*`)) {
      const jobs = keys.map((key) => key.slice(start.length)).filter((job) => !job.includes(':'));
      found += jobs.length;
      await Promise.all(jobs.map((job) => queue.remove(job)));
    }
  }
  return found;
}

/** The engine of this machine: `words` for people, and a short `key` for the names of queues. */
export async function thisEngine(): Promise<{ readonly words: string; readonly key: string }> {
  const engine = await engineHere();
  return { words: describeEngine(engine), key: keyOf(engine).slice(0, 8) };
}

function describeEngine({ throughline, decoder, ...parts }: Engine): string {
  // The version line of ffmpeg ends with a copyright notice.
  const shown = { decoder: decoder.replace(/ Copyright.*$/, '').replace(/ version /, ' '), ...parts };
  const rest = Object.entries(shown).map(([name, value]) => `${name} ${value}`);
  return `throughline ${throughline} (${rest.join(', ')})`;
}
