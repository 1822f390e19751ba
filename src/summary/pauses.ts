import type { FrameClock } from '../shots/index.js';
import { firstFrom, tickAt } from './clips.js';

/** What may not be cut through: where somebody speaks (in ticks, in order), and how much moves before each frame. */
export type Course = {
  readonly speech: readonly { readonly start: number; readonly end: number }[];
  /** Gaps between words, in ticks, in order. */
  readonly gaps?: readonly { readonly start: number; readonly end: number }[];
  /** How much each frame differs from the one before it, on any scale; `null` if it was not measured. */
  readonly motion: ArrayLike<number> | null;
};

/** Looks for a frame near `frame` and within [low, high] at which a clip may begin or end. */
export type FindPause = (frame: number, low: number, high: number) => number;

/** How far a clip's edge may move for a pause, in seconds. */
const REACH_S = 0.5;
/** Motion below this share of what moves at the wanted frame is a pause of motion. */
const STILL = 0.5;

/**
 * Finds pauses: the frame of least cost within half a second,
 *   cost(f) = 8 [f is inside speech, half of that between words] + 2 [motion_f > motion_wanted / 2] + |t_f − t_wanted| / reach.
 * So speech is cut only where no pause is within reach, and then between words, an edge outside of speech moves only to where it is clearly
 * calmer, and of equal pauses the nearest one is taken. At a real cut (`isCut`) only speech moves an edge.
 */
export function pauseFinder(
  { speech, gaps = [], motion }: Course,
  clock: FrameClock,
  isCut: (frame: number) => boolean,
): FindPause {
  const reach = (REACH_S * clock.timeBase.den) / clock.timeBase.num;
  const [inSpeech, isBetweenWords] = [insideOf(speech), insideOf(gaps)];
  return (frame, low, high) => {
    const wanted = tickAt(frame, clock);
    const first = firstFrom(wanted - reach, low, frame, clock);
    const calm = motion === null || isCut(frame) ? Infinity : STILL * (motion[frame] ?? 0);
    let [best, least] = [frame, Infinity];
    for (let f = first; f <= high && tickAt(f, clock) <= wanted + reach; f++) {
      const moves = calm < Infinity && (f === frame || motion![f]! > calm) ? 2 : 0;
      const tick = tickAt(f, clock);
      const cut = inSpeech(tick) ? (isBetweenWords(tick) ? 4 : 8) : 0;
      const cost = cut + moves + Math.abs(tick - wanted) / reach;
      if (cost < least) [best, least] = [f, cost];
    }
    return best;
  };
}

/** Whether a tick lies strictly inside one of the ranges, which are in order. */
function insideOf(ranges: Course['speech']): (tick: number) => boolean {
  return (tick) => {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranges[middle]!.end <= tick) low = middle + 1;
      else high = middle;
    }
    return low < ranges.length && ranges[low]!.start < tick;
  };
}
