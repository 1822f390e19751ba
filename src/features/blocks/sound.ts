import { rescale, type Rational, type TimeRange } from '../../base/index.js';
import { addSoftly, rootRow, stackRows } from './histogram.js';
import type { FeatureMatrix } from '../types.js';

/** Measures the sound of a video, one channel from its first picture on; `end` gives a row of length one per shot. */
export type SoundMeter = {
  push(samples: Int16Array): void;
  end(shots: readonly { readonly range: TimeRange }[], start: number): FeatureMatrix;
};

/** Samples per second of the sound that is measured. */
export const SOUND_RATE = 16_000;
const CLOCK: Rational = { num: 1, den: SOUND_RATE };

/** Samples of a window: 64 ms. */
const WINDOW = 1024;
/** Loudness of a window: −72 dB of full scale or less, −63, ... −9 or more. */
const LEVELS = 8;
const [QUIETEST_DB, DB_A_LEVEL] = [-72, 9];
/** Half the zero crossings a second: 62.5 or fewer, 125, ... 8,000; a last bin for shots in which nothing sounds. */
const TONES = 9;
const LOWEST_TONE_HZ = 62.5;

/** Numbers per row. */
export const SOUND_DIM = LEVELS + TONES;

/**
 * How a shot sounds, as two distributions over its windows:
 *   levels   how loud they are; a window without sound, and one past the end of the track, is as quiet as can be
 *   tones    how often the sound crosses zero, from rumble to hiss; windows at the quietest level do not count
 * A window belongs to the shot its middle is in. A video without a sound track is silent. Memory: 8 bytes per window.
 */
export function soundMeter(): SoundMeter {
  const levels: number[] = [];
  const tones: number[] = [];
  const window = new Int16Array(WINDOW);
  let filled = 0;
  return {
    push(samples) {
      for (let at = 0; at < samples.length;) {
        const taken = samples.subarray(at, at + WINDOW - filled);
        window.set(taken, filled);
        filled += taken.length;
        at += taken.length;
        if (filled < WINDOW) break;
        filled = 0;
        const { level, tone } = hear(window);
        levels.push(level);
        tones.push(tone);
      }
    },
    end(shots, start) {
      const rows = shots.map(({ range }) => {
        const at = (ticks: number): number => rescale(ticks - start, range.base, CLOCK) / WINDOW;
        const from = Math.ceil(at(range.start) - 0.5);
        // A shot shorter than a window uses the window it is in.
        const to = Math.max(from + 1, Math.ceil(at(range.end) - 0.5));
        const [loud, pitch] = [new Float64Array(LEVELS), new Float64Array(TONES - 1)];
        for (let k = from; k < to; k++) {
          addSoftly(loud, levels[k] ?? 0);
          if ((levels[k] ?? 0) > 0) addSoftly(pitch, tones[k]!);
        }
        const isSilent = pitch.every((amount) => amount === 0);
        return rootRow([loud, Float64Array.of(...pitch, isSilent ? 1 : 0)]);
      });
      return stackRows(rows, SOUND_DIM);
    },
  };
}

/** The level and the tone of a window as positions among the bins, from 0; fractions lie between two bins. */
function hear(window: Int16Array): { level: number; tone: number } {
  let squares = 0;
  let crossings = 0;
  let sign = 0;
  for (const sample of window) {
    squares += sample * sample;
    const now = Math.sign(sample);
    if (now !== 0 && now === -sign) crossings++;
    if (now !== 0) sign = now;
  }
  const db = 10 * Math.log10(squares / window.length / 32_768 ** 2);
  const hz = (crossings / 2) * (SOUND_RATE / window.length);
  return { level: Math.max(0, (db - QUIETEST_DB) / DB_A_LEVEL), tone: Math.max(0, Math.log2(hz / LOWEST_TONE_HZ)) };
}
