import { random, type Random } from '../../src/base/index.js';

/** Samples per second of everything here. */
export const RATE = 16_000;

/** What a place sounds like, by name. */
export const SCENES = { event, music } as const;

/** An event: people, steps, bangs and calls at no fixed times, over noise that swells. */
function event(seconds: number, seed: number): Float32Array {
  const dice = random(seed);
  const sound = pinkish(seconds * RATE, dice, 0.02, 900, (t) => 0.6 + 0.4 * Math.sin(t * 0.7 + seed));
  for (const at of momentsOf(seconds, 1.2, dice)) burst(sound, at, 0.02 + 0.08 * dice.next(), 0.1 + 0.4 * dice.next(), dice); // prettier-ignore
  for (const at of momentsOf(seconds, 6, dice)) call(sound, at, 0.6 + 2 * dice.next(), 120 + 160 * dice.next(), dice);
  return sound;
}

/** Music of a strict beat: every bar has the same rhythm, only the notes differ. */
function music(seconds: number, seed: number): Float32Array {
  const dice = random(seed);
  const sound = new Float32Array(seconds * RATE);
  for (let beat = 0; beat / 2 < seconds; beat++) {
    burst(sound, beat / 2, 0.05, 0.5, dice);
    burst(sound, beat / 2 + 0.25, 0.01, 0.2, dice);
    const note = 220 * 2 ** ([0, 3, 5, 7, 10, 12][Math.floor(6 * dice.next())]! / 12);
    tone(sound, beat / 2, note, 0.3, 0.2);
  }
  return sound;
}

/** How a camera hears it. */
export type Camera = {
  readonly start: number;
  readonly seconds: number;
  readonly gain: number;
  /** Sound over its own noise, in decibels. */
  readonly snrDb: number;
  /** Seconds until an echo has died away by 60 dB. */
  readonly reverb: number;
  /** Its clock is fast by this many parts in a million. */
  readonly ppm: number;
};

/** What a camera records of a sound. */
export function recordWith(
  { start, seconds, gain, snrDb, reverb, ppm }: Camera,
  sound: Float32Array,
  seed: number,
): Int16Array {
  // prettier-ignore
  const dice = random(seed);
  const length = Math.floor(seconds * RATE);
  const heard = new Float32Array(length);
  const step = 1 + ppm / 1e6;
  for (let i = 0; i < length; i++) {
    const at = start * RATE + i * step;
    const floor = Math.floor(at);
    heard[i] = (sound[floor] ?? 0) + (at - floor) * ((sound[floor + 1] ?? 0) - (sound[floor] ?? 0));
  }
  // A room: three echoes that feed back, of uneven delays.
  const dry = heard.slice();
  for (const delay of [0.029, 0.037, 0.051].map((each) => each * (0.8 + 0.4 * dice.next()))) {
    const [back, fall] = [Math.round(delay * RATE), 10 ** ((-3 * delay) / reverb)];
    const echo = new Float32Array(length);
    for (let i = back; i < length; i++) heard[i]! += 0.4 * (echo[i] = fall * (dry[i - back]! + echo[i - back]!));
  }
  const power = heard.reduce((sum, x) => sum + x * x, 0) / length;
  const noise = pinkish(length, dice, Math.sqrt(power / 10 ** (snrDb / 10)), 2_000, () => 1);
  return Int16Array.from(heard, (x, i) => Math.max(-32_768, Math.min(32_767, 20_000 * gain * (x + noise[i]!))));
}

/** Noise through a low-pass of one pole, with this root mean square. */
function pinkish(
  length: number,
  dice: Random,
  rms: number,
  hz: number,
  swell: (seconds: number) => number,
): Float32Array {
  // prettier-ignore
  const pole = 1 - Math.exp((-2 * Math.PI * hz) / RATE);
  const sound = new Float32Array(length);
  let [state, squares] = [0, 0];
  for (let i = 0; i < length; i++) {
    state += pole * (dice.next() * 2 - 1 - state);
    sound[i] = state * swell(i / RATE);
    squares += sound[i]! ** 2;
  }
  const scale = rms / Math.sqrt(squares / length);
  return sound.map((x) => x * scale);
}

function burst(sound: Float32Array, at: number, decay: number, level: number, dice: Random): void {
  const from = Math.round(at * RATE);
  for (let i = 0; i < 5 * decay * RATE && from + i < sound.length; i++) {
    sound[from + i]! += level * (dice.next() * 2 - 1) * Math.exp(-i / (decay * RATE));
  }
}

function tone(sound: Float32Array, at: number, hz: number, seconds: number, level: number): void {
  const from = Math.round(at * RATE);
  for (let i = 0; i < seconds * RATE && from + i < sound.length; i++) {
    sound[from + i]! += level * Math.sin((2 * Math.PI * hz * i) / RATE) * Math.exp((-3 * i) / (seconds * RATE));
  }
}

/** A voice: syllables of uneven length, each a tone with overtones. */
function call(sound: Float32Array, at: number, seconds: number, hz: number, dice: Random): void {
  for (let from = at; from < at + seconds; from += 0.1 + 0.2 * dice.next()) {
    const pitch = hz * (0.9 + 0.3 * dice.next());
    for (const harmonic of [1, 2, 3, 5, 8]) tone(sound, from, harmonic * pitch, 0.08 + 0.1 * dice.next(), 0.15 / harmonic); // prettier-ignore
  }
}

function momentsOf(seconds: number, every: number, dice: Random): number[] {
  const list: number[] = [];
  for (let at = 0; at < seconds; at -= every * Math.log(1 - dice.next())) list.push(at);
  return list;
}
