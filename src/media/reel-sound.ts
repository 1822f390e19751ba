import type { Writable } from 'node:stream';

import { bytesOf, rescale, type Rational } from '../base/index.js';
import { evenGain, measureLoudness } from './loudness.js';
import { soundClockFilters } from './normalise.js';
import { writeTo } from './pour.js';
import type { Reel, ReelCut, ReelPart, ReelPlace } from './reel.js';
import {
  CHANNELS,
  FADE_SAMPLES,
  fadeEdges,
  readSlices,
  SAMPLE_CLOCK,
  SAMPLE_RATE,
  scaleSound,
  type Slice,
  type SoundSource,
} from './sound.js';
import { isSeekable } from './stretch.js';

type Reading = { readonly maySeek: boolean; readonly signal: AbortSignal };

/** Where a part is heard in the film, in samples, and over how many samples its ends fade. */
type Span = { readonly start: number; readonly end: number; readonly fadeIn: number; readonly fadeOut: number };

/**
 * Writes the sound of a reel: that of each cut, starting with its first picture, brought to one loudness if asked for, mixed
 * where pictures fade, and faded over 4 ms where they are cut; silence for cards and silent cuts.
 */
export async function pourReelSound(
  reel: Omit<Reel, 'format'>,
  places: readonly ReelPlace[],
  sink: Writable,
  reading: Reading,
): Promise<void> {
  const gains = reel.evenLoudness ? await measureGains(reel.parts, reading) : new Map<string, number>();
  let tail = new Float32Array(0);
  for (const [index, part] of reel.parts.entries()) {
    const span = spanOf(places, index, reel.frame.rate);
    let offset = 0;
    const shared = (places[index]?.fadeOut ?? 0) > 0 ? span.fadeOut : 0;
    const next = new Float32Array(shared * CHANNELS);
    const [total, kept] = [span.end - span.start, span.end - span.start - shared];
    for await (const piece of pieces(part, total, reading)) {
      scaleSound(piece, gains.get(trackOf(part)) ?? 1);
      fadeEdges(piece, { ...span, offset, total });
      addInto(piece, tail, offset);
      const samples = piece.length / CHANNELS;
      const ready = Math.max(0, Math.min(samples, kept - offset));
      next.set(piece.subarray(ready * CHANNELS), Math.max(0, offset - kept) * CHANNELS);
      if (ready > 0) await writeTo(sink, bytesOf(piece.subarray(0, ready * CHANNELS)));
      offset += samples;
    }
    tail = next;
  }
}

function spanOf(places: readonly ReelPlace[], index: number, rate: Rational): Span {
  const sample = (frame: number): number => rescale(frame, { num: rate.den, den: rate.num }, SAMPLE_CLOCK);
  const { start, frames, fadeOut } = places[index]!;
  const edge = Math.min(FADE_SAMPLES, (sample(start + frames) - sample(start)) >> 1);
  const shared = places[index - 1]?.fadeOut ?? 0;
  return {
    start: sample(start),
    end: sample(start + frames),
    fadeIn: shared > 0 ? sample(start + shared) - sample(start) : edge,
    fadeOut: fadeOut > 0 ? sample(start + frames) - sample(start + frames - fadeOut) : edge,
  };
}

/** The sound of a part in pieces of at most a second. */
async function* pieces(part: ReelPart, samples: number, reading: Reading): AsyncGenerator<Float32Array> {
  if (isHeard(part)) {
    for await (const { sound } of readSlices(sourceOf(part, reading), [sliceOf(part, samples)], reading.signal))
      yield sound;
    return;
  }
  for (let left = samples; left > 0; left -= SAMPLE_RATE)
    yield new Float32Array(Math.min(left, SAMPLE_RATE) * CHANNELS);
}

type HeardCut = ReelCut & { readonly soundTrack: number };

function isHeard(part: ReelPart): part is HeardCut {
  return 'stretch' in part && part.soundTrack !== null;
}

function sourceOf(cut: HeardCut, { maySeek }: Reading): SoundSource {
  const { path } = cut.info;
  return { path, track: cut.soundTrack, maySeek: maySeek && isSeekable(cut), clock: soundClockFilters(cut.info) };
}

function sliceOf({ stretch, timeBase }: HeardCut, length: number): Slice {
  return { from: rescale(stretch.start, timeBase, SAMPLE_CLOCK), length };
}

function trackOf(part: ReelPart): string {
  return isHeard(part) ? `${part.soundTrack}:${part.info.path}` : '';
}

/** The gain of each track, measured over all its cuts in the film together. */
async function measureGains(parts: readonly ReelPart[], reading: Reading): Promise<Map<string, number>> {
  const tracks = new Map<string, HeardCut[]>();
  for (const cut of parts.filter(isHeard)) tracks.set(trackOf(cut), [...(tracks.get(trackOf(cut)) ?? []), cut]);
  const gains = new Map<string, number>();
  for (const [track, cuts] of tracks) {
    const slices = cuts.map((cut) =>
      sliceOf(cut, rescale(cut.stretch.end - cut.stretch.start, cut.timeBase, SAMPLE_CLOCK)),
    );
    const inOrder = slices.toSorted((a, b) => a.from - b.from);
    gains.set(track, evenGain(await measureLoudness(sourceOf(cuts[0]!, reading), inOrder, reading.signal)));
  }
  return gains;
}

/** Adds the end of the part before. Both fades are linear and sum to one, so that no peak grows. */
function addInto(piece: Float32Array, tail: Float32Array, offset: number): void {
  const from = offset * CHANNELS;
  for (let at = 0; at < piece.length && from + at < tail.length; at++) {
    piece[at]! += tail[from + at]!;
  }
}
