import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';

import { CancelledError, UsageError } from '../../base/index.js';
import { bringBack, topicNamed } from '../fetch.js';
import { namesOf, readHead } from '../records.js';
import { treeAfter, TASK_KINDS, TOPIC_STATES, type TaskContext, type TaskKind, type TopicState } from '../tasks.js';
import { openQueue, enqueueTree, type FlowContext } from './queues.js';
import { keysOf, openRedis } from './redis.js';
import { Topics, type TopicRow, type WorkerRow } from './topics.js';
import { keyOf } from '../../storage/index.js';
import { engineHere, refuseOtherEngine, type Engine } from '../engine.js';

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
  /** Topics as asked for, grouped by state; within a state, those that came into it last are at the end. */
  readonly topics: readonly TopicRow[];
  /** Number of all topics in each state. */
  readonly counts: Readonly<Record<TopicState, number>>;
  readonly queues: readonly QueueRow[];
  readonly workers: readonly WorkerRow[];
};

/**
 * Which topics to show: one, or the latest of some states. Default: up to 100 of each state that needs attention, and the
 * last ten that were done or cancelled.
 */
type TopicFilter = {
  readonly topic?: string | undefined;
  readonly states?: readonly TopicState[] | undefined;
  /** At most so many of each state, after `skip` of them. */
  readonly limit?: number | undefined;
  readonly skip?: number | undefined;
};

