/**
 * jobs: the same pipeline as separate tasks, for many machines that share nothing but a store.
 *
 *     submit ─▶ extract, per video ─▶ gather, per 64 ─▶ roster ─▶ moment, a tree of 64s
 *            ─▶ summarise, per video ─▶ gather, per 64 ─▶ concept (if asked for) ─▶ export
 *
 * - Submitting opens no video: its extract task does, so that the first tasks start at once.
 * - A task may be done twice, by two workers at once, or be stopped anywhere: its record appears whole and last, and every
 *   worker makes the same bytes. A task looks for its record first.
 * - Passing errors are thrown, to be tried again; what is wrong with a video is recorded for it. Tasks that failed for good
 *   reach gather in `context.failures` (`given-up`).
 * - The id of a topic is made from everything that decides the result, and from the engine; workers of another engine
 *   refuse.
 * - BullMQ and Redis live in `bullmq` alone, loaded on demand.
 */
export type { Fleet, FleetStatus, FleetWorker, TopicRow, WorkerSettings } from './bullmq/index.js';
export { bringBack, fetchResults, topicNamed } from './fetch.js';
export { engineHere, refuseOtherEngine } from './engine.js';
export { namesOf, type Head } from './records.js';
export { pruneStore, type Pruned } from './prune.js';
export { runHere, runTask } from './run-task.js';
export { keepPart, submitAll, submitTopic, type Submitted } from './submit.js';
// Tasks work on a store, so a caller that runs tasks opens one.
export { openObjects } from '../storage/index.js';
export {
  treeAfter,
  TASK_KINDS,
  TOPIC_STATES,
  taskId,
  type TaskContext,
  type Phase,
  type Task,
  type TaskKind,
  type TaskResult,
  type TaskTree,
  type TopicState,
} from './tasks.js';

/** Loads the queues on Redis. Only commands that use them pay for loading BullMQ. */
export const loadQueues = async () => import('./bullmq/index.js');
