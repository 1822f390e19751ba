/** throughline-video/jobs: the same work as tasks for many machines that share a store. */
export { openObjects, type ObjectStore } from '../storage/index.js';
export {
  fetchResults,
  runHere,
  runTask,
  submitTopic,
  treeAfter,
  type Phase,
  type Submitted,
  type Task,
  type TaskContext,
  type TaskResult,
  type TaskTree,
} from '../jobs/index.js';
