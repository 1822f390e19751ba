import type { Writable } from 'node:stream';

import { bytesOf, rescale } from '../base/index.js';
import { evenGain, loudnessMeter, musicGain } from './loudness.js';
import { duck, limit, mix, type Voice, playTone, quietestMoment, type RoomTone } from './mix.js';
import { soundClockFilters } from './normalise.js';
import { writeTo } from './encoder.js';
import type { Reel, ReelCut, ReelPart, ReelPlace } from './reel.js';
import {
  FADE_SAMPLES,
  openSound,
  readSlices,
  SAMPLE_CLOCK,
  SAMPLE_RATE,
  type Slice,
  type SoundReading,
  type SoundSource,
} from './sound.js';
import { isSeekable } from './stretch.js';
import type { Stretch } from './types.js';

type Reading = { readonly maySeek: boolean; readonly signal: AbortSignal };

/** A file whose first sound track plays under a film; see `probeMusic`. */
export type Music = { readonly path: string };

/**
 * Writes the sound of a reel.
 * - Each cut is heard with its pictures, to the sample, brought to one loudness if asked for.
 * - Where pictures are cut, sound fades over two frames: one before the cut and one after it. Where they fade, so does sound.
 * - Cards and cuts without sound get the room tone of a neighbour, over which the sound before them fades out and that
 *   behind them fades in, for up to a second.
 * - Music plays under everything, softer where somebody speaks.
 */
export async function writeReelSound(
  reel: Omit<Reel, 'format'>,
  places: readonly ReelPlace[],
  sink: Writable,
  reading: Reading,
): Promise<void> {
  const tracks = await surveyTracks(reel, reading);
  const spans = spansOf(reel, places, tracks);
  const total = spans.at(-1)?.end ?? 0;
  const film = mix(voicesOf(spans, reading), total);
  if (reel.music === undefined) {
    for await (const block of film) await writeTo(sink, bytesOf(block));
    return;
  }
  const music = mix(await musicVoices(reel.music, total, reading), total);
  for await (const block of limit(duck(film, music, speechOf(spans)))) await writeTo(sink, bytesOf(block));
}

/** A part with its samples of the film, and how it is joined to the part after it. */
type Span = {
  readonly part: ReelPart;
  /** What is known about its track; `null` if nothing is heard of it. */
  readonly track: Track | null;
  readonly start: number;
  readonly end: number;
  /** Samples that its pictures share with those of the next part, as they fade; 0 for a cut. */
  readonly shared: number;
  /** Samples of one frame of the film. */
  readonly frame: number;
};

function spansOf(
  { parts, frame: { rate } }: Pick<Reel, 'parts' | 'frame'>,
  places: readonly ReelPlace[],
  tracks: ReadonlyMap<ReelPart, Track>,
): Span[] {
  const sample = (frame: number): number => rescale(frame, { num: rate.den, den: rate.num }, SAMPLE_CLOCK);
  return parts.map((part, index) => {
    const { start, frames, fadeOut } = places[index]!;
    const [first, end] = [sample(start), sample(start + frames)];
    const track = tracks.get(part) ?? null;
    return { part, track, start: first, end, shared: end - sample(start + frames - fadeOut), frame: sample(1) };
  });
}

type CutSound = ReelCut & { readonly soundTrack: number };
type SoundSpan = Span & { readonly part: CutSound; readonly track: Track };

function isHeard(span: Span): span is SoundSpan {
  return span.track !== null;
}

/** Neighbouring spans without sound, `[first, last]`. */
type Hole = { readonly first: number; readonly last: number };

function holesOf(spans: readonly Span[]): Hole[] {
  const holes: Hole[] = [];
  for (const [at, span] of spans.entries()) {
    if (isHeard(span)) continue;
    const before = holes.at(-1);
    if (before?.last === at - 1) holes[holes.length - 1] = { first: before.first, last: at };
    else holes.push({ first: at, last: at });
  }
  return holes;
}

