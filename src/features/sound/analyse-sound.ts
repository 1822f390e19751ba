import { CancelledError, messageOf, rescale, type TimeRange } from '../../base/index.js';
import { SPEECH_MODEL, type SpeechNetwork } from '../speech-network.js';
import { listen, playedTrack, soundClockFilters, type VideoInfo } from '../../media/index.js';
import { CURVE_RATE, envelopeMeter, SOUND_RATE, type Envelope, LOWEST_DB, STEPS_PER_DB } from './align.js';

/** What is heard while the pictures of a video run. The curves have 100 values per second from the first picture on. */
export type SoundTrack = Envelope & {
  /** Where somebody speaks, in ticks of the video's time base, in order; they do not overlap. */
  readonly speech: readonly { readonly start: number; readonly end: number }[];
  /** What found the speech. */
  readonly detector: 'network' | 'energy';
};

/** The sound of a video, if it has any, and what was wrong with it, as the end of a sentence that begins with its name. */
export type SoundAnalysis = { readonly track: SoundTrack | null; readonly warning: string | null };

/**
 * Decodes the sound that a player plays while pictures run (`pictures`), once, in a stream. Without a network, or if it
 * fails, speech is found by energy. A track that cannot be read is a warning, and counts as silent where it is missing.
 */
export async function analyseSound(
  info: VideoInfo,
  pictures: TimeRange,
  network: SpeechNetwork | null,
  signal?: AbortSignal,
): Promise<SoundAnalysis> {
  const chosen = playedTrack(info);
  if (chosen === undefined) return { track: null, warning: null };
  const clock = { num: 1, den: SOUND_RATE };
  const { start, end, base } = pictures;
  const wanted = rescale(end - start, base, clock, 'ceil');
  const meter = envelopeMeter(Math.ceil((wanted * CURVE_RATE) / SOUND_RATE));
  const stream = network?.open() ?? null;
  const source = { path: info.path, track: chosen.position, from: start, base, clock: soundClockFilters(info) };
  const listening = listen(source, SOUND_RATE, signal);
  let count = 0;
  let complaint: string | null = null;
  try {
    for await (const samples of listening.samples) {
      // Sound after the last picture is not played.
      const own = samples.subarray(0, wanted - count);
      count += own.length;
      meter.push(own);
      await stream?.push(own);
      if (count === wanted) break;
    }
    complaint = listening.complaint();
  } catch (error) {
    if (error instanceof CancelledError || signal?.aborted) throw error;
    complaint = messageOf(error);
  } finally {
    if (count === 0 || signal?.aborted) stream?.cancel();
  }
  const cutOff =
    complaint && `has sound that could not be read to its end (${complaint}); what is missing counts as silent.`;
  if (count === 0) return { track: null, warning: cutOff };
  const envelope = meter.end();
  const probabilities = stream === null ? null : await stream.end().catch((error: unknown) => messageOf(error));
  const failure = typeof probabilities === 'string' ? probabilities : null;
  const isByNetwork = probabilities !== null && typeof probabilities !== 'string';
  const found = isByNetwork ? speechFrom(probabilities, SPEECH_MODEL.windowSamples) : speechByEnergy(envelope.loudness);
  const toTick = (sample: number): number => Math.min(end, start + rescale(sample, clock, base));
  const speech = found
    .map((range) => ({ start: toTick(range.start), end: toTick(range.end) }))
    .filter((range) => range.end > range.start);
  return {
    track: { ...envelope, speech, detector: isByNetwork ? 'network' : 'energy' },
    warning: cutOff ?? (failure && `was searched for speech by energy alone: ${failure}`),
  };
}

/** A stretch of sound, `[start, end)` in samples at 16,000 per second. */
type SampleRange = { readonly start: number; readonly end: number };

/** Speech begins at a probability of a half and goes on above the lower one, as the makers of the network have it. */
const BEGIN = 0.5 * 255;
const GO_ON = 0.35 * 255;
/** A shorter gap belongs to a word: the silence before a plosive takes up to 0.15 s. In samples. */
const SHORTEST_PAUSE = 0.16 * SOUND_RATE;
/** Shorter speech is a noise. */
const SHORTEST_SPEECH = 0.09 * SOUND_RATE;
/** What the network misses of the first and the last sound. */
const MARGIN = 0.03 * SOUND_RATE;

