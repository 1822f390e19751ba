import { rational, type Rational, rescale, UsageError } from '../base/index.js';
import type { Timeline, TimelineClip, TimelineSource } from './types.js';

/** A way to number frames: how many per second, and whether labels are dropped to stay in step with the clock. */
export type Counting = { readonly rate: Rational; readonly dropFrame: boolean };

const ntsc = (nominal: number): Rational => ({ num: nominal * 1000, den: 1001 });
const whole = (nominal: number): Rational => ({ num: nominal, den: 1 });

/** The rates editing systems work at, by the name people use. */
const STANDARD: readonly (readonly [string, Rational])[] = [
  ['23.976', ntsc(24)],
  ['24', whole(24)],
  ['25', whole(25)],
  ['29.97', ntsc(30)],
  ['30', whole(30)],
  ['50', whole(50)],
  ['59.94', ntsc(60)],
  ['60', whole(60)],
];

/** Frames per second above which timecode makes no sense; faster sources are conformed. */
const MAX_FRAMES_A_SECOND = 1000;

/** What `parseRate` reads, for help and error texts. */
export const RATE_NAMES: readonly string[] = STANDARD.flatMap(([name, rate]) =>
  canDrop(rate) ? [name, `${name}df`] : [name],
);

/** Reads a rate as people write it: `25`, `23.98`, `29.97`, `29.97df`. */
export function parseRate(text: string): Counting {
  const [, number = '', mode = ''] = /^(\d+(?:\.\d+)?)\s*(df|ndf)?$/.exec(text.trim().toLowerCase()) ?? [];
  const name = number === '23.98' ? '23.976' : number;
  const rate = STANDARD.find(([known]) => known === name)?.[1];
  if (rate === undefined || (mode === 'df' && !canDrop(rate))) {
    throw new UsageError('bad-rate', `Expected a frame rate of ${RATE_NAMES.join(', ')}, found "${text}".`);
  }
  return { rate, dropFrame: mode === 'df' };
}

/** The name of a rate, such as `29.97df`; rates without a name are written as a decimal number. */
export function formatRate({ rate, dropFrame }: Counting): string {
  const name = STANDARD.find(([, known]) => isSameRate(known, rate))?.[0];
  return `${name ?? String(Math.round((1000 * rate.num) / rate.den) / 1000)}${dropFrame ? 'df' : ''}`;
}

/** Whether two fractions are the same rate, however they are written. */
export function isSameRate(a: Rational, b: Rational): boolean {
  return BigInt(a.num) * BigInt(b.den) === BigInt(b.num) * BigInt(a.den);
}

/** The time base that counts frames of a rate: seconds per frame. */
export function frameBase(rate: Rational): Rational {
  return { num: rate.den, den: rate.num };
}

/** Frames that timecode counts per second: 30 for 29.97. */
export function nominalOf(rate: Rational): number {
  return Math.round(rate.num / rate.den);
}

/** True for rates that timecode can count: a whole number of frames per second, or that × 1000/1001. */
export function isCountable(rate: Rational): boolean {
  const nominal = nominalOf(rate);
  if (nominal < 1 || nominal > MAX_FRAMES_A_SECOND) return false;
  return isSameRate(rate, whole(nominal)) || isSameRate(rate, ntsc(nominal));
}

/**
 * The rate in which timecode counts `frames` frames of a file, or `null`. 2997/100 counts as 30000/1001 if both number
 * every frame the same, that is, if they differ by less than half a frame at the end.
 */
export function countableRate(rate: Rational, frames: number): Rational | null {
  const meant = rateOfNumber(rate.num / rate.den);
  if (meant === null) return null;
  const drift = Math.abs((rate.num * meant.den) / (rate.den * meant.num) - 1) * frames;
  return drift < 0.5 ? meant : null;
}

/** Drop-frame labels exist for 29.97 and its multiples (SMPTE ST 12-1). */
export function canDrop(rate: Rational): boolean {
  const nominal = nominalOf(rate);
  return nominal > 0 && nominal % 30 === 0 && isSameRate(rate, ntsc(nominal));
}

/** The standard rate nearest to a number of frames per second; of two, the lower. */
export function nearestStandard(framesASecond: number): Rational {
  return nearest(
    STANDARD.map(([, rate]) => rate),
    framesASecond,
  );
}

/** The rate for a timeline of such sources: the nearest standard one that divides it or is divided by it, else the nearest. */
export function timelineRateFor(rate: Rational): Rational {
  const rates = STANDARD.map(([, known]) => known);
  const related = rates.filter((known) => divides(known, rate) || divides(rate, known));
  return nearest(related.length > 0 ? related : rates, rate.num / rate.den);
}

function divides(a: Rational, b: Rational): boolean {
  return (BigInt(b.num) * BigInt(a.den)) % (BigInt(b.den) * BigInt(a.num)) === 0n;
}

