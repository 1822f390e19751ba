import { describe, expect, it } from 'vitest';

import { random } from '../base/index.js';
import { fitTone, playTone, quietestMoment } from './mix.js';
import { CHANNELS, SAMPLE_RATE } from './sound.js';

/** Low noise: y_t = 0.9 y_{t−1} + u_t, whose neighbours correlate by 0.9, in both channels. */
function noise(seconds: number, level: number): Float32Array {
  const draw = random(5);
  const sound = new Float32Array(seconds * SAMPLE_RATE * CHANNELS);
  let y = 0;
  for (let at = 0; at < sound.length; at += CHANNELS) {
    y = 0.9 * y + draw.normal() * Math.sqrt(1 - 0.81);
    sound[at] = sound[at + 1] = level * y;
  }
  return sound;
}

const left = (sound: Float32Array): number[] => [...sound.filter((_, at) => at % CHANNELS === 0)];
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0); // prettier-ignore
const levelOf = (samples: readonly number[]): number => Math.sqrt(dot(samples, samples) / samples.length);

describe('room tone', () => {
  it('finds the filter that coloured noise was made with', () => {
    const { a, sigma } = fitTone(Float64Array.from(left(noise(1, 1))));
    expect(a[0]).toBe(1);
    expect(a[1]).toBeCloseTo(-0.9, 1);
    for (const other of a.slice(2)) expect(Math.abs(other)).toBeLessThan(0.03);
    expect(sigma).toBeCloseTo(Math.sqrt(1 - 0.81), 1);
  });

  it('plays noise of the same colour and level, the same each time', async () => {
    const tone = fitTone(Float64Array.from(left(noise(1, 0.005))));
    const [first, again] = [playTone(tone, 1), playTone(tone, 1)];
    const sound = await first.read(SAMPLE_RATE);
    const samples = left(sound);
    expect(levelOf(samples)).toBeCloseTo(0.005, 3);
    expect(dot(samples, samples.slice(1)) / dot(samples, samples)).toBeCloseTo(0.9, 2);
    // In pieces of any size.
    expect([...(await again.read(7)), ...(await again.read(1000))]).toEqual([...sound.subarray(0, 1007 * CHANNELS)]);
  });

  it.each([
    [0.5, -36],
    [1e-5, -56],
  ])('is neither loud nor lost: noise at %d plays at %d dB', async (level, decibels) => {
    const tone = playTone(fitTone(Float64Array.from(left(noise(1, level)))), 1);
    expect(20 * Math.log10(levelOf(left(await tone.read(SAMPLE_RATE))))).toBeCloseTo(decibels, 0);
  });

  it('comes from the quietest quarter of a second, and never from digital silence', async () => {
    const sound = noise(2, 0.1);
    sound.set(noise(1, 0.004).subarray(0, 24_000), 48_000);
    sound.fill(0, 120_000, 144_000);
    const quiet = quietestMoment();
    quiet.push(sound);
    const samples = left(await playTone(quiet.tone()!, 1).read(SAMPLE_RATE));
    expect(levelOf(samples)).toBeCloseTo(0.004, 3);
    const silent = quietestMoment();
    silent.push(new Float32Array(SAMPLE_RATE * CHANNELS));
    expect(silent.tone()).toBeNull();
  });
});
