/**
 * project: a topic that lives in a folder and grows. It keeps the list of videos, the options, and everything that was
 * worked out, so that a new video costs that video's analysis and no more. How videos are summarised it is told.
 */
export {
  addVideos,
  beginTopic,
  describeTopic,
  includeVideos,
  isTopic,
  keepOptions,
  placesOf,
  removeVideos,
  updateTopic,
  withdrawVideos,
  type Growth,
  type VideoState,
} from './grow.js';
export { parseProject, projectDocument, serialiseProject, type Project, type ProjectVideo } from './record.js';