/** How long the sound beside a hole goes on in it, fading. */
const TAIL_SAMPLES = SAMPLE_RATE;

/** The voices of all cuts and holes, in film order. */
function voicesOf(spans: readonly Span[], reading: Reading): Voice[] {
  const holes = holesOf(spans);
  const lengthOf = ({ first, last }: Hole): number => spans[last]!.end - spans[first]!.start;
  const length = ({ start, end }: Span): number => end - start;
  /** Half of the fade where two spans meet in a cut; 0 at both ends of the film. */
  const half = (left: number): number => {
    const [a, b] = [spans[left], spans[left + 1]];
    return a && b && a.shared === 0 ? Math.min(a.frame, length(a) >> 1, length(b) >> 1) : 0;
  };
  const edge = (span: Span): number => Math.min(FADE_SAMPLES, length(span) >> 1);
  /** How far the sound of a span reaches beyond its neighbour's edge, and over how many samples it fades there. */
  const side = (index: number, neighbour: number): { beyond: number; fade: number } => {
    const left = Math.min(index, neighbour);
    if (spans[neighbour] === undefined) return { beyond: 0, fade: edge(spans[index]!) };
    if (spans[left]!.shared > 0) return { beyond: 0, fade: spans[left]!.shared };
    const hole = holes.find(({ first, last }) => first <= neighbour && neighbour <= last);
    if (!hole) return { beyond: half(left), fade: 2 * half(left) };
    const tail = Math.min(TAIL_SAMPLES, lengthOf(hole));
    return { beyond: tail, fade: tail };
  };
  const cuts = spans.flatMap((span, index): Voice[] => {
    if (!isHeard(span)) return [];
    const source = sourceOf(span.part, reading);
    const from = rescale(span.part.stretch.start, span.part.timeBase, SAMPLE_CLOCK);
    const [before, behind] = [side(index, index - 1), side(index, index + 1)];
    // Nothing comes before the start of a file's clock.
    const lead = Math.min(before.beyond, Math.max(0, from));
    return [
      {
        ...{ start: span.start - lead, end: span.end + behind.beyond, fadeOut: behind.fade },
        fadeIn: Math.max(edge(span), before.fade - (before.beyond - lead)),
        gain: span.track.gain,
        open: () => openSound(source, from - lead, reading.signal),
      },
    ];
  });
  const tones = holes.flatMap((hole): Voice[] => {
    // The room of the cut before it, else of the one behind it.
    const donors = [spans[hole.first - 1]?.track, spans[hole.last + 1]?.track];
    const { tone = null, gain = 1 } = donors.find((track) => track?.tone) ?? {};
    if (tone === null) return [];
    const [first, last] = [spans[hole.first]!, spans[hole.last]!];
    const [before, behind] = [half(hole.first - 1), half(hole.last)];
    const slow = Math.min(TAIL_SAMPLES, lengthOf(hole) >> 1);
    return [
      {
        ...{ start: first.start - before, end: last.end + behind, gain: 1 },
        fadeIn: spans[hole.first - 1]?.shared || 2 * before || slow,
        fadeOut: last.shared || 2 * behind || slow,
        open: async () => playTone(tone, gain),
      },
    ];
  });
  return [...cuts, ...tones].toSorted((a, b) => a.start - b.start);
}

function sourceOf(cut: CutSound, { maySeek }: Reading): SoundSource {
  const { path } = cut.info;
  return { path, track: cut.soundTrack, maySeek: maySeek && isSeekable(cut), clock: soundClockFilters(cut.info) };
}

/** What is known about a track after reading its cuts: the factor that evens its loudness, and its room tone. */
type Track = { readonly gain: number; readonly tone: RoomTone | null };

/** A cut whose highest sample is below this (−60 dB) is silent, whatever its track is called. */
const SILENT_PEAK = 0.001;

