import { MOMENT_RUN } from '../topic/index.js';

/** Number of videos whose records share one object. One run of the moment has as many, so it reads a single object. */
export const CHUNK = MOMENT_RUN;

/** Number of chunks for this many items. */
export function chunksOf(count: number): number {
  return Math.ceil(count / CHUNK);
}

/** The places in one chunk of `count` items. */
export function placesOf(chunk: number, count: number): number[] {
  const first = chunk * CHUNK;
  return Array.from({ length: Math.min(CHUNK, count - first) }, (_, at) => first + at);
}

/** Level of the root of the tree that adds up a topic's moment. */
export function rootLevel(count: number): number {
  let level = 0;
  for (let nodes = chunksOf(count); nodes > 1; nodes = chunksOf(nodes)) level++;
  return level;
}
