import { type Random, random } from '../base/index.js';

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
export class Mix {
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
