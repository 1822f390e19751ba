import { describe, expect, it } from 'vitest';
import { film, grey } from './pictures.case.js';
import type { Segmenter } from './types.js';

/** Runs a segmenter over pictures. */
export function cut(segmenter: Segmenter, pictures: Iterable<Uint8Array>): readonly number[] {
  for (const picture of pictures) segmenter.push(picture);
  return segmenter.end();
}

/** Lengths of the shots that begin at `starts` in a video of `frames`. */
export function lengthsOf(starts: readonly number[], frames: number): number[] {
  return starts.map((start, i) => (starts[i + 1] ?? frames) - start);
}

/** What every segmenter of 64 × 36 pictures promises; `make` gives one whose shots have 32 to 96 frames. */
export function checkSegmenter(name: string, make: () => Segmenter): void {
  const lively = film([20, 50, 7, 61, 140, 33, 40, 90, 3, 200], { seed: 9 });

  describe(`${name} keeps the segmenter's contract`, () => {
    it.each([0, 1, 2, 3, 31, 32, 33, 63, 64, 95, 96, 97, 127, 128, 129, 200, 644])('divides %i frames', (frames) => {
      for (const pictures of [lively.slice(0, frames), Array.from({ length: frames }, () => grey(90))]) {
        const starts = cut(make(), pictures);
        const lengths = lengthsOf(starts, frames);
        if (frames === 0) expect(starts).toEqual([]);
        else if (frames < 32) expect(starts).toEqual([0]);
        else {
          expect(starts[0]).toBe(0);
          expect(Math.min(...lengths)).toBeGreaterThanOrEqual(32);
          expect(Math.max(...lengths)).toBeLessThanOrEqual(96);
        }
      }
    });

    it('cuts the same pictures the same way', () => {
      expect(cut(make(), lively)).toEqual(cut(make(), lively));
    });

    it('keeps no picture: one buffer, filled again and again, gives the same shots', () => {
      const buffer = new Uint8Array(lively[0]?.length ?? 0);
      const segmenter = make();
      for (const picture of lively) {
        buffer.set(picture);
        segmenter.push(buffer);
        if (Buffer.compare(buffer, picture) !== 0) expect.fail('a pushed picture was changed');
        buffer.fill(0);
      }
      expect(segmenter.end()).toEqual(cut(make(), lively));
    });

    it('names itself and its version', () => {
      expect(make().name).toBe(name);
      expect(make().version).toMatch(new RegExp(`^${name}\\.\\d+/`));
    });
  });
}
