import type { Listener } from '../base/index.js';
import type { ObjectStore } from '../store/index.js';

/** One piece of a topic's work, small enough to travel as JSON: what it needs is in the store. Places count from 0. */
export type Task = { readonly topic: string } &
  /** One video: its shots, their vectors and pictures. `place` is that of the input. */
  (
    | { readonly kind: 'extract'; readonly place: number }
    /** Records of 64 videos brought together in one. */
    | { readonly kind: 'gather'; readonly of: 'extract' | 'summarise'; readonly chunk: number }
    /** Who is in the topic, and what each counts. */
    | { readonly kind: 'roster' }
    /** A node of the tree that adds up what the videos show; level 0 adds videos, the others nodes of the level below. */
    | { readonly kind: 'moment'; readonly level: number; readonly node: number }
    /** One video ranked against the topic, and its film. `place` is that in the roster. */
    | { readonly kind: 'summarise'; readonly place: number }
    /** The film of the whole topic, where asked for. */
    | { readonly kind: 'concept' }
    /** The record and the report. */
    | { readonly kind: 'export' }
  );

/** Kinds of tasks, in the order a topic comes to them. */
export const TASK_KINDS = ['extract', 'gather', 'roster', 'moment', 'summarise', 'concept', 'export'] as const;
/** What a task is about; `TASK_KINDS` lists them. */
export type TaskKind = Task['kind'];

/** A task and those that must be done before it. */
export type TaskTree = { readonly task: Task; readonly children: readonly TaskTree[] };

/** The points of a topic from which on more tasks are known. */
export type Phase = 'submit' | 'roster' | 'moment';

/** What became of a task, for whoever keeps the queue. */
export type TaskResult = {
  /** It had been done before, by this or another worker, and nothing was done again. */
  readonly done: 'now' | 'before';
  /** A video that could not be used, with its reason; the task is done all the same. */
  readonly skipped?: { readonly code: string; readonly message: string };
  /** A phase ended with this task: `treeAfter` gives the next tasks. */
  readonly next?: Exclude<Phase, 'submit'>;
};

/** What a task works with. */
export type TaskDesk = {
  readonly objects: ObjectStore;
  /** A local folder; each task cleans up behind itself. */
  readonly scratch: string;
  /** Work done at the same time inside one task. */
  readonly jobs: number;
  readonly tell: Listener;
  /** Videos that are compared each with each, at most: the same for all tasks of a topic. */
  readonly comparedVideos?: number;
  /** Why tasks below this one failed for good, by `taskId`; a topic goes on without a video whose task did. */
  readonly failures?: Readonly<Record<string, string>>;
  /** How often a task will be tried again should it fail here; 0 unless given. */
  readonly triesLeft?: number;
  readonly signal?: AbortSignal | undefined;
};

/** A name for a task: the same task, the same name; safe in queues and file names. */
export function taskId(task: Task): string {
  const which = [
    ...('of' in task ? [task.of] : []),
    ...('level' in task ? [task.level, task.node] : []),
    ...('chunk' in task ? [task.chunk] : []),
    ...('place' in task ? [task.place] : []),
  ];
  return [task.topic, task.kind, ...which].join('-');
}
