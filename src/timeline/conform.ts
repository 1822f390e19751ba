import { rescale, type Rational } from '../base/index.js';
import { formatTimecode, parseTimecode, frameBase, isSameRate, nominalOf, type Counting } from './rates.js';
import type { Timeline, TimelineClip, TimelineSource } from './types.js';

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
      end = Math.max(start + 1, Math.min(nearest(ideal), most));
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
function nearest({ num, den }: Fraction): number {
  return Number((2n * num + den) / (2n * den));
}

/** The place of a clip in its source, for lists that count in one rate only. `from` and `to` are timecodes as frames. */
export type Span = { readonly from: number; readonly to: number; readonly counting: Counting };

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
