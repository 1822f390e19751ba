import { type Random, random } from '../base/index.js';
import { EVERY } from './scenes/festival.js';
import type { SceneName } from './scenes/index.js';

/** Samples per second. */
export const SAMPLE_RATE = 48_000;

/** Noise: how bright (Hz), how loud, and its loudness over time in [0, 1]. */
type Noise = {
  readonly hz: number;
  readonly gain: number;
  readonly lowCutHz?: number;
  swell?(seconds: number): number;
};

/** A tone: starts at `at` seconds, decays within `decay` seconds, may glide to `toHz`. */
type Tone = {
  readonly at: number;
  readonly hz: number;
  readonly decay: number;
  readonly gain: number;
  readonly toHz?: number;
  /** Attack time in seconds. */
  readonly attack?: number;
  /** -1 left, 1 right. */
  readonly pan?: number;
};

/** Stereo sound of one take, built voice by voice. */
class Mix {
  readonly left: Float32Array;
  readonly right: Float32Array;
  readonly dice: Random;

  constructor(
    readonly sampleCount: number,
    seed: number,
  ) {
    this.left = new Float32Array(sampleCount);
    this.right = new Float32Array(sampleCount);
    this.dice = random(seed);
  }

  get seconds(): number {
    return this.sampleCount / SAMPLE_RATE;
  }

  /** Adds noise through a gentle low-pass of two poles and a high-pass of one; both ears are independent. */
  noise({ hz, gain, lowCutHz = 20, swell }: Noise): this {
    const [low, high] = [poleOf(hz), poleOf(lowCutHz)];
    // Compensates the power that white noise loses in the filter.
    const level = (gain * 0.9) / Math.sqrt(low);
    let state = Math.floor(this.dice.next() * 2 ** 31) | 1;
    for (const ear of [this.left, this.right]) {
      let [first, second, base, loudness] = [0, 0, 0, 1];
      for (let i = 0; i < ear.length; i++) {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        first += low * (state / 2 ** 31 - first);
        second += low * (first - second);
        base += high * (second - base);
        if (swell && i % 64 === 0) loudness = swell(i / SAMPLE_RATE);
        ear[i] = ear[i]! + level * loudness * (second - base);
      }
    }
    return this;
  }

  /** Adds a tone. */
  tone({ at, hz, decay, gain, toHz = hz, attack = 0.004, pan = 0 }: Tone): this {
    const start = Math.round(at * SAMPLE_RATE);
    const length = Math.min(Math.round(decay * 5 * SAMPLE_RATE), this.sampleCount - start);
    const [toLeft, toRight] = [gain * Math.sqrt((1 - pan) / 2), gain * Math.sqrt((1 + pan) / 2)];
    const [fading, gliding] = [Math.exp(-1 / (decay * SAMPLE_RATE)), Math.exp(-1 / (0.6 * decay * SAMPLE_RATE))];
    let [phase, level, detune] = [0, 1, hz - toHz];
    for (let i = 0; i < length; i++) {
      phase += (2 * Math.PI * (toHz + detune)) / SAMPLE_RATE;
      const value = Math.sin(phase) * level * Math.min(1, i / (attack * SAMPLE_RATE));
      level *= fading;
      detune *= gliding;
      this.left[start + i] = this.left[start + i]! + toLeft * value;
      this.right[start + i] = this.right[start + i]! + toRight * value;
    }
    return this;
  }

  /** Adds a burst of noise that dies away: drums, steps, bangs. */
  thump(at: number, hz: number, decay: number, gain: number): this {
    const start = Math.max(0, Math.round(at * SAMPLE_RATE));
    const end = Math.min(this.sampleCount, start + Math.round(decay * 5 * SAMPLE_RATE));
    const low = poleOf(hz);
    let [first, second] = [0, 0];
    for (let i = start; i < end; i++) {
      const seconds = (i - start) / SAMPLE_RATE;
      first += low * (this.dice.next() * 2 - 1 - first);
      second += low * (first - second);
      const value =
        ((gain * 1.6) / Math.sqrt(low)) * second * Math.exp(-seconds / decay) * Math.min(1, seconds / 0.003);
      this.left[i] = this.left[i]! + value;
      this.right[i] = this.right[i]! + value;
    }
    return this;
  }

  /** Moments in the take, about `every` seconds apart. */
  moments(every: number): number[] {
    const list: number[] = [];
    for (let at = every * this.dice.next(); at < this.seconds; at += every * (0.5 + this.dice.next())) list.push(at);
    return list;
  }

