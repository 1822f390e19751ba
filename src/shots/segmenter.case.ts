import { describe, expect, it } from 'vitest';
import { film, grey } from './pictures.case.js';
import type { FrameClock } from './shots-from.js';
import type { Segmenter, Segments } from './types.js';

/** A clock of so many frames at a steady rate. */
function clockOf(frames: number, rate = 30): FrameClock {
  const frameTicks = Array.from({ length: frames }, (_, frame) => frame * 1000);
  return { frameTicks, endTicks: frames * 1000, timeBase: { num: 1, den: 1000 * rate } };
}

/** Runs a segmenter over pictures at a steady rate. */
export function segmentsOf(segmenter: Segmenter, pictures: readonly Uint8Array[], rate = 30): Segments {
  for (const [frame, picture] of pictures.entries()) segmenter.push(picture, frame / rate);
  return segmenter.end(clockOf(pictures.length, rate));
}

/** The same; the first frames of the shots. */
export function cut(segmenter: Segmenter, pictures: readonly Uint8Array[], rate?: number): readonly number[] {
  return segmentsOf(segmenter, pictures, rate).shots.map(({ startFrame }) => startFrame);
}

/** Lengths of the shots that begin at `starts` in a video of `frames`. */
export function lengthsOf(starts: readonly number[], frames: number): number[] {
  return starts.map((start, i) => (starts[i + 1] ?? frames) - start);
}

/** What every segmenter of 64 × 36 pictures promises; `make` gives one whose shots have 32 to 96 frames. */
export function checkSegmenter(name: string, make: () => Segmenter): void {
  const lively = film([20, 50, 7, 61, 140, 33, 40, 90, 3, 100], { seed: 9 });

  describe(`${name} keeps the segmenter's contract`, () => {
    it.each([0, 1, 3, 31, 32, 97, 128, 200, 544])('divides %i frames into shots of takes', (frames) => {
      for (const pictures of [lively.slice(0, frames), Array.from({ length: frames }, () => grey(90))]) {
        const { takes, shots } = segmentsOf(make(), pictures);
        for (const list of [takes, shots]) {
          expect(list.map(({ index }) => index)).toEqual([...list.keys()]);
          expect(list.reduce((end, each) => (each.startFrame === end ? each.endFrame : NaN), 0)).toBe(frames);
        }
        for (const { take, startFrame, endFrame, isShort } of shots) {
          expect(startFrame).toBeGreaterThanOrEqual(takes[take]!.startFrame);
          expect(endFrame).toBeLessThanOrEqual(takes[take]!.endFrame);
          expect(endFrame - startFrame).toBeLessThanOrEqual(96);
          if (frames >= 32 && !isShort) expect(endFrame - startFrame).toBeGreaterThanOrEqual(32);
        }
      }
    });

    it('cuts the same pictures the same way', () => {
      expect(cut(make(), lively)).toEqual(cut(make(), lively));
    });

    it('keeps no picture: one buffer, filled again and again, gives the same shots', () => {
      const buffer = new Uint8Array(lively[0]?.length ?? 0);
      const segmenter = make();
      for (const [frame, picture] of lively.entries()) {
        buffer.set(picture);
        segmenter.push(buffer, frame / 30);
        if (Buffer.compare(buffer, picture) !== 0) expect.fail('a pushed picture was changed');
        buffer.fill(0);
      }
      const starts = segmenter.end(clockOf(lively.length)).shots.map(({ startFrame }) => startFrame);
      expect(starts).toEqual(cut(make(), lively));
    });

    it('names itself and its version', () => {
      expect(make().name).toBe(name);
      expect(make().version).toMatch(new RegExp(`^${name}\\.\\d+/`));
    });
  });
}