function nearest(rates: readonly Rational[], framesASecond: number): Rational {
  const distance = ({ num, den }: Rational): number => Math.abs(num / den - framesASecond);
  return rates.reduce((best, rate) => (distance(rate) < distance(best) ? rate : best));
}

/** The rate that a decimal number means, or `null`: 29.97 and 29.970 03 are 30000/1001. */
export function rateOfNumber(framesASecond: number): Rational | null {
  const nominal = Math.round(framesASecond);
  if (!(nominal >= 1 && nominal <= MAX_FRAMES_A_SECOND)) return null;
  for (const { num, den } of [whole(nominal), ntsc(nominal)]) {
    // Half of what lies between 24 and 23.976 is 0.05 %; decimals with two places are off by 0.02 % at most.
    if (Math.abs(framesASecond / (num / den) - 1) < 3e-4) return rational(num, den);
  }
  return null;
}

/** Labels left out at the start of each minute except every tenth: 2 per 30 frames of a second (SMPTE ST 12-1). */
function droppedAMinute({ rate, dropFrame }: Counting): number {
  return dropFrame && canDrop(rate) ? nominalOf(rate) / 15 : 0;
}

/** How many frames have a label; after these, labels start again, as on a clock. */
export function framesADay(counting: Counting): number {
  return 144 * (600 * nominalOf(counting.rate) - 9 * droppedAMinute(counting));
}

/** The label of a frame counted from 00:00:00:00: `01:02:03:04`, with `;` before the frames where labels are dropped. */
export function formatTimecode(frame: number, counting: Counting): string {
  const nominal = nominalOf(counting.rate);
  const dropped = droppedAMinute(counting);
  const [tenMinutes, oneMinute] = [600 * nominal - 9 * dropped, 60 * nominal - dropped];
  const day = framesADay(counting);
  const inDay = ((frame % day) + day) % day;
  const [tens, rest] = [Math.floor(inDay / tenMinutes), inDay % tenMinutes];
  // The first minute of ten is whole, so it is longer by the labels that the others leave out.
  const minutes = rest < 60 * nominal ? 0 : 1 + Math.floor((rest - 60 * nominal) / oneMinute);
  const label = inDay + dropped * (9 * tens + minutes);
  const part = (value: number): string => String(value).padStart(2, '0');
  const seconds = Math.floor(label / nominal);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(part).join(':');
  const width = Math.max(2, String(nominal - 1).length);
  return `${clock}${dropped > 0 ? ';' : ':'}${String(label % nominal).padStart(width, '0')}`;
}

const LABEL = /^(\d{2}):(\d{2}):(\d{2})([:;.,])(\d{2,3})$/;

/** True for labels in drop-frame notation, false for others, `null` for text that is not a label. */
export function isDropLabel(text: string): boolean | null {
  const match = LABEL.exec(text);
  return match && match[4] !== ':';
}

/** The frame of a label, counted from 00:00:00:00; `null` if there is no such label at this rate. */
export function parseTimecode(text: string, counting: Counting): number | null {
  const match = LABEL.exec(text);
  if (match === null) return null;
  const [hours = 0, minutes = 0, seconds = 0, frames = 0] = [1, 2, 3, 5].map((group) => Number(match[group]));
  const nominal = nominalOf(counting.rate);
  const dropped = droppedAMinute(counting);
  if (hours > 23 || minutes > 59 || seconds > 59 || frames >= nominal) return null;
  if (seconds === 0 && frames < dropped && minutes % 10 !== 0) return null;
  const allMinutes = 60 * hours + minutes;
  const label = nominal * (60 * allMinutes + seconds) + frames;
  return label - dropped * (allMinutes - Math.floor(allMinutes / 10));
}

/** A clip to be placed on a timeline: its place in its source and the length of the source, in frames of its rate. */
export type Placed = {
  readonly rate: Rational;
  readonly in: number;
  readonly out: number;
  readonly available: number;
};

/**
 * Where clips begin and end on a timeline of `rate`, in its frames. Clips of that rate keep their frames. A clip of
 * another rate ends on the frame nearest to where it would end without any rounding, so that rounding errors do not add
 * up; it has at least one frame, and never more than its source has.
 */
export function placeClips(clips: readonly Placed[], rate: Rational): { recordIn: number; recordOut: number }[] {
  const ideal = zero();
  let end = 0;
  return clips.map((clip) => {
    const start = end;
    const frames = clip.out - clip.in;
    add(ideal, BigInt(frames) * BigInt(rate.num) * BigInt(clip.rate.den), BigInt(rate.den) * BigInt(clip.rate.num));
    if (isSameRate(clip.rate, rate)) end = start + frames;
    else {
      const most = start + rescale(clip.available - clip.in, frameBase(clip.rate), frameBase(rate), 'floor');
      end = Math.max(start + 1, Math.min(roundHalfUp(ideal), most));
    }
    return { recordIn: start, recordOut: end };
  });
}

