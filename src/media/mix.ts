import { CEILING } from './loudness.js';
import { addSound, CHANNELS, fadeEdges, SAMPLE_RATE, scaleSound, type SoundReading } from './sound.js';
import type { Stretch } from './types.js';
import { random } from '../base/index.js';

/** Sound in samples [start, end) of a film, and over how many samples its ends fade. */
export type Voice = {
  readonly start: number;
  readonly end: number;
  readonly fadeIn: number;
  readonly fadeOut: number;
  readonly gain: number;
  open(): Promise<SoundReading>;
};

type Blocks = AsyncGenerator<Float32Array>;

/** Adds voices up, in blocks of a second. */
export async function* mix(voices: readonly Voice[], total: number): Blocks {
  const open = new Map<Voice, SoundReading>();
  try {
    for (let from = 0; from < total; from += SAMPLE_RATE) {
      const to = Math.min(total, from + SAMPLE_RATE);
      const block = new Float32Array((to - from) * CHANNELS);
      for (const voice of voices) {
        const [start, end] = [Math.max(from, voice.start), Math.min(to, voice.end)];
        if (start >= end) continue;
        const reading = open.get(voice) ?? (await voice.open());
        open.set(voice, reading);
        const sound = await reading.read(end - start);
        scaleSound(sound, voice.gain);
        fadeEdges(sound, { ...voice, offset: start - voice.start, total: voice.end - voice.start });
        addSound(block, sound, start - from);
        if (end < voice.end) continue;
        reading.kill();
        open.delete(voice);
      }
      yield block;
    }
  } finally {
    for (const reading of open.values()) reading.kill();
  }
}

/** Gains are computed every 10 ms and are linear between. */
const STEP = SAMPLE_RATE / 100;

/** Music is 12 dB softer under speech. It steps back within 0.3 s before, and comes back within 0.8 s behind. */
const DUCKED_DB = -12;
const BEFORE = 0.3 * SAMPLE_RATE;
const BEHIND = 0.8 * SAMPLE_RATE;

/**
 * The level of music at a sample, in decibels: D at speech, D·(1 − distance / ramp) near it, 0 elsewhere. `speech` is in
 * order of its starts.
 */
export function duckedDb(sample: number, speech: readonly Stretch[]): number {
  let near = 0;
  for (const { start, end } of speech) {
    if (start - sample >= BEFORE) break;
    const distance = sample < start ? (start - sample) / BEFORE : Math.max(0, sample - end) / BEHIND;
    near = Math.max(near, 1 - distance);
  }
  return DUCKED_DB * near;
}

/** Adds music to a film, softer where there is speech. */
export async function* duck(film: Blocks, music: Blocks, speech: readonly Stretch[]): Blocks {
  const gainAt = (sample: number): number => 10 ** (duckedDb(sample, speech) / 20);
  let from = 0;
  try {
    for await (const block of film) {
      const { value: under } = (await music.next()) as { value: Float32Array };
      const start = from;
      ramp(under, (step) => gainAt(start + step * STEP));
      addSound(block, under, 0);
      from += block.length / CHANNELS;
      yield block;
    }
  } finally {
    await music.return(undefined);
  }
}

/**
 * Keeps sound under the ceiling. A step of 10 ms whose highest sample is p needs the gain n = min(1, ceiling / p); where two
 * steps meet, the gain is the smaller of theirs, so that it is never above n within a step.
 */
export async function* limit(blocks: Blocks): Blocks {
  let [held, before] = [null as Float32Array | null, 1];
  const play = (block: Float32Array, next: Float32Array | null): Float32Array => {
    const steps = Math.ceil(block.length / CHANNELS / STEP);
    const needed = Array.from({ length: steps }, (_, step) => neededGain(block, step));
    const behind = next === null ? 1 : neededGain(next, 0);
    const first = before;
    before = needed.at(-1)!;
    const at = (boundary: number): number =>
      Math.min(boundary === 0 ? first : needed[boundary - 1]!, boundary === steps ? behind : needed[boundary]!);
    ramp(block, at);
    return block;
  };
  for await (const block of blocks) {
    if (held !== null) yield play(held, block);
    held = block;
  }
  if (held !== null) yield play(held, null);
}

function neededGain(block: Float32Array, step: number): number {
  let peak = 0;
  const end = Math.min(block.length, (step + 1) * STEP * CHANNELS);
  for (let at = step * STEP * CHANNELS; at < end; at++) peak = Math.max(peak, Math.abs(block[at]!));
  return peak > CEILING ? CEILING / peak : 1;
}

/** Multiplies a block by a gain that is given where steps meet and linear between, in place. */
function ramp(block: Float32Array, gainAt: (boundary: number) => number): void {
  let gain = gainAt(0);
  for (let step = 0, at = 0; at < block.length; step++) {
    const next = gainAt(step + 1);
    const end = Math.min(block.length, at + STEP * CHANNELS);
    if (gain === 1 && next === 1) at = end;
    for (let sample = 0; at < end; sample++) {
      const factor = gain + ((next - gain) * sample) / STEP;
      for (let channel = 0; channel < CHANNELS; channel++) block[at++]! *= factor;
    }
    gain = next;
  }
}

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