  /** Interleaved 16-bit samples, faded in and out over `FADE_SECONDS`, peaks bent softly instead of cut. */
  finish(): Uint8Array {
    const out = new Int16Array(this.sampleCount * 2);
    const fade = Math.min(FADE_SECONDS * SAMPLE_RATE, this.sampleCount / 2);
    for (let i = 0; i < this.sampleCount; i++) {
      const level = Math.min(1, i / fade, (this.sampleCount - 1 - i) / fade);
      out[i * 2] = Math.round(30_000 * Math.tanh(this.left[i]! * level));
      out[i * 2 + 1] = Math.round(30_000 * Math.tanh(this.right[i]! * level));
    }
    return new Uint8Array(out.buffer);
  }
}

/** Long enough that cuts do not click. */
const FADE_SECONDS = 0.04;

/** Coefficient of a one-pole low-pass with this corner. */
function poleOf(hz: number): number {
  return 1 - Math.exp((-2 * Math.PI * hz) / SAMPLE_RATE);
}

/** Adds the sound of a place to a mix. `clock` is the time of the scene at the first sample of the take. */
type Ambience = (mix: Mix, clock: number) => void;

/** The sound of one take as interleaved stereo samples of 16 bits, in the byte order of the machine. */
export function synthesize(scene: SceneName, sampleCount: number, clock: number, seed: number): Uint8Array {
  const mix = new Mix(sampleCount, seed);
  ambiences[scene](mix, clock);
  return mix.finish();
}

const ambiences: Record<SceneName, Ambience> = {
  harbour: (mix, clock) => {
    waves(mix, clock, 0.16);
    gulls(mix, 1.6, 0.05);
    for (const at of mix.moments(0.8)) mix.tone({ at, hz: 2100, decay: 0.05, gain: 0.025, pan: 0.5 });
  },
  market: (mix) => {
    murmur(mix, 0.2);
    for (const at of [0.3, 1.4, 2.5]) bell(mix, at, 392, 0.1);
  },
  lighthouse: (mix, clock) => {
    waves(mix, clock, 0.2);
    mix.noise({ hz: 380, gain: 0.1, swell: (t) => 0.6 + 0.4 * Math.sin(t * 1.1 + clock) });
    gulls(mix, 1.1, 0.07);
  },
  fireworks: (mix, clock) => {
    murmur(mix, 0.07);
    for (let number = Math.ceil(clock / EVERY); number * EVERY < clock + mix.seconds; number++) {
      const at = number * EVERY - clock;
      mix.thump(at, 120 + 60 * (number % 3), 0.22, number % 2 === 0 ? 0.5 : 0.25);
      for (let k = 0; k < 14; k++) mix.thump(at + 0.5 + mix.dice.next() * 0.8, 5200, 0.006, 0.08);
    }
  },
  fair: (mix, clock) => {
    murmur(mix, 0.1);
    waltz(mix, clock);
  },
  viaduct: (mix) => {
    mix.noise({ hz: 300, gain: 0.06 });
    for (let at = 0, beat = 0; at < mix.seconds; at += 0.21, beat++)
      mix.thump(at, 900, 0.07, beat % 4 === 0 ? 0.34 : 0.2);
    for (const hz of [466, 554, 698]) mix.tone({ at: 1.1, hz, decay: 0.7, attack: 0.08, gain: 0.06 });
  },
  tulips: (mix) => {
    mix.noise({ hz: 500, gain: 0.08, swell: (t) => 0.7 + 0.3 * Math.sin(t * 1.3) });
    birds(mix, 0.35);
  },
  kitchen: (mix) => {
    mix.noise({ hz: 7000, lowCutHz: 2500, gain: 0.05 });
    mix.noise({ hz: 260, gain: 0.07, swell: (t) => 0.6 + 0.4 * Math.abs(Math.sin(t * 9)) });
    for (const at of mix.moments(0.7))
      mix.tone({ at, hz: 1500 + 900 * mix.dice.next(), decay: 0.09, gain: 0.07, pan: -0.4 });
  },
  'rainy-window': (mix) => {
    mix.noise({ hz: 5200, lowCutHz: 900, gain: 0.1 });
    for (const at of mix.moments(0.12)) mix.thump(at, 1800, 0.012, 0.12);
    for (let at = 0; at < mix.seconds; at += 0.045) mix.thump(at, 110, 0.015, 0.1 + 0.06 * Math.sin(at * 2.4));
  },
  balloons: (mix) => {
    mix.noise({ hz: 260, gain: 0.08 });
    mix.noise({ hz: 1100, gain: 0.16, swell: (t) => Math.max(0, Math.sin(t * 1.9 - 0.8)) ** 2 });
    birds(mix, 0.9);
  },
  aquarium: (mix) => {
    mix.noise({ hz: 130, gain: 0.22 });
    for (const at of mix.moments(0.16)) {
      const hz = 280 + 500 * mix.dice.next();
      mix.tone({ at, hz, toHz: hz * 1.9, decay: 0.05, gain: 0.09, pan: mix.dice.next() * 1.6 - 0.8 });
    }
  },
  beach: (mix, clock) => {
    waves(mix, clock, 0.24);
    murmur(mix, 0.06);
  },
  pavement: (mix) => {
    mix.noise({ hz: 300, gain: 0.05 });
    for (let at = 0.1; at < mix.seconds; at += 0.52) mix.thump(at, 420, 0.05, 0.4);
  },
  wall: (mix) => mix.noise({ hz: 180, gain: 0.12, swell: (t) => 0.5 + 0.5 * Math.sin(t * 5) ** 2 }),
  finger: (mix) => mix.noise({ hz: 90, gain: 0.2, swell: (t) => 0.6 + 0.4 * Math.sin(t * 7) }),
};