/** The timeline without clips that do not play, for formats that cannot hold them, and a note on how many there were. */
export function playingOnly(timeline: Timeline): { timeline: Timeline; notes: string[] } {
  const playing = timeline.clips.filter(({ enabled }) => enabled !== false);
  const left = timeline.clips.length - playing.length;
  if (left === 0) return { timeline, notes: [] };
  const sources = new Map(timeline.sources.map((source) => [source.id, source]));
  const places = placeClips(
    playing.map(({ source, in: from, out }) => {
      const { rate, frames } = sources.get(source)!;
      return { rate, in: from, out, available: frames };
    }),
    timeline.rate,
  );
  const clips = playing.map((clip, at) => ({ ...clip, ...places[at]! }));
  return {
    timeline: { ...timeline, clips },
    notes: [`The format has no place for disabled clips; left out: ${left}.`],
  };
}

type Fraction = { num: bigint; den: bigint };

const zero = (): Fraction => ({ num: 0n, den: 1n });

function add(sum: Fraction, num: bigint, den: bigint): void {
  const [top, bottom] = [sum.num * den + num * sum.den, sum.den * den];
  let [a, b] = [top, bottom];
  while (b !== 0n) [a, b] = [b, a % b];
  [sum.num, sum.den] = [top / a, bottom / a];
}

/** The whole number nearest to a fraction of zero or more; halves are rounded up. */
function roundHalfUp({ num, den }: Fraction): number {
  return Number((2n * num + den) / (2n * den));
}

/** The place of a clip in its source, for lists that count in one rate only. `from` and `to` are timecodes as frames. */
type Span = { readonly from: number; readonly to: number; readonly counting: Counting };

/**
 * The place of a clip in its source, in timecode of the timeline's rate. A source of that rate keeps its own labels. Any
 * other begins at the same hour, minute and second, and goes on in real time; the span is as long as the clip is on the
 * timeline, as cut lists require.
 */
export function spanOf(clip: TimelineClip, source: TimelineSource, timeline: Counting): Span {
  const first = firstLabel(source, timeline);
  const { from, to } = inTimeline(clip, source, timeline);
  return { from: first + from, to: first + to, counting: countingOf(source, timeline) };
}

/** The place of a clip in its source in frames of the timeline's rate, from the source's first picture. */
export function inTimeline(
  clip: TimelineClip,
  source: TimelineSource,
  timeline: Pick<Counting, 'rate'>,
): { from: number; to: number } {
  if (isSameRate(source.rate, timeline.rate)) return { from: clip.in, to: clip.out };
  const length = clip.recordOut - clip.recordIn;
  const nearest = rescale(clip.in, frameBase(source.rate), frameBase(timeline.rate));
  const from = Math.max(0, Math.min(nearest, framesIn(source, timeline) - length));
  return { from, to: from + length };
}

/** The frame of the timeline that plays a frame of a clip’s source. */
export function recordFrame(
  { in: from, recordIn, recordOut }: TimelineClip,
  { rate }: TimelineSource,
  frame: number,
  timeline: Pick<Counting, 'rate'>,
): number {
  const after = rescale(frame - from, frameBase(rate), frameBase(timeline.rate), 'floor');
  return Math.min(recordIn + after, recordOut - 1);
}

/** The whole frames of the timeline's rate that a source has. */
export function framesIn({ frames, rate }: TimelineSource, timeline: Pick<Counting, 'rate'>): number {
  return rescale(frames, frameBase(rate), frameBase(timeline.rate), 'floor');
}

/** How labels of a source are written in a list of the timeline's rate; a source without timecode takes the timeline's mode. */
export function countingOf(source: TimelineSource, timeline: Counting): Counting {
  const isOwn = isSameRate(source.rate, timeline.rate) && source.timecode !== null;
  return { rate: timeline.rate, dropFrame: isOwn ? source.dropFrame : timeline.dropFrame };
}

/** The timecode of a source's first picture, as frames of the timeline's rate. */
export function firstLabel(source: TimelineSource, timeline: Counting): number {
  if (isSameRate(source.rate, timeline.rate)) return source.timecodeFrame;
  const label = formatTimecode(source.timecodeFrame, source);
  const [clock, frame] = [label.slice(0, 8), Number(label.slice(9))];
  const scaled = Math.floor((frame * nominalOf(timeline.rate)) / nominalOf(source.rate));
  const separator = timeline.dropFrame ? ';' : ':';
  const at = (frames: number): number | null =>
    parseTimecode(`${clock}${separator}${String(frames).padStart(2, '0')}`, timeline);
  // A dropped label is followed by one that exists within four frames.
  for (let frames = scaled; frames < scaled + 8; frames++) {
    const found = at(frames);
    if (found !== null) return found;
  }
  return 0;
}
