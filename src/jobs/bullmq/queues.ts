import { FlowProducer, type FlowJob, type ParentOptions, Queue } from 'bullmq';

import { taskId, type Task, type TaskKind, type TaskTree } from '../tasks.js';
import { placeOf, type Client } from './topics.js';
import type { Tries } from './processor.js';

/** The data of a job in a queue. */
export type JobData = {
  readonly task: Task;
  readonly tries?: Tries;
  /** When to try again, in milliseconds by the clock of Redis. */
  readonly due?: number;
};

/** A task about a single video. If it is given up, the topic goes on without the video. */
export type TaskOfVideo = Task & { readonly kind: 'extract' | 'summarise' };

/** Whether a task is about a single video. */
export function isOfOneVideo(task: Task): task is TaskOfVideo {
  return task.kind === 'extract' || task.kind === 'summarise';
}

/** There is one queue per kind and engine, so workers with another engine do not see the jobs. */
export function queueName(kind: TaskKind | 'gate', engineKey: string): string {
  return `${kind}-${engineKey}`;
}

/** Every queue adds listeners to its connection, so there is only one of each name per connection. */
const queuesOn = new WeakMap<Client, Map<string, Queue<JobData>>>();

/** A queue on a connection, for as long as the connection lives. Errors surface in the calls that use it. */
export function openQueue(kind: TaskKind | 'gate', { redis, prefix, engineKey }: FlowContext): Queue<JobData> {
  const name = queueName(kind, engineKey);
  const queues = queuesOn.get(redis) ?? new Map<string, Queue<JobData>>();
  queuesOn.set(redis, queues);
  const known = queues.get(`${prefix}:${name}`);
  if (known) return known;
  const queue = new Queue<JobData>(name, { connection: redis, prefix }).on('error', () => undefined);
  queues.set(`${prefix}:${name}`, queue);
  return queue;
}

/** Jobs added to Redis in one step; larger steps would block it for more than a few milliseconds. */
const NODES_A_STEP = 256;

/** The queues of one engine in one fleet. */
export type FlowContext = { readonly redis: Client; readonly prefix: string; readonly engineKey: string };

/**
 * Queues a tree of tasks and returns the number of tasks of each sort. A large tree is added in steps; its root waits behind
 * a gate until all steps are done. An interrupted call leaves the gate in place, and the next call continues. Calling it
 * twice, even at the same time, does no harm.
 */
export async function enqueueTree(tree: TaskTree, priority: number, ground: FlowContext): Promise<Map<string, number>> {
  const { redis, prefix, engineKey } = ground;
  const producer = new FlowProducer({ connection: redis, prefix }).on('error', () => undefined);
  const gates = openQueue('gate', ground);

  const isThere = async (kind: TaskKind | 'gate', task: Task): Promise<boolean> =>
    (await redis.exists(`${prefix}:${queueName(kind, engineKey)}:${taskId(task)}`)) === 1;
  const flowOf = ({ task, children }: TaskTree): FlowJob => ({
    ...jobOf(task, priority, engineKey),
    ...(children.length > 0 ? { children: children.map(flowOf) } : {}),
  });

  const addGated = async ({ task, children }: TaskTree, parent?: ParentOptions): Promise<void> => {
    const id = taskId(task);
    if (!(await isThere(task.kind, task))) {
      const gate = { name: 'gate', queueName: queueName('gate', engineKey), opts: { jobId: id } };
      await producer.add({ ...under(jobOf(task, priority, engineKey), parent), children: [gate] });
    }
    const self = { id, queue: `${prefix}:${queueName(task.kind, engineKey)}` };
    for (const step of stepsOf(children)) {
      // No gate: everything was added. A job that exists was added together with all below it.
      if (!(await isThere('gate', task))) return;
      const [only] = step;
      if (only && sizeOf(only) > NODES_A_STEP) await addGated(only, self);
      else {
        const known = await Promise.all(step.map((child) => isThere(child.task.kind, child.task)));
        await producer.addBulk(step.filter((_, at) => !known[at]).map((child) => under(flowOf(child), self)));
      }
    }
    await gates.remove(id);
  };

  try {
    await addGated(tree);
    return countTasks(tree);
  } finally {
    await producer.close();
  }
}

function under(flow: FlowJob, parent: ParentOptions | undefined): FlowJob {
  return parent ? { ...flow, opts: { ...flow.opts, parent } } : flow;
}

function jobOf(task: Task, priority: number, engineKey: string): FlowJob {
  const data: JobData = { task };
  return {
    name: task.kind,
    queueName: queueName(task.kind, engineKey),
    data,
    opts: {
      jobId: taskId(task),
      priority,
      removeOnComplete: true,
      ...(isOfOneVideo(task) ? { ignoreDependencyOnFailure: true, removeOnFail: true } : {}),
    },
  };
}

/** Groups trees into steps of at most `NODES_A_STEP` nodes; a larger tree is a step of its own. */
function* stepsOf(trees: readonly TaskTree[]): Iterable<readonly TaskTree[]> {
  let step: TaskTree[] = [];
  let nodes = 0;
  for (const tree of trees) {
    const size = sizeOf(tree);
    if (step.length > 0 && nodes + size > NODES_A_STEP) {
      yield step;
      [step, nodes] = [[], 0];
    }
    step.push(tree);
    nodes += size;
  }
  if (step.length > 0) yield step;
}

function sizeOf(tree: TaskTree): number {
  return tree.children.reduce((sum, child) => sum + sizeOf(child), 1);
}

/** Number of tasks of each sort in a tree. */
function countTasks(tree: TaskTree, counts = new Map<string, number>()): Map<string, number> {
  const { sort } = placeOf(tree.task);
  counts.set(sort, (counts.get(sort) ?? 0) + 1);
  for (const child of tree.children) countTasks(child, counts);
  return counts;
}

/** Backoff per kind of task, for kinds that fail for reasons of this machine. */
export type Backoffs = {
  /** Pauses a kind, twice as long each time until a task of it works. Returns the pause in ms; `null` if it is paused already. */
  begin(kind: TaskKind): number | null;
  /** A task of this kind worked: resets the length of the next pause. */
  worked(kind: TaskKind): void;
  /** Clears all timers; paused kinds stay paused. */
  close(): void;
};

const FIRST_PAUSE_MS = 5_000;
/** As long as the longest wait of a task, so that a repaired machine is back within a minute. */
const LONGEST_PAUSE_MS = 60_000;

export function openBackoffs({ pause, resume }: Record<'pause' | 'resume', (kind: TaskKind) => void>): Backoffs {
  const timers = new Map<TaskKind, NodeJS.Timeout>();
  const counts = new Map<TaskKind, number>();
  return {
    begin(kind) {
      if (timers.has(kind)) return null;
      const count = counts.get(kind) ?? 0;
      counts.set(kind, count + 1);
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** count);
      pause(kind);
      const end = (): void => {
        timers.delete(kind);
        resume(kind);
      };
      timers.set(kind, setTimeout(end, pauseMs));
      return pauseMs;
    },
    worked: (kind) => void counts.delete(kind),
    close: () => timers.forEach(clearTimeout),
  };
}