function waves(mix: Mix, clock: number, gain: number): void {
  const swell = (t: number): number => 0.35 + 0.65 * Math.max(0, Math.sin((t + clock) * 1.25)) ** 2;
  mix.noise({ hz: 420, gain, swell });
  mix.noise({ hz: 3200, lowCutHz: 700, gain: gain * 0.3, swell: (t) => swell(t - 0.25) ** 2 });
}

function gulls(mix: Mix, every: number, gain: number): void {
  for (const at of mix.moments(every)) {
    const pan = mix.dice.next() * 1.4 - 0.7;
    for (const k of [0, 1, 2])
      mix.tone({ at: at + k * 0.19, hz: 1500 - 90 * k, toHz: 930, decay: 0.09, attack: 0.03, gain, pan });
  }
}

function birds(mix: Mix, every: number): void {
  for (const at of mix.moments(every)) {
    const [hz, pan] = [2600 + 1400 * mix.dice.next(), mix.dice.next() * 1.6 - 0.8];
    for (const k of [0, 1, 2])
      mix.tone({ at: at + k * 0.08, hz, toHz: hz * 1.25, decay: 0.025, attack: 0.01, gain: 0.05, pan });
  }
}

/** Many voices far away: syllables of band noise that come and go on their own. */
function murmur(mix: Mix, gain: number): void {
  for (const hz of [420, 640, 900]) {
    const [rate, turn] = [3 + 2 * mix.dice.next(), mix.dice.next() * 6];
    const swell = (t: number): number =>
      0.45 + 0.35 * Math.sin(t * rate + turn) * Math.sin(t * rate * 0.37) + 0.2 * Math.sin(t * 11.3 * rate * 0.3);
    mix.noise({ hz, lowCutHz: hz / 2, gain: gain * 0.6, swell });
  }
}

/** Partials of a church bell after Lehr: hum, prime, tierce, quint, nominal. */
function bell(mix: Mix, at: number, hz: number, gain: number): void {
  const partials = [[0.5, 0.6], [1, 1], [1.2, 0.7], [1.5, 0.35], [2, 0.6]] as const; // prettier-ignore
  for (const [ratio, level] of partials) mix.tone({ at, hz: hz * ratio, decay: 1.1 / ratio, gain: gain * level });
}

/** A barrel organ in three-four time; the tune follows the clock, so that it continues between takes. */
function waltz(mix: Mix, clock: number): void {
  const tune = [0, 4, 7, 9, 7, 4, 5, 9, 12, 11, 7, 4, 2, 5, 9, 7, 4, 2, 0, 4, 7, 4, 2, -1];
  const beat = 0.3;
  for (let step = Math.ceil(clock / beat); step * beat < clock + mix.seconds; step++) {
    const at = step * beat - clock;
    const note = tune[step % tune.length] ?? 0;
    for (const [ratio, gain] of [
      [1, 0.09],
      [2, 0.03],
      [3, 0.012],
    ] as const) {
      mix.tone({ at, hz: 523.25 * 2 ** (note / 12) * ratio, decay: 0.22, attack: 0.015, gain, pan: 0.15 });
    }
    mix.tone({
      at,
      hz: step % 3 === 0 ? 130.8 : 196,
      decay: 0.14,
      attack: 0.01,
      gain: step % 3 === 0 ? 0.14 : 0.06,
      pan: -0.2,
    });
  }
}