/**
 * Where somebody speaks, from the probability of speech (0 to 255) in windows of `windowSamples`: hysteresis between 0.5 and
 * 0.35, gaps within words closed, noises dropped, a margin added at both ends.
 */
export function speechFrom(probabilities: ArrayLike<number>, windowSamples: number): SampleRange[] {
  const found: { start: number; end: number }[] = [];
  let isSpeech = false;
  for (let k = 0; k < probabilities.length; k++) {
    isSpeech = probabilities[k]! >= (isSpeech ? GO_ON : BEGIN);
    if (!isSpeech) continue;
    const [start, end] = [k * windowSamples, (k + 1) * windowSamples];
    const last = found.at(-1);
    if (last && start - last.end < SHORTEST_PAUSE) last.end = end;
    else found.push({ start, end });
  }
  return found
    .filter(({ start, end }) => end - start >= SHORTEST_SPEECH)
    .map(({ start, end }) => ({ start: Math.max(0, start - MARGIN), end: end + MARGIN }));
}

/** Between words the sound falls by so many decibels below the loudest within half a second, for at least 0.05 s. */
const GAP_DB = 18;
const SHORTEST_GAP = 0.05 * CURVE_RATE;
const GAP_REACH = 0.5 * CURVE_RATE;

/** The gaps between words, from the loudness curve: `[start, end)` in its values. Plosives have some, too. */
export function gapsBetweenWords(loudness: Uint8Array): SampleRange[] {
  const gaps: SampleRange[] = [];
  let start: number | null = null;
  for (let t = 0; t <= loudness.length; t++) {
    let loudest = 0;
    for (let near = Math.max(0, t - GAP_REACH); near <= t + GAP_REACH; near++)
      loudest = Math.max(loudest, loudness[near] ?? 0);
    const isLow = t < loudness.length && loudness[t]! + STEPS_PER_DB * GAP_DB <= loudest;
    if (isLow) start ??= t;
    else if (start !== null) {
      if (t - start >= SHORTEST_GAP) gaps.push({ start, end: t });
      start = null;
    }
  }
  return gaps;
}

/** Decibels above the background, and at least this loud, counts as speech where there is no network. */
const ABOVE_BACKGROUND_DB = 10;
const QUIETEST_DB = -55;
/** The background at a moment is the quietest tenth of the seconds around it. */
const BACKGROUND_SHARE = 0.1;
const BACKGROUND_S = 10;

/**
 * The same by energy alone, from the loudness curve: speech_t where loudness_t ≥ background_t + 10 dB, and the background is
 * the 10 % quantile of the loudness within ± 10 s. Music and traffic that rise as much count as speech too.
 */
export function speechByEnergy(loudness: Uint8Array): SampleRange[] {
  const reach = BACKGROUND_S * CURVE_RATE;
  const counts = new Uint32Array(256);
  const quietest = STEPS_PER_DB * (QUIETEST_DB - LOWEST_DB);
  const first = loudness.subarray(0, reach);
  let size = first.length;
  for (const value of first) counts[value]!++;
  const marks = new Uint8Array(loudness.length);
  for (let t = 0; t < loudness.length; t++) {
    const [next, last] = [loudness[t + reach], loudness[t - reach - 1]];
    if (next !== undefined) counts[next]!++;
    if (last !== undefined) counts[last]!--;
    size += (next === undefined ? 0 : 1) - (last === undefined ? 0 : 1);
    let background = 0;
    for (let below = counts[0]!; below < BACKGROUND_SHARE * size; below += counts[background]!) background++;
    const least = Math.max(quietest, background + STEPS_PER_DB * ABOVE_BACKGROUND_DB);
    marks[t] = loudness[t]! >= least ? 255 : 0;
  }
  return speechFrom(marks, SOUND_RATE / CURVE_RATE);
}