/** Shows and controls a fleet of workers, from any machine that can reach its Redis. Must be closed. */
export type Fleet = {
  /** Queues a topic that is in the store. `joined`: it is already running; `done`: its results are already there. */
  enqueue(
    topic: { id: string; name: string; priority: number },
    context: TaskContext,
  ): Promise<'queued' | 'joined' | 'done'>;
  /** The state of the fleet, with some of its topics. What it costs does not depend on how many there are. */
  status(filter?: TopicFilter): Promise<FleetStatus>;
  /** Whether the fleet has no work on a topic, so that its files may go. */
  isAbandoned(id: string): Promise<boolean>;
  /** Finds a topic by its id, or by the beginning of an id that only one topic has. The other methods do the same. */
  read(id: string): Promise<TopicRow>;
  /** Stops a topic. Resolves when none of its tasks is left, or after 90 s if a lost worker still holds one. */
  cancel(id: string): Promise<void>;
  /** Removes a topic that has ended from Redis. Its results stay in the store. */
  forget(id: string): Promise<void>;
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

/** The priority of a topic unless told otherwise. */
const USUAL_PRIORITY = 100;

const LOOK_MS = 500;
/** Running tasks stop within seconds, but those of a lost worker only when others notice the loss. */
const CANCEL_MS = 90_000;

/** Topics shown of each state unless told otherwise, and of each state that needs no attention. */
const SHOWN = 100;
const SHOWN_ENDED = 10;

/** Opens a fleet by the address of its Redis; `name` distinguishes several fleets on one server. Must be closed. */
export async function openFleet(url: string, name: string): Promise<Fleet> {
  const redis = await openRedis(url);
  const prefix = keysOf(name);
  const topics = new Topics(redis, prefix);

  const list = async ({ states = TOPIC_STATES, limit, skip }: TopicFilter): Promise<TopicRow[]> => {
    const usual = (state: TopicState): number =>
      states === TOPIC_STATES && (state === 'done' || state === 'cancelled') ? SHOWN_ENDED : SHOWN;
    return (await Promise.all(states.map((state) => topics.latest(state, limit ?? usual(state), skip)))).flat();
  };

  const read = async (given: string): Promise<TopicRow> => {
    const exact = await topics.read(given);
    if (exact) return exact;
    const meant = await topics.beginningWith(given, 2);
    const row = meant.length === 1 ? await topics.read(meant[0]!) : null;
    if (row) return row;
    const latest = (await list({})).slice(-5).map(({ id }) => id).join(', '); // prettier-ignore
    const hint = latest === '' ? 'Submit a topic first: throughline submit.' : `The latest topics are ${latest}.`;
    throw new UsageError('unknown-topic', `Expected the id of a submitted topic, found "${given}". ${hint}`);
  };

  const begin = async (
    row: Pick<TopicRow, 'id' | 'name' | 'priority' | 'phase'>,
    context: TaskContext,
  ): Promise<void> => {
    const { id, phase, priority } = row;
    const engine = await thisEngine();
    const tree = await treeAfter(id, phase, context);
    await topics.begin({ id, name: row.name, priority, engine: engine.words, engineKey: engine.key }, phase);
    const totals = await enqueueTree(tree, priority, {
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
    while ((await removeJobs({ redis, prefix, engineKey }, id)) > 0 && performance.now() < end) await sleep(LOOK_MS);
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

  /** A topic that Redis has forgotten and whose results are in the store. */
  const forgotten = async (given: string, { objects }: TaskContext): Promise<TopicRow | null> => {
    if ((await topics.beginningWith(given, 1)).length > 0) return null;
    const id = await topicNamed(given, objects);
    if ((await objects.head(namesOf(id).done)) === null) return null;
    const head = await readHead(objects, id);
    refuseOtherEngine(head.engine, await engineHere());
    const facts = { id, name: head.topic, priority: USUAL_PRIORITY, engine: '', engineKey: '' };
    return {
      ...facts,
      phase: 'submit',
      state: 'done',
      submitted: '',
      reason: null,
      progress: [],
      skipped: {},
      leftOut: 0,
    };
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
      // Redis forgets ended topics. If the results were removed from the store, the topic is done again.
      if ((state === 'done' || state === null) && (await context.objects.head(namesOf(id).done)) !== null)
        return 'done';
      if (state === 'failed' || state === 'cancelled') await cancel(id);
      await begin({ id, name, priority, phase: 'submit' }, context);
      return 'queued';
    },
    async status(filter = {}) {
      const rows = filter.topic === undefined ? await list(filter) : [await read(filter.topic)];
      const queues = [];
      for (const engineKey of await enginesOf(topics)) {
        for (const kind of TASK_KINDS)
          queues.push(await describeQueue(openQueue(kind, { redis, prefix, engineKey }), kind, engineKey));
      }
      return { topics: rows, counts: await topics.counts(), queues, workers: await topics.workers() };
    },
    isAbandoned: async (id) => (await topics.state(id)) === null,
    async forget(given) {
      const { id, state } = await read(given);
      // The jobs of a failed topic are still in the queues.
      if (state === 'failed') await cancel(id);
      if (await topics.drop(id)) return;
      throw new UsageError('topic-running', `Expected a topic that has ended, found ${id}, which is ${state}. Cancel it first: throughline jobs cancel ${id}.`); // prettier-ignore
    },
    async retry(given, context) {
      const row = await requireEnded(given, ['failed', 'cancelled']);
      await cancel(row.id);
      await begin(row, context);
    },
    async retryLeftOut(given, context) {
      const row = (await forgotten(given, context)) ?? (await requireEnded(given, ['failed', 'cancelled', 'done']));
      const count = await bringBack(row.id, context);
      if ((await topics.state(row.id)) !== null) {
        await topics.set(row.id, { state: 'cancelled', phase: 'submit' });
        await cancel(row.id);
      }
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

/** Keys of all engines that topics wait for or workers of this fleet have, and of this machine. */
async function enginesOf(topics: Topics): Promise<string[]> {
  const workers = (await topics.workers()).map(({ engineKey }) => engineKey);
  return [...new Set([(await thisEngine()).key, ...(await topics.engines()), ...workers])];
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

/** Where a queue keeps the ids of jobs: sorted sets, and lists. */
const SORTED = ['waiting-children', 'prioritized', 'delayed', 'failed'];
const LISTED = ['wait', 'paused', 'active'];

/** Removes the jobs of a topic from all queues, except those that run right now. Returns how many there were. */
async function removeJobs(ground: FlowContext, id: string): Promise<number> {
  let found = 0;
  // A job is removed before those it waits for, so that none becomes ready in between.
  for (const kind of [...[...TASK_KINDS].reverse(), 'gate' as const]) {
    const queue = openQueue(kind, ground);
    for await (const ids of jobsOf(queue, id, ground)) {
      found += ids.length;
      await Promise.all(ids.map((job) => queue.remove(job)));
    }
  }
  return found;
}

/** Ids of the jobs of a topic in one queue, in groups. */
async function* jobsOf(queue: Queue, topic: string, { redis }: FlowContext): AsyncIterable<string[]> {
  for (const set of SORTED) {
    let cursor = '0';
    do {
      const [next, flat] = await redis.zscan(queue.toKey(set), cursor, 'MATCH', `${topic}-*`, 'COUNT', 1000);
      yield flat.filter((_, at) => at % 2 === 0);
      cursor = next;
    } while (cursor !== '0');
  }
  for (const list of LISTED) {
    yield (await redis.lrange(queue.toKey(list), 0, -1)).filter((job) => job.startsWith(`${topic}-`));
  }
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
