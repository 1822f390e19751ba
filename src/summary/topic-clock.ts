import { toSeconds, type TimeRange } from '../base/index.js';
import { agreementOf, type FilmOrder, type OrderedShot, type OrderRule } from './film-order.js';
import type { DatedVideo, Recorded } from './recorded.js';

/** A video that others hear too: its group, where it begins in it in seconds, and how certain that is. */
export type HeardVideo = { readonly group: number; readonly offsetSeconds: number; readonly confidence: number };

/** Where a video begins on the clock of its topic, and how that is known. */
export type VideoClock = {
  readonly recorded: Recorded | null;
  readonly heard: HeardVideo | null;
  /** Seconds; `null` if neither its file nor its sound says. */
  readonly startSeconds: number | null;
};

/**
 * Recorded times, corrected by sound. Videos that hear the same have exact distances, and cameras have clocks that are off:
 *   start_v = offset_v + median over the group's videos u with a time of (time_u − offset_u)
 * A group without any time has a clock of its own, which counts only if the whole topic is in it.
 */
export function setClocks(dated: readonly DatedVideo[], heard: readonly (HeardVideo | null)[]): VideoClock[] {
  const corrections = new Map<number, number[]>();
  for (const [at, { startSeconds }] of dated.entries()) {
    const own = heard[at];
    if (!own || startSeconds === null) continue;
    corrections.set(own.group, [...(corrections.get(own.group) ?? []), startSeconds - own.offsetSeconds]);
  }
  const isOneGroup = dated.length > 1 && heard.every((own) => own !== null && own.group === heard[0]?.group);
  return dated.map(({ recorded, startSeconds }, at) => {
    const own = heard[at] ?? null;
    const begin = own && (medianOf(corrections.get(own.group) ?? []) ?? (isOneGroup ? 0 : null));
    return { recorded, heard: own, startSeconds: begin === null || own === null ? startSeconds : begin + own.offsetSeconds }; // prettier-ignore
  });
}

/** The lower one of two in the middle: a time that one of the videos has. */
function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? null;
}

/** A shot of one of several videos, by the place of its video. */
type PlacedShot = Pick<OrderedShot, 'source' | 'range' | 'whole'>;

/** Sound is aligned to within this, in seconds: a shorter overlap of two shots is none. */
const ALIGNED_WITHIN = 0.1;

/** Whether two shots of different videos show one instant, by their sound. */
export function sameInstant(clocks: readonly VideoClock[]): (a: PlacedShot, b: PlacedShot) => boolean {
  const within = ({ source, range, whole }: PlacedShot): { group: number; start: number; end: number } | null => {
    const heard = clocks[source]?.heard;
    if (!heard) return null;
    const from = heard.offsetSeconds - toSeconds(whole.start, whole.base);
    return { group: heard.group, start: from + secondsAt(range, 'start'), end: from + secondsAt(range, 'end') };
  };
  return (a, b) => {
    if (a.source === b.source) return false;
    const [one, other] = [within(a), within(b)];
    if (one?.group === undefined || one.group !== other?.group) return false;
    return Math.min(one.end, other.end) - Math.max(one.start, other.start) > ALIGNED_WITHIN;
  };
}

function secondsAt(range: TimeRange, edge: 'start' | 'end'): number {
  return toSeconds(range[edge], range.base);
}

/** The rule that orders a film, and why, as a sentence. */
export type OrderChoice = { readonly rule: OrderRule; readonly reason: string };

/** With `auto`, at most this share of the film's videos may be without a time. */
const MAX_UNDATED = 0.25;
/** Videos agree on an order if they do so by two standard deviations more than by chance. */
const MIN_AGREEMENT = 2;

/**
 * The rule for a film. `auto` takes the first that the videos allow: time, if nearly all have one; moments, if the videos
 * show what they share in the same order; wide to close, if pictures can be read; position.
 */
export function chooseOrder(
  asked: FilmOrder,
  shots: readonly OrderedShot[],
  clocks: readonly VideoClock[],
): OrderChoice {
  const isMeasured = shots.some(({ closeness = null }) => closeness !== null);
  if (asked === 'wide' && isMeasured) return { rule: 'wide', reason: `${WIDE}, as asked for.` };
  if (asked === 'wide')
    return { rule: 'position', reason: `${POSITION}: there is no picture to measure wide and close by.` };
  if (asked === 'film' || asked === 'position') return { rule: 'position', reason: `${POSITION}, as asked for.` };
  if (asked === 'source' || asked === 'importance') return { rule: asked, reason: `${NAMES[asked]}, as asked for.` };
  const shown = [...new Set(shots.map(({ source }) => source))].sort((a, b) => a - b);
  const dated = shown.filter((source) => clocks[source]!.startSeconds !== null);
  const isDated = shown.length > 1 && dated.length >= (1 - MAX_UNDATED) * shown.length;
  const who = `${dated.length === 0 ? 'none' : dated.length} of its ${shown.length} videos`;
  const withTime = `${who} ${dated.length < 2 ? 'has' : 'have'} a time that can be used`;
  if (asked === 'time' || (asked === 'auto' && isDated)) {
    if (dated.length === 0)
      return { rule: 'position', reason: `${POSITION}: none of its videos has a time of recording.` };
    const rest = dated.length < shown.length ? ' The others play along by their place in their own video.' : '';
    return { rule: 'time', reason: `By time of recording: ${withTime} (${sourcesOf(dated, clocks)}).${rest}` };
  }
  const { z, tau, pairs } = agreementOf(shots);
  const agree = `over ${pairs} ${pairs === 1 ? 'pair' : 'pairs'} of videos (τ ${tau.toFixed(2)}, ${z.toFixed(1)} standard deviations from chance)`;
  if (asked === 'moments' || z >= MIN_AGREEMENT) {
    if (pairs === 0) return { rule: 'position', reason: `${POSITION}: no two videos share two moments.` };
    return { rule: 'moments', reason: `By moments, as most videos show them: their orders agree ${agree}.` };
  }
  const apart = pairs === 0 ? 'no two videos share two moments' : `the videos do not agree on an order ${agree}`;
  const [rule, name] = isMeasured ? (['wide', WIDE] as const) : (['position', POSITION] as const);
  return { rule, reason: `${name}: ${withTime}, and ${apart}.` };
}

const POSITION = 'By place in the own video';
const WIDE = 'From wide to close views';
const NAMES = { source: 'Video by video', importance: 'Most important first' } as const;

/** `2 by QuickTime date, 1 by file name, 3 set by sound`. */
function sourcesOf(dated: readonly number[], clocks: readonly VideoClock[]): string {
  const counts = new Map<string, number>();
  for (const source of dated) {
    const { heard, recorded } = clocks[source]!;
    const by = heard ? 'set by sound' : `by ${TIME_NAMES[recorded!.from]}`;
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  return [...counts].map(([by, count]) => `${count} ${by}`).join(', ');
}

/** How people call the sources of times. */
export const TIME_NAMES: Readonly<Record<Recorded['from'], string>> = {
  quicktime: 'QuickTime date',
  container: 'creation time of the file',
  name: 'file name',
  number: 'file number',
};
