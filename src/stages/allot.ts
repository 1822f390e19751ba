import { lengthInSeconds } from '../base/index.js';
import type { Run } from '../run.js';
import { allotLengths } from '../summary/index.js';
import type { OutlinedVideo } from './analyse-videos.js';
import { READABLE_S, TOLERANCE_S, VISIBLE_S } from './clip-lengths.js';
import { note } from './note.js';
import type { Related } from './relate.js';
import type { RunWishes } from './run-wishes.js';

/** How long a video is, and the longest of its takes, in seconds. */
export type Extent = { readonly seconds: number; readonly longestTake: number };

/** The extent of an analysed video. */
export function extentOf({ analysis: { start, end, timeBase: base, takes } }: Pick<OutlinedVideo, 'analysis'>): Extent {
  const longestTake = takes.reduce((longest, { range }) => Math.max(longest, lengthInSeconds(range)), 0);
  return { seconds: lengthInSeconds({ start, end, base }), longestTake };
}

/**
 * Which length the film of each video has, if not that of the run: where a share is asked for and videos are so short that
 * theirs is no readable clip, they compete for what all of them may have together (decision 37). Originals come before
 * doubles, then what counts more, what is more like the others, what is longer. A note says how many have no film.
 */
export function allot(
  videos: readonly (Pick<Related, 'standing' | 'belonging'> & { readonly name: string; readonly extent: Extent })[],
  { pin }: Pick<RunWishes, 'pin'>,
  run: Run,
): Pick<Related, 'budget'>[] {
  const { budget, options } = run;
  // Where clips play as they were found, none is widened to a readable length.
  if (budget.kind !== 'share' || options.cutAt === 'exact') return videos.map(() => ({}));
  const readable = Math.max(options.minClip ?? 0, Math.min(READABLE_S, options.maxClip ?? Infinity));
  const wished = new Set(pin.map(({ video }) => video));
  const contenders = videos.map(({ name, extent: { seconds, longestTake } }) => {
    const least = Math.min(seconds, Math.max(VISIBLE_S, Math.min(readable, longestTake)));
    return { seconds, least, isWished: wished.has(name) };
  });
  const weakness = ({ standing, belonging, extent }: (typeof videos)[number]): number[] => [
    standing?.doubleOf === undefined ? 0 : 1,
    -(standing?.weight ?? 1),
    belonging?.rank ?? 0,
    -extent.seconds,
  ];
  const weaknesses = videos.map(weakness);
  const order = [...videos.keys()].sort((a, b) => compareLists(weaknesses[a]!, weaknesses[b]!) || a - b);
  const allotted = allotLengths(contenders, order, budget, TOLERANCE_S);
  const without = allotted.filter((given) => given === null).length;
  if (without > 0) {
    note(
      run,
      'no-own-film',
      `No film of their own: ${without} of ${videos.length} videos, too short for ${options.length}. A clip has at least ${readable} s, and the films of the others are as long as all may be together.`,
    );
  }
  return allotted.map((given) => (given === budget ? {} : { budget: given }));
}

/** The first difference between two lists of numbers. */
function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}
