import type { Writable } from 'node:stream';

import { rescale, type Rational } from '../base/index.js';
import { evenGain, loudnessMeter } from './loudness.js';
import { writeTo } from './pour.js';
import type { Reel, ReelCut, ReelPart, ReelPlace } from './reel.js';
import {
  bytesOf,
  CHANNELS,
  FADE_SAMPLES,
  fadeEdges,
  readSound,
  SAMPLE_CLOCK,
  SAMPLE_RATE,
  type SoundReading,
} from './sound.js';
import { isSeekable } from './stretch.js';

type Reading = { readonly maySeek: boolean; readonly signal: AbortSignal };

/** Where a part sounds in the film, in samples, and over how many its ends fade. */
type Span = { readonly start: number; readonly end: number; readonly fadeIn: number; readonly fadeOut: number };

/**
 * Writes the sound of a reel: each cut's own, starting with its first picture, brought to one loudness where asked for,
 * mixed where pictures fade, faded over 4 ms where they are cut; silence under cards and silent cuts.
 */
export async function pourReelSound(
  reel: Reel,
  places: readonly ReelPlace[],
  sink: Writable,
  reading: Reading,
): Promise<void> {
  const gains = reel.evenLoudness ? await measureGains(reel.parts, reading) : new Map<string, number>();
  let tail = new Float32Array(0);
  for (const [index, part] of reel.parts.entries()) {
    const span = spanOf(places, index, reel.frame.rate);
    const sound = pieces(part, span, reading);
    let offset = 0;
    const shared = (places[index]?.fadeOut ?? 0) > 0 ? span.fadeOut : 0;
    const next = new Float32Array(shared * CHANNELS);
    const [total, kept] = [span.end - span.start, span.end - span.start - shared];
    for await (const piece of sound) {
      scale(piece, gains.get(trackOf(part)) ?? 1);
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

/** The sound of a part in pieces of a second at most. */
async function* pieces(part: ReelPart, { start, end }: Span, reading: Reading): AsyncGenerator<Float32Array> {
  const sound = isHeard(part) ? await openCut(part, reading) : null;
  try {
    for (let left = end - start; left > 0; left -= SAMPLE_RATE) {
      const samples = Math.min(left, SAMPLE_RATE);
      yield sound ? await sound.read(samples) : new Float32Array(samples * CHANNELS);
    }
  } finally {
    sound?.kill();
  }
}

type HeardCut = ReelCut & { readonly soundTrack: number };

function isHeard(part: ReelPart): part is HeardCut {
  return 'stretch' in part && part.soundTrack !== null;
}

function openCut(cut: HeardCut, { maySeek, signal }: Reading): Promise<SoundReading> {
  const source = { path: cut.info.path, track: cut.soundTrack, maySeek: maySeek && isSeekable(cut) };
  return readSound(source, rescale(cut.stretch.start, cut.timeBase, SAMPLE_CLOCK), signal);
}

function trackOf(part: ReelPart): string {
  return isHeard(part) ? `${part.soundTrack}:${part.info.path}` : '';
}

/** The factor for each source's track: what of it is heard in the film, all its cuts together, is measured. */
async function measureGains(parts: readonly ReelPart[], reading: Reading): Promise<Map<string, number>> {
  const meters = new Map<string, ReturnType<typeof loudnessMeter>>();
  for (const part of parts) {
    if (!isHeard(part)) continue;
    const meter = meters.get(trackOf(part)) ?? loudnessMeter();
    meters.set(trackOf(part), meter);
    const length = rescale(part.stretch.end - part.stretch.start, part.timeBase, SAMPLE_CLOCK);
    for await (const piece of pieces(part, { start: 0, end: length, fadeIn: 0, fadeOut: 0 }, reading))
      meter.push(piece);
  }
  return new Map([...meters].map(([track, meter]) => [track, evenGain(meter.read())]));
}

function scale(sound: Float32Array, factor: number): void {
  if (factor !== 1) for (let at = 0; at < sound.length; at++) sound[at]! *= factor;
}

/** Adds what the part before still sounds. Both fade in straight lines that sum to one: no peak grows. */
function addInto(piece: Float32Array, tail: Float32Array, offset: number): void {
  const from = offset * CHANNELS;
  for (let at = 0; at < piece.length && from + at < tail.length; at++) {
    piece[at]! += tail[from + at]!;
  }
}
