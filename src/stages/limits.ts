/** Topics up to this many videos are compared video by video, which costs its square in time and all features in memory. */
export const COMPARED_VIDEOS = 1000;

/** Shots the film of a topic is chosen from at most: they are solved as one video, in time and memory that grow with their square. */
export const POOLED_SHOTS = 2000;
