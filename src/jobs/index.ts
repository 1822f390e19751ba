/** jobs: the same pipeline as separate tasks, for many machines that share nothing but a store. */
export type { Fleet, FleetStatus, FleetWorker, TopicRow, WorkerSettings } from './bullmq/index.js';
export { bringBack } from './bring-back.js';
export { engineHere, refuseOtherEngine, type Engine } from './engine.js';
export { fetchResults, topicNamed } from './fetch.js';
export { namesOf, type Head } from './records.js';
export { runHere, runTask } from './run-task.js';
export { submitTopic, type Submitted, type SubmitOptions } from './submit.js';
// Tasks work on a store, so a caller that runs tasks opens one.
export { openObjects, type ObjectStore } from '../store/index.js';
export { treeAfter } from './tree.js';
export {
  TASK_KINDS,
  taskId,
  type TaskDesk,
  type Phase,
  type Task,
  type TaskKind,
  type TaskResult,
  type TaskTree,
} from './types.js';

/** Loads the queues on Redis. Only commands that use them pay for loading BullMQ. */
export const loadQueues = async () => import('./bullmq/index.js');
