import { CURVE_RATE, LOWEST_DB, SOUND_RATE, STEPS_PER_DB } from './envelope.js';

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
