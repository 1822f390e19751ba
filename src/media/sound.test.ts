import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { rational, rescale } from '../base/index.js';
import { makeVideo } from '../../test/fixtures/make.js';
import { locateFfmpeg } from './index.js';
import { readSlices, SAMPLE_RATE, sliceSound } from './sound.js';

describe('sliceSound', () => {
  it('rounds by hand: three stretches of one NTSC frame are 1602, 1601 and 1602 samples, not three times 1602', () => {
    const stretches = [10, 20, 30].map((start) => ({ start, end: start + 1 }));
    const slices = sliceSound(stretches, rational(1001, 30_000));
    // One frame is 1601.6 samples: the film reaches 1601.6, 3203.2 and 4804.8.
    expect(slices.map((slice) => slice.length)).toEqual([1602, 1601, 1602]);
    expect(slices.map((slice) => slice.from)).toEqual([16_016, 32_032, 48_048]);
  });

  it('never drifts from the picture by more than half a sample, however many cuts', () => {
    const base = rational(1, 90_000);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 200 }), (lengths) => {
        let start = 0;
        const stretches = lengths.map((length) => {
          const stretch = { start, end: start + length };
          start += length + 17;
          return stretch;
        });
        const samples = sliceSound(stretches, base).reduce((sum, slice) => sum + slice.length, 0);
        const ticks = lengths.reduce((sum, length) => sum + length, 0);
        expect(samples).toBe(rescale(ticks, base, rational(1, SAMPLE_RATE)));
      }),
    );
  });
});

describe('readSlices', () => {
  const jumps = async (soundRate: number): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'throughline-sound-'));
    try {
      const { path: ffmpeg } = await locateFfmpeg();
      const { path } = await makeVideo(ffmpeg, join(folder, 'beeps.mp4'), { frameCount: 150, soundRate });
      const read = async (maySeek: boolean): Promise<number[]> => {
        const samples: number[] = [];
        // The beep of second 4 lies within, from half past on.
        const slice = { from: 4 * SAMPLE_RATE + 12_345, length: 24_000 };
        for await (const { sound } of readSlices({ path, track: 0, maySeek }, [slice])) samples.push(...sound);
        return samples;
      };
      const [jumped, whole] = [await read(true), await read(false)];
      expect(jumped).toHaveLength(48_000);
      expect(Math.max(...whole)).toBeGreaterThan(0.3);
      // One sample late, a tone of 1000 Hz would differ by 0.04.
      const differences = jumped.map((value, at) => Math.abs(value - whole[at]!));
      expect(differences.reduce((most, value) => Math.max(most, value), 0)).toBeLessThan(0.02);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const SAME_SOUND = 'a jump gives the same sound, at the same sample (%i Hz)';
  it.each([44_100])(SAME_SOUND, jumps);
  it.each([48_000])(SAME_SOUND, { tags: 'slow' }, jumps);
});
