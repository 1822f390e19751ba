import { CHANNELS, readSlices, SAMPLE_RATE, type Slice, type SoundSource } from './sound.js';

/** The loudness of sound: integrated loudness in LUFS (`null` for silence, or less than 0.4 s), highest sample in [0, ∞). */
export type Loudness = { readonly lufs: number | null; readonly peak: number };

/** Direct form of a second-order filter, a0 = 1. */
type Biquad = { b0: number; b1: number; b2: number; a1: number; a2: number };

/** ITU-R BS.1770-4, tables 1 and 2, for 48 kHz: the head's shelf, then the high-pass. */
const K_WEIGHTING: readonly Biquad[] = [
  {
    b0: 1.53512485958697,
    b1: -2.69169618940638,
    b2: 1.19839281085285,
    a1: -1.69065929318241,
    a2: 0.73248077421585,
  },
  { b0: 1, b1: -2, b2: 1, a1: -1.99004745483398, a2: 0.99007225036621 },
];

const STEP_SAMPLES = SAMPLE_RATE / 10;
const STEPS_A_BLOCK = 4;
const ABSOLUTE_GATE = -70;
const RELATIVE_GATE = -10;

const loudnessOf = (power: number): number => -0.691 + 10 * Math.log10(power);

/**
 * Measures stereo sound at 48 kHz by EBU R 128 and ITU-R BS.1770-4: K-weighted mean squares of 400 ms blocks, one every
 * 100 ms, averaged over those above −70 LUFS and within 10 LU of their average. Memory: eight bytes per 100 ms.
 */
export function loudnessMeter(): { push(sound: Float32Array): void; read(): Loudness } {
  // Two delays for each filter of each channel.
  const delays = new Float64Array(CHANNELS * K_WEIGHTING.length * 2);
  const steps: number[] = [];
  let [sum, filled, peak] = [0, 0, 0];
  return {
    push(sound) {
      for (let at = 0; at < sound.length; at += CHANNELS) {
        for (let channel = 0; channel < CHANNELS; channel++) {
          let value = sound[at + channel]!;
          peak = Math.max(peak, Math.abs(value));
          for (let stage = 0; stage < K_WEIGHTING.length; stage++) {
            const { b0, b1, b2, a1, a2 } = K_WEIGHTING[stage]!;
            const slot = (channel * K_WEIGHTING.length + stage) * 2;
            const out = b0 * value + delays[slot]!;
            delays[slot] = b1 * value - a1 * out + delays[slot + 1]!;
            delays[slot + 1] = b2 * value - a2 * out;
            value = out;
          }
          sum += value * value;
        }
        if (++filled === STEP_SAMPLES) {
          steps.push(sum / STEP_SAMPLES);
          [sum, filled] = [0, 0];
        }
      }
    },
    read: () => ({ lufs: integrate(steps), peak }),
  };
}

function integrate(steps: readonly number[]): number | null {
  const blocks: number[] = [];
  for (let last = STEPS_A_BLOCK; last <= steps.length; last++) {
    const power = steps.slice(last - STEPS_A_BLOCK, last).reduce((sum, step) => sum + step, 0) / STEPS_A_BLOCK;
    if (loudnessOf(power) > ABSOLUTE_GATE) blocks.push(power);
  }
  const gate = loudnessOf(mean(blocks)) + RELATIVE_GATE;
  const heard = blocks.filter((power) => loudnessOf(power) > gate);
  return heard.length === 0 ? null : loudnessOf(mean(heard));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Measures slices of a track, all together. */
export async function measureLoudness(
  source: SoundSource,
  slices: readonly Slice[],
  signal?: AbortSignal,
): Promise<Loudness> {
  const meter = loudnessMeter();
  for await (const { sound } of readSlices(source, slices, signal)) meter.push(sound);
  return meter.read();
}

/** The loudness of evened sources: between broadcast (−23) and streaming services (−14); most footage has headroom for it. */
export const TARGET_LUFS = -18;
/** The most by which sound is raised, so that quiet surroundings stay quieter than speech. */
const MAX_GAIN_DB = 12;
/** Highest sample after the gain; the rest is headroom for peaks between samples and for the encoder. */
export const CEILING = 10 ** (-1.5 / 20);

/** Music is this much softer than evened sources. */
const MUSIC_BELOW_LU = 6;

/** The factor that brings sound to the target, if its peaks and the limit of the gain allow. */
export function evenGain({ lufs, peak }: Loudness, target = TARGET_LUFS): number {
  if (lufs === null) return 1;
  const wanted = 10 ** (Math.min(target - lufs, MAX_GAIN_DB) / 20);
  return peak * wanted > CEILING ? Math.min(wanted, CEILING / peak) : wanted;
}

/** The factor for music under a film. */
export function musicGain(loudness: Loudness): number {
  return evenGain(loudness, TARGET_LUFS - MUSIC_BELOW_LU);
}
