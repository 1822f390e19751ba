import { describe, expect, it } from 'vitest';

import { CEILING } from './loudness.js';
import { duck, duckedDb, limit, mix, type Voice } from './mix.js';
import { CHANNELS, SAMPLE_RATE, type SoundReading } from './sound.js';

/** Sound of one value for ever. */
const steady = (value: number): SoundReading => ({
  read: async (samples) => new Float32Array(samples * CHANNELS).fill(value),
  decoded: () => 0,
  kill: () => undefined,
});

const voice = (start: number, end: number, value: number, fades: Partial<Voice> = {}): Voice => ({
  ...{ start, end, fadeIn: 0, fadeOut: 0, gain: 1 },
  ...fades,
  open: async () => steady(value),
});

/** One channel of all blocks. */
async function played(blocks: AsyncIterable<Float32Array>): Promise<number[]> {
  const samples: number[] = [];
  for await (const block of blocks) for (let at = 0; at < block.length; at += CHANNELS) samples.push(block[at]!);
  return samples;
}

const highest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

async function* inBlocks(...blocks: readonly Float32Array[]): AsyncGenerator<Float32Array> {
  yield* blocks;
}

describe('mix', () => {
  it('plays each voice at its samples, over the borders of blocks, for exactly as long as asked', async () => {
    const total = 2 * SAMPLE_RATE + 17;
    const samples = await played(
      mix([voice(0, 100, 0.25), voice(SAMPLE_RATE - 5, SAMPLE_RATE + 5, 0.5, { gain: 2 })], total),
    );
    expect(samples).toHaveLength(total);
    expect(samples.flatMap((value, at) => (value === 0.25 ? [at] : []))).toEqual(
      Array.from({ length: 100 }, (_, k) => k),
    );
    expect(samples.flatMap((value, at) => (value === 1 ? [at] : []))).toEqual(Array.from({ length: 10 }, (_, k) => SAMPLE_RATE - 5 + k)); // prettier-ignore
  });

  it('fades voices into each other without a dip or a peak', async () => {
    const [join, half] = [SAMPLE_RATE, 1920];
    const voices = [
      voice(0, join + half, 0.5, { fadeOut: 2 * half }),
      voice(join - half, 2 * SAMPLE_RATE, 0.5, { fadeIn: 2 * half }),
    ];
    const samples = await played(mix(voices, 2 * SAMPLE_RATE));
    expect(highest(samples.map((value) => value - 0.5))).toBeLessThan(1e-6);
  });
});

describe('music', () => {
  const speech = [{ start: 3 * SAMPLE_RATE, end: 4 * SAMPLE_RATE }];

  it('is 12 dB softer under speech, and on its way there before', () => {
    expect([0, 2.69, 2.85, 3, 3.5, 4, 4.4, 4.81, 9].map((second) => duckedDb(second * SAMPLE_RATE, speech))).toEqual(
      [0, 0, expect.closeTo(-6, 6), -12, -12, -12, expect.closeTo(-6, 6), 0, 0].map((level) =>
        level === 0 ? expect.closeTo(0, 9) : level,
      ),
    );
  });

  it('is added to the film at that level', async () => {
    const [film, music] = [mix([], 6 * SAMPLE_RATE), mix([voice(0, 6 * SAMPLE_RATE, 0.5)], 6 * SAMPLE_RATE)];
    const samples = await played(duck(film, music, speech));
    expect(samples[SAMPLE_RATE]).toBe(0.5);
    expect(samples[3.5 * SAMPLE_RATE]).toBeCloseTo(0.5 * 10 ** (-12 / 20), 5);
    expect(samples[5.5 * SAMPLE_RATE]).toBe(0.5);
    // No step: 12 dB take 0.3 s.
    expect(highest(samples.slice(1).map((value, at) => value - samples[at]!))).toBeLessThan(1e-4);
  });
});

describe('limit', () => {
  it('keeps every sample under the ceiling, and lets alone what is far from a peak', async () => {
    const blocks = [0, 1, 2].map(() => new Float32Array(SAMPLE_RATE * CHANNELS).fill(0.4));
    // One peak in the middle, and one in the first step of a block.
    blocks[0]![30_000] = -1.7;
    blocks[2]![10] = 1.2;
    const samples = await played(limit(inBlocks(...blocks)));
    expect(highest(samples)).toBeLessThanOrEqual(CEILING + 1e-7);
    expect(samples[15_000]).toBeCloseTo(-CEILING, 6);
    expect(samples[13_000]).toBe(Math.fround(0.4));
    expect(samples[2 * SAMPLE_RATE + 5]).toBeCloseTo(CEILING, 2);
    expect(samples[SAMPLE_RATE + 24_000]).toBe(Math.fround(0.4));
  });
});
