/** jobs: the same pipeline in pieces, for many machines that share a store and nothing else. */
export {
  taskId,
  type Desk,
  type ObjectStore,
  type Phase,
  type Task,
  type TaskKind,
  type TaskResult,
  type TaskTree,
} from './types.js';
