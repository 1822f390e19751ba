/**
 * The most videos that are compared with each other. A thousand that all look alike, of 60 shots with 1280 numbers each, take
 * 25 minutes; finding the supporters of shots takes 2.5 s per video and 600 MB (measured on 60, decision 22).
 */
export const COMPARED_VIDEOS = 1000;

/** The same for one run, which may set another number. */
export function mostCompared({ comparedVideos = COMPARED_VIDEOS }: { readonly comparedVideos?: number }): number {
  return comparedVideos;
}

/** The most shots that the film of a topic is chosen from: they are solved as one video, at a cost that grows with their square. */
export const POOLED_SHOTS = 2000;

/** The most videos that the report and the contact sheets show: no browser lays out more in a reasonable time. */
export const SHOWN_VIDEOS = 2000;
