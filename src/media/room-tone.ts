import { random } from '../base/index.js';
import { CHANNELS, SAMPLE_RATE, type SoundReading } from './sound.js';

/** Noise that sounds like a quiet moment: y_t = σ u_t − Σ a_k y_{t−k} for white noise u. */
export type RoomTone = { readonly a: Float64Array; readonly sigma: number };

/** Coefficients of the filter: enough for the colour of wind, waves and traffic, too few for a melody. */
const ORDER = 24;
/** A quiet moment: a quarter of a second. */
const WINDOW = SAMPLE_RATE / 4;
/** Mean square below which sound is digital silence and has no colour: −90 dB. */
const SILENCE = 1e-9;

/** Finds the quietest moment of sound. Give it pieces of at least a quarter of a second; shorter ones do not count. */
export function quietestMoment(): { push(sound: Float32Array): void; tone(): RoomTone | null } {
  let [quietest, least] = [null as Float64Array | null, Infinity];
  return {
    push(sound) {
      for (let from = 0; from + WINDOW * CHANNELS <= sound.length; from += WINDOW * CHANNELS) {
        const mono = new Float64Array(WINDOW);
        let power = 0;
        for (let at = 0; at < WINDOW; at++) {
          const [left, right] = [sound[from + CHANNELS * at]!, sound[from + CHANNELS * at + 1]!];
          mono[at] = (left + right) / 2;
          power += mono[at]! * mono[at]!;
        }
        if (power < least && power > SILENCE * WINDOW) [quietest, least] = [mono, power];
      }
    },
    tone: () => quietest && fitTone(quietest),
  };
}

/**
 * The all-pole filter whose noise has the spectrum of x, by Levinson and Durbin:
 *   r_k = Σ x_t x_{t+k},  Σ_j a_j r_{|i−j|} = 0 for i = 1 … p with a_0 = 1,  σ² = Σ_j a_j r_j / n
 */
export function fitTone(x: Float64Array): RoomTone {
  const n = x.length;
  const r = Float64Array.from({ length: ORDER + 1 }, (_, k) => {
    let sum = 0;
    for (let t = k; t < n; t++) sum += x[t]! * x[t - k]!;
    return sum;
  });
  // A little white noise keeps the filter stable for pure tones.
  r[0]! *= 1 + 1e-6;
  let a = new Float64Array(ORDER + 1);
  a[0] = 1;
  let error = r[0]!;
  for (let i = 1; i <= ORDER; i++) {
    let sum = 0;
    for (let j = 0; j < i; j++) sum += a[j]! * r[i - j]!;
    const reflection = -sum / error;
    a = a.map((value, j) => (j <= i ? value + reflection * a[i - j]! : value));
    error *= 1 - reflection * reflection;
  }
  return { a, sigma: Math.sqrt(error / n) };
}

/** Mean level of noise with unit variance through the filter of a tone, and σ: the root of its mean square. */
function levelOf({ a, sigma }: RoomTone): number {
  // The filter's impulse response h gives Σ h² = variance of the output for unit variance.
  const h = new Float64Array(SAMPLE_RATE / 10);
  let power = 0;
  for (let t = 0; t < h.length; t++) {
    h[t] = t === 0 ? 1 : 0;
    for (let k = 1; k <= ORDER && k <= t; k++) h[t]! -= a[k]! * h[t - k]!;
    power += h[t]! * h[t]!;
  }
  return sigma * Math.sqrt(power);
}

/** Room tone is heard, but stays well below sources of −18 LUFS; as roots of mean squares: −56 and −36 dB. */
const [SOFTEST, LOUDEST] = [10 ** (-56 / 20), 10 ** (-36 / 20)];
/** Uniform noise in [−√3, √3) has unit variance. */
const SPREAD = Math.sqrt(3);

/** Plays a tone for ever, at `gain` but within −56 and −36 dB. The same tone gives the same samples. */
export function playTone(tone: RoomTone, gain: number): SoundReading {
  const level = levelOf(tone);
  const scale = Math.min(LOUDEST, Math.max(SOFTEST, level * gain)) / level;
  const draw = random(1);
  const past = Array.from({ length: CHANNELS }, () => new Float64Array(ORDER));
  let decoded = 0;
  const read = (samples: number): Float32Array => {
    const sound = new Float32Array(samples * CHANNELS);
    for (let t = 0; t < samples; t++, decoded++) {
      for (const [channel, y] of past.entries()) {
        let value = tone.sigma * SPREAD * (2 * draw.next() - 1);
        // y is a ring: its slot t mod p holds the sample from p steps ago.
        for (let k = 1; k <= ORDER; k++) value -= tone.a[k]! * y[(decoded - k + ORDER * 2) % ORDER]!;
        y[decoded % ORDER] = value;
        sound[t * CHANNELS + channel] = value * scale;
      }
    }
    return sound;
  };
  return { read: async (samples) => read(samples), decoded: () => decoded, kill: () => undefined };
}
