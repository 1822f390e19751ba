/**
 * Videos that are compared each with each, at most: of 60 shots and 1280 numbers, a thousand that all look alike take 25
 * minutes, and naming who stands behind a shot takes 2.5 s a video and 600 MB (measured on 60, decision 22).
 */
export const COMPARED_VIDEOS = 1000;

/** The same for one run, which may have been told another number. */
export function mostCompared({ comparedVideos = COMPARED_VIDEOS }: { readonly comparedVideos?: number }): number {
  return comparedVideos;
}

/** Shots the film of a topic is chosen from, at most: they are solved as one video, at a cost that grows with their square. */
export const POOLED_SHOTS = 2000;

/** Videos that the report and the contact sheets show, at most: beyond, no browser lays out the page in a reasonable time. */
export const SHOWN_VIDEOS = 2000;
