/**
 * The most videos that are compared with each other: finding doubles among them, and supporters of their shots, costs the
 * square of their number (decision 22).
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

/** Numbers that the vectors of a topic may have in memory, 48 MB; the vectors of a larger one are kept in a file. */
export const HELD_NUMBERS = 6e6;

/** The most videos in which counterparts of each chosen shot are searched: that compares every chosen shot with all shots. */
export const SEARCHED_VIDEOS = 200;
