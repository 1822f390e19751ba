import { expect, it } from 'vitest';

import { voice } from '../../../test/fixtures/voice.js';
import { CURVE_RATE, envelopeMeter, spectrumOf } from './align.js';
import { gapsBetweenWords, speechByEnergy, speechFrom } from './analyse-sound.js';

const RATE = 16_000;

it('gives the power of a tone at its bin, as the sum of the definition does', () => {
  const samples = Float64Array.from(
    { length: 64 },
    (_, n) => 0.5 * Math.cos((2 * Math.PI * 8 * n) / 64) + 0.1 * (n % 3),
  );
  const power = spectrumOf(64)(samples);
  for (const k of [0, 1, 8, 13, 32]) {
    let [re, im] = [0, 0];
    samples.forEach((x, n) => {
      const h = 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / 64);
      re += h * x * Math.cos((2 * Math.PI * k * n) / 64);
      im -= h * x * Math.sin((2 * Math.PI * k * n) / 64);
    });
    expect(power[k]).toBeCloseTo((re * re + im * im) / 16 ** 2, 12);
  }
});

it('marks where sounds begin, and nothing while they last or end', () => {
  const sound = new Int16Array(2 * RATE);
  for (let n = 0.5 * RATE; n < 1.5 * RATE; n++) sound[n] = 8000 * Math.sin((2 * Math.PI * 440 * n) / RATE);
  const meter = envelopeMeter(2 * CURVE_RATE);
  // Pieces of any size give the same curves.
  for (let at = 0; at < sound.length; at += 777) meter.push(sound.subarray(at, at + 777));
  const { onsets, loudness } = meter.end();
  expect(onsets.indexOf(Math.max(...onsets))).toBe(50);
  expect(Math.max(...onsets.subarray(0, 50))).toBe(0);
  expect(Math.max(...onsets.subarray(54, 150))).toBeLessThan(0.02 * onsets[50]!);
  expect(loudness[0]).toBe(0);
  // A sine of amplitude 8000 has −15.3 dB of full scale.
  expect(loudness[100]! / 2 - 96).toBeCloseTo(-15.3, 0);
});

it('leaves the curves silent past the end of the sound, and ignores sound past the end of the curves', () => {
  const meter = envelopeMeter(20);
  meter.push(new Int16Array(1600).fill(3000));
  expect([...meter.end().loudness.subarray(10)]).toEqual(Array(10).fill(0));
  const full = envelopeMeter(5);
  full.push(new Int16Array(16_000).fill(3000));
  expect(full.end().loudness).toHaveLength(5);
});

it('keeps speech together over the gap in a word, and ends it at a pause', () => {
  const [no, low, yes] = [0, 100, 255];
  // 512 samples are 32 ms: a gap of 4 windows is within a word, one of 5 is a pause. Doubt goes on, but does not begin.
  const marks = [no, low, yes, yes, low, yes, no, no, no, no, yes, no, no, no, no, no, yes, yes, yes, no, no, no, no, no, no, yes, no]; // prettier-ignore
  expect(speechFrom(marks, 512)).toEqual([
    { start: 2 * 512 - 480, end: 11 * 512 + 480 },
    { start: 16 * 512 - 480, end: 19 * 512 + 480 },
  ]);
  expect(speechFrom([], 512)).toEqual([]);
});

it('finds a voice over a steady background by energy', () => {
  const sound = voice([[1, 2.2], [3, 4]], 6); // prettier-ignore
  const noise = Int16Array.from(sound, (value, n) => value + 60 * Math.sin(n * n * 0.37));
  const meter = envelopeMeter(600);
  meter.push(noise);
  const found = speechByEnergy(meter.end().loudness);
  expect(found).toHaveLength(2);
  for (const [k, [from, to]] of [
    [1, 2.2],
    [3, 4],
  ].entries()) {
    // prettier-ignore
    expect(Math.abs(found[k]!.start / RATE - from!)).toBeLessThan(0.06);
    expect(Math.abs(found[k]!.end / RATE - to!)).toBeLessThan(0.06);
  }
  expect(speechByEnergy(new Uint8Array(500))).toEqual([]);
  expect(speechByEnergy(new Uint8Array(0))).toEqual([]);
});

it('finds gaps between words by a fall of the loudness, not soft words or clicks', () => {
  const words = new Uint8Array(300).fill(200);
  words.fill(100, 100, 112); // 0.12 s far below
  words.fill(100, 150, 153); // 0.03 s: within a word
  words.fill(190, 200, 220); // a soft word
  expect(gapsBetweenWords(words)).toEqual([{ start: 100, end: 112 }]);
  expect(gapsBetweenWords(new Uint8Array(300))).toEqual([]);
});