/** Reads the sound of all cuts once, track by track. Cuts of which nothing is heard are left out. */
async function surveyTracks(
  reel: Pick<Reel, 'parts' | 'evenLoudness'>,
  reading: Reading,
): Promise<Map<ReelPart, Track>> {
  const cutsOf = new Map<string, CutSound[]>();
  for (const part of reel.parts) {
    if (!('stretch' in part) || part.soundTrack === null) continue;
    const name = `${part.soundTrack}:${part.info.path}`;
    cutsOf.set(name, [...(cutsOf.get(name) ?? []), part as CutSound]);
  }
  const tracks = new Map<ReelPart, Track>();
  for (const cuts of cutsOf.values()) {
    const inOrder = cuts.toSorted((a, b) => a.stretch.start - b.stretch.start);
    const slices = inOrder.map(({ stretch, timeBase }): Slice => {
      const [from, end] = [
        rescale(stretch.start, timeBase, SAMPLE_CLOCK),
        rescale(stretch.end, timeBase, SAMPLE_CLOCK),
      ];
      return { from, length: end - from };
    });
    const [meter, quiet] = [loudnessMeter(), quietestMoment()];
    const heard = new Set<ReelPart>();
    let cut = -1;
    for await (const { sound, offset } of readSlices(sourceOf(cuts[0]!, reading), slices, reading.signal)) {
      if (offset === 0) cut++;
      meter.push(sound);
      quiet.push(sound);
      if (sound.some((value) => Math.abs(value) >= SILENT_PEAK)) heard.add(inOrder[cut]!);
    }
    const track = { gain: reel.evenLoudness ? evenGain(meter.read()) : 1, tone: quiet.tone() };
    for (const part of heard) tracks.set(part, track);
  }
  return tracks;
}

/** Where music steps back, in samples of the film: where somebody speaks; if that is not known, wherever a cut is heard. */
function speechOf(spans: readonly Span[]): Stretch[] {
  return spans.filter(isHeard).flatMap(({ part, start, end }) => {
    const { stretch, timeBase, speech = [stretch] } = part;
    const sample = (tick: number): number => start + rescale(tick - stretch.start, timeBase, SAMPLE_CLOCK);
    return speech
      .map((range) => ({ start: Math.max(start, sample(range.start)), end: Math.min(end, sample(range.end)) }))
      .filter((range) => range.start < range.end);
  });
}

/** Music begins and ends slowly, and if it is shorter than the film, it begins again over its own end. */
const MUSIC_FADE_IN = SAMPLE_RATE / 2;
const MUSIC_FADE_OUT = 3 * SAMPLE_RATE;

/** Reads music once, as far as the film plays it, and lays it end to end. */
async function musicVoices({ path }: Music, total: number, { signal }: Reading): Promise<Voice[]> {
  const open = (): Promise<SoundReading> => openSound({ path, track: 0, maySeek: false, isMusic: true }, 0, signal);
  const reading = await open();
  const meter = loudnessMeter();
  try {
    for (let read = 0; read < total && reading.decoded() === read; read += SAMPLE_RATE) {
      meter.push(await reading.read(Math.min(SAMPLE_RATE, total - read)));
    }
  } finally {
    reading.kill();
  }
  const length = Math.min(total, reading.decoded());
  const fade = Math.min(MUSIC_FADE_OUT, length >> 1);
  const gain = musicGain(meter.read());
  const voices: Voice[] = [];
  // A sound of less than a second would be a rattle.
  for (let start = 0; start < total && (length >= SAMPLE_RATE || start === 0); start += length - fade) {
    const end = Math.min(total, start + length);
    const fadeIn = Math.min(start === 0 ? MUSIC_FADE_IN : fade, (end - start) >> 1);
    voices.push({ start, end, fadeIn, fadeOut: Math.min(fade, (end - start) >> 1), gain, open });
    if (end === total || length === 0) break;
  }
  return voices;
}
