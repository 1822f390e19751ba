import { MOMENT_RUN } from '../topic/index.js';

/** Records of this many videos stand in one object; as many make a run of the moment, so that one object feeds it. */
export const CHUNK = MOMENT_RUN;

/** So many things, 64 a chunk. */
export function chunksOf(count: number): number {
  return Math.ceil(count / CHUNK);
}

/** The places of a chunk. */
export function placesOf(chunk: number, count: number): number[] {
  const first = chunk * CHUNK;
  return Array.from({ length: Math.min(CHUNK, count - first) }, (_, at) => first + at);
}

/** The level of the root of a topic's moment. */
export function rootLevel(count: number): number {
  let level = 0;
  for (let nodes = chunksOf(count); nodes > 1; nodes = chunksOf(nodes)) level++;
  return level;
}
