/**
 * project: a topic that lives in a folder and grows. It stores the list of videos, the options and all analyses, so that a
 * new video costs only its own analysis. The caller says how videos are summarised.
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
  wishesWithout,
  withdrawVideos,
  type Growth,
  type VideoState,
} from './grow.js';
export { parseProject, projectDocument, serialiseProject, type Project, type ProjectVideo } from './record.js';
