import type { RunEvent } from '../base/index.js';
import type { ObjectStore } from '../storage/index.js';
import { othersWanted } from '../pipeline/index.js';
import { namesOf, readHead, requireRecord, type Roster } from './records.js';
import { MOMENT_RUN } from '../topic/index.js';

/** One piece of a topic's work, small enough to send as JSON; everything it needs is in the store. Places count from 0. */
export type Task = { readonly topic: string } &
  /** Opens, hashes and analyses one video: shots, vectors, pictures. `place` is its place among the inputs. */
  (
    | { readonly kind: 'extract'; readonly place: number }
    /** Puts the records of up to 64 videos into one. */
    | { readonly kind: 'gather'; readonly of: 'extract' | 'summarise'; readonly chunk: number }
    /** Decides which videos are in the topic, and how much each counts. */
    | { readonly kind: 'roster' }
    /** One node of the tree that adds up the topic's moment; level 0 adds videos, other levels nodes of the level below. */
    | { readonly kind: 'moment'; readonly level: number; readonly node: number }
    /** Ranks one video against the topic and makes its film. `place` is its place in the roster. */
    | { readonly kind: 'summarise'; readonly place: number }
    /** Makes the film of the whole topic, if asked for. */
    | { readonly kind: 'concept' }
    /** Writes the record and the report. */
    | { readonly kind: 'export' }
  );

/** Kinds of tasks, in the order in which a topic needs them. */
export const TASK_KINDS = ['extract', 'gather', 'roster', 'moment', 'summarise', 'concept', 'export'] as const;
/** One of `TASK_KINDS`. */
export type TaskKind = Task['kind'];

/** A task and the tasks that must be done before it. */
export type TaskTree = { readonly task: Task; readonly children: readonly TaskTree[] };

/** `adding`: its tasks are being queued. `failed`: it has a reason, and `jobs retry` continues it. */
export const TOPIC_STATES = ['adding', 'running', 'failed', 'done', 'cancelled'] as const;
/** One of `TOPIC_STATES`. */
export type TopicState = (typeof TOPIC_STATES)[number];

/** The points at which further tasks of a topic become known. */
export type Phase = 'submit' | 'roster' | 'moment';

/** The result of a task, for the queue. */
export type TaskResult = {
  /** `before`: this or another worker had done it already. */
  readonly done: 'now' | 'before';
  /** Why the video could not be used; the task still counts as done. */
  readonly skipped?: { readonly code: string; readonly message: string };
  /** This task ended a phase: `treeAfter` gives the next tasks. */
  readonly next?: Exclude<Phase, 'submit'>;
};

/** What a task works with. */
export type TaskContext = {
  readonly objects: ObjectStore;
  /** Buckets that videos may come from, besides that of the store. */
  readonly buckets?: readonly string[] | undefined;
  /** A local folder for temporary files; each task removes its own. */
  readonly scratch: string;
  /** How much a task does at the same time. */
  readonly jobs: number;
  readonly emit: (event: RunEvent) => void;
  /** The largest number of videos of which every pair is compared; the same for all tasks of a topic. */
  readonly comparedVideos?: number;
  /** Why tasks that this one depends on were given up, by `taskId`. The topic goes on without their videos. */
  readonly failures?: Readonly<Record<string, string>>;
  /** How often the task can still be tried again if it fails; default 0. */
  readonly triesLeft?: number;
  readonly signal?: AbortSignal | undefined;
};

/** The id of a task: the same for the same task, and safe in names of queues and files. */
export function taskId(task: Task): string {
  const which = [
    ...('of' in task ? [task.of] : []),
    ...('level' in task ? [task.level, task.node] : []),
    ...('chunk' in task ? [task.chunk] : []),
    ...('place' in task ? [task.place] : []),
  ];
  return [task.topic, task.kind, ...which].join('-');
}

/**
 * The tasks that can be planned once a phase is over. After `submit`: every video extracted, gathered, then the roster.
 * After `roster`: the moment, as a tree. After `moment`: every video summarised, gathered, the film of the topic, the export.
 */
export async function treeAfter(topic: string, done: Phase, context: Pick<TaskContext, 'objects'>): Promise<TaskTree> {
  const head = await readHead(context.objects, topic);
  if (done === 'submit') return { task: { topic, kind: 'roster' }, children: gathered(topic, 'extract', head.videos) };
  const { count } = await requireRecord<Roster>(context.objects, namesOf(topic).roster);
  if (done === 'roster' && othersWanted(head, count) === 'moment') return momentTree(topic, count);
  const summaries = gathered(topic, 'summarise', count);
  const concept: TaskTree = { task: { topic, kind: 'concept' }, children: summaries };
  return { task: { topic, kind: 'export' }, children: head.options.concept === undefined ? summaries : [concept] };
}

/** One task per video, and one gather task per chunk of videos. */
function gathered(topic: string, of: 'extract' | 'summarise', count: number): TaskTree[] {
  return ranges(count).map(({ chunk, places }) => ({
    task: { topic, kind: 'gather', of, chunk },
    children: places.map((place) => ({ task: { topic, kind: of, place }, children: [] })),
  }));
}

/** The tree that adds up a topic's moment: a leaf per 64 videos, a node per 64 leaves, and so on up to one root. */
function momentTree(topic: string, count: number): TaskTree {
  const nodeOf = (level: number, node: number): Task => ({ topic, kind: 'moment', level, node });
  let level = 0;
  let nodes = ranges(count).map(({ chunk }): TaskTree => ({ task: nodeOf(0, chunk), children: [] }));
  while (nodes.length > 1) {
    level++;
    nodes = ranges(nodes.length).map(({ chunk, places }) => ({
      task: nodeOf(level, chunk),
      children: places.map((place) => nodes[place]!),
    }));
  }
  return nodes[0]!;
}

function ranges(count: number): { chunk: number; places: number[] }[] {
  return Array.from({ length: chunksOf(count) }, (_, chunk) => ({ chunk, places: placesOf(chunk, count) }));
}

/** Number of videos whose records share one object. One run of the moment has as many, so it reads a single object. */
export const CHUNK = MOMENT_RUN;

/** Number of chunks for this many items. */
export function chunksOf(count: number): number {
  return Math.ceil(count / CHUNK);
}

/** The places in one chunk of `count` items. */
export function placesOf(chunk: number, count: number): number[] {
  const first = chunk * CHUNK;
  return Array.from({ length: Math.min(CHUNK, count - first) }, (_, at) => first + at);
}

/** Level of the root of the tree that adds up a topic's moment. */
export function rootLevel(count: number): number {
  let level = 0;
  for (let nodes = chunksOf(count); nodes > 1; nodes = chunksOf(nodes)) level++;
  return level;
}
