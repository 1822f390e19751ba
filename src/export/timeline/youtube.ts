import { formatClock } from '../../base/index.js';
import { chaptersOf, type Chapter } from './chapters.js';
import type { TimelineFormat } from './types.js';

/** YouTube shows chapters if the first is at 0:00 and there are at least so many, of at least this length. */
const FEWEST = 3;
const SHORTEST_MS = 10_000;

/**
 * Lines for a YouTube description. Clips shorter than ten seconds share a chapter with those after them. If that leaves
 * fewer than three, every clip has its own line: YouTube links it to its time, but shows no chapters.
 */
export const youtube: TimelineFormat = {
  title: 'YouTube chapters',
  extension: '.chapters.txt',
  write(timeline) {
    const clips = chaptersOf(timeline, { num: 1, den: 1000 });
    const joined = joinShort(clips);
    const isEnough = joined.length >= FEWEST;
    const lines = (isEnough ? joined : clips).map(({ title, start }) => `${clock(start)} ${title}`);
    const found = `${joined.length} of that length could be made of ${clips.length} clips`;
    const note = `YouTube shows chapters only if there are at least ${FEWEST} of at least 10 seconds each; ${found}. It will show these lines as links.`;
    return { text: `${lines.join('\n')}\n`, notes: isEnough ? [] : [note] };
  },
};

/** Chapters of at least ten seconds, as YouTube counts: from one whole second to the next line's. */
function joinShort(clips: readonly Chapter[]): Chapter[] {
  const joined: Chapter[] = [];
  for (const clip of clips) {
    const last = joined.at(-1);
    if (last && wholeSecond(clip.start) - wholeSecond(last.start) < SHORTEST_MS) {
      joined[joined.length - 1] = { ...last, end: clip.end };
    } else joined.push(clip);
  }
  // If the last one is too short it is dropped, and the one before it lasts to the end.
  return joined.filter(({ start, end }) => end - wholeSecond(start) >= SHORTEST_MS);
}

function wholeSecond(ms: number): number {
  return 1000 * Math.floor(ms / 1000);
}

/** `0:07`, `1:02:03`. */
function clock(ms: number): string {
  return formatClock(wholeSecond(ms) / 1000).replace(/\.\d+$/, '');
}
