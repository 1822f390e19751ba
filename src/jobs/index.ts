/** jobs: the same pipeline in pieces, for many machines that share a store and nothing else. */
export type { Fleet, FleetStatus, FleetWorker, TopicRow, WorkerSettings } from './bullmq/index.js';
export { bringBack } from './bring-back.js';
export { engineHere, refuseOtherEngine, type Engine } from './engine.js';
export { fetchResults, topicNamed } from './fetch.js';
export { namesOf, type Head } from './records.js';
export { runHere, runTask } from './run-task.js';
export { submitTopic, type Submitted, type SubmitOptions } from './submit.js';
// Where machines meet: a task works on a store, so whoever runs tasks opens one.
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

/** Queues on Redis, for machines that share work; loaded when asked for, so that one machine alone pays nothing. */
export const loadQueues = async () => import('./bullmq/index.js');
