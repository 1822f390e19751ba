import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { bytesOf, random } from '../base/index.js';
import { locateFfmpeg } from './index.js';
import { evenGain, loudnessMeter, TARGET_LUFS, type Loudness } from './loudness.js';

const RATE = 48_000;

/** A tone of 1000 Hz in both channels, so many seconds at each level (in dB below full scale). */
function tone(...parts: readonly (readonly [seconds: number, level: number])[]): Float32Array {
  const sound: number[] = [];
  for (const [seconds, level] of parts) {
    for (let sample = 0; sample < seconds * RATE; sample++) {
      const value = 10 ** (level / 20) * Math.sin((2 * Math.PI * 1000 * sample) / RATE);
      sound.push(value, value);
    }
  }
  return Float32Array.from(sound);
}

function measure(sound: Float32Array): Loudness {
  const meter = loudnessMeter();
  // In uneven pieces: what comes out must not depend on how sound arrives.
  for (let at = 0; at < sound.length; at += 14_001 * 2) meter.push(sound.subarray(at, at + 14_001 * 2));
  return meter.read();
}

describe('loudnessMeter', () => {
  it('measures the tones of EBU Tech 3341, half as long, to a tenth', { tags: 'slow' }, () => {
    expect(measure(tone([4, -23])).lufs).toBeCloseTo(-23, 1);
    expect(measure(tone([4, -33])).lufs).toBeCloseTo(-33, 1);
    // Case 3: quiet beginnings and ends do not count.
    expect(measure(tone([5, -36], [30, -23], [5, -36])).lufs).toBeCloseTo(-23, 1);
    // Case 4: nor does what is hardly to be heard.
    expect(measure(tone([5, -72], [5, -36], [30, -23], [5, -36], [5, -72])).lufs).toBeCloseTo(-23, 1);
  });

  it('knows silence, and what is too short to be heard', () => {
    expect(measure(new Float32Array(RATE * 4))).toEqual({ lufs: null, peak: 0 });
    expect(measure(tone([0.3, -10])).lufs).toBeNull();
  });

  it('agrees with the meter of ffmpeg on noise that comes and goes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'throughline-loudness-'));
    try {
      const draw = random(7);
      const sound = new Float32Array(RATE * 2 * 12);
      for (let at = 0; at < sound.length; at++) {
        const second = Math.floor(at / (2 * RATE));
        sound[at] = (draw.next() * 2 - 1) * (second % 5 === 0 ? 0.002 : 0.05 + (second % 7) * 0.05);
      }
      const path = join(folder, 'noise.f32');
      await writeFile(path, bytesOf(sound));
      const { path: ffmpeg } = await locateFfmpeg();
      const input = ['-f', 'f32le', '-ar', String(RATE), '-ac', '2', '-i', path];
      const said = spawnSync(ffmpeg, ['-hide_banner', ...input, '-af', 'ebur128', '-f', 'null', '-']).stderr.toString();
      const theirs = Number(/Integrated loudness:\s+I:\s+(-?[\d.]+) LUFS/.exec(said)?.[1]);
      expect(Math.abs(measure(sound).lufs! - theirs)).toBeLessThan(0.1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('evenGain', () => {
  const decibels = (gain: number): number => 20 * Math.log10(gain);

  it('brings sound to the target', () => {
    expect(decibels(evenGain({ lufs: -23, peak: 0.2 }))).toBeCloseTo(TARGET_LUFS + 23, 6);
    expect(decibels(evenGain({ lufs: -9, peak: 1 }))).toBeCloseTo(TARGET_LUFS + 9, 6);
  });

  it('raises quiet surroundings by 12 dB at most, and no peak above −1.5 dB', () => {
    expect(decibels(evenGain({ lufs: -50, peak: 0.01 }))).toBeCloseTo(12, 6);
    const { lufs, peak } = { lufs: -26, peak: 0.7 };
    expect(decibels(peak * evenGain({ lufs, peak }))).toBeCloseTo(-1.5, 6);
  });

  it('leaves silence alone', () => expect(evenGain({ lufs: null, peak: 0 })).toBe(1));
});
