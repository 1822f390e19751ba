import { FlowProducer, type FlowJob, type ParentOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';

import { taskId, type Task, type TaskKind, type TaskTree } from '../types.js';
import { placeOf } from './topics.js';
import type { Tries } from './retry.js';

/** What a job in a queue carries. */
export type JobData = {
  readonly task: Task;
  readonly tries?: Tries;
  /** When to try again, in milliseconds by the clock of Redis. */
  readonly due?: number;
};

export type TaskOfVideo = Task & { readonly kind: 'extract' | 'summarise' };

/** A topic goes on without a video whose task of this kind was given up. */
export function isOfOneVideo(task: Task): task is TaskOfVideo {
  return task.kind === 'extract' || task.kind === 'summarise';
}

/** A queue a kind and engine: a worker of another engine does not even see the jobs. */
export function queueName(kind: TaskKind | 'gate', engineKey: string): string {
  return `${kind}-${engineKey}`;
}

/** Each listens to the connection it stands on, so there is one of a name, which goes with it. */
const queuesOn = new WeakMap<Redis, Map<string, Queue<JobData>>>();

/** A queue on a connection; that this broke is seen by whoever uses it. */
export function openQueue(kind: TaskKind | 'gate', { redis, prefix, engineKey }: Ground): Queue<JobData> {
  const name = queueName(kind, engineKey);
  const queues = queuesOn.get(redis) ?? new Map<string, Queue<JobData>>();
  queuesOn.set(redis, queues);
  const known = queues.get(`${prefix}:${name}`);
  if (known) return known;
  const queue = new Queue<JobData>(name, { connection: redis, prefix }).on('error', () => undefined);
  queues.set(`${prefix}:${name}`, queue);
  return queue;
}

/** Nodes of a tree that are added to Redis in one go; larger steps block it for longer than a few milliseconds. */
const NODES_A_STEP = 256;

/** Where trees are planted. */
export type Ground = { readonly redis: Redis; readonly prefix: string; readonly engineKey: string };

/**
 * Queues a tree of tasks and tells how many of each sort there are. A task with many below it waits behind a gate until all
 * of these are added; whoever is interrupted leaves the gate shut, and the next one goes on. Twice, or at once, does no harm.
 */
export async function plant(tree: TaskTree, priority: number, ground: Ground): Promise<Map<string, number>> {
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
      // An open gate says that everything is added; what is there was added with all below it.
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

/** Trees in steps that Redis takes in one go; one that is too large for that is a step of its own. */
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

/** How many tasks of each sort a tree has. */
function countTasks(tree: TaskTree, counts = new Map<string, number>()): Map<string, number> {
  const { sort } = placeOf(tree.task);
  counts.set(sort, (counts.get(sort) ?? 0) + 1);
  for (const child of tree.children) countTasks(child, counts);
  return counts;
}
