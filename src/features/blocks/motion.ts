import { addSoftly, rootRow, stackRows } from './histogram.js';
import type { FeatureMatrix } from '../types.js';

/** Measures motion in the small RGB pictures of a video, pushed in order; `end` gives a row of length one per shot. */
export type MotionMeter = {
  push(picture: Uint8Array): void;
  end(shots: readonly { readonly startFrame: number; readonly endFrame: number }[]): FeatureMatrix;
};

/** Strength of a difference: below 2 of 255, 2 to 3, 4 to 7, ... 128 and more. */
const LEVELS = 8;
/** Mean difference of a whole picture: 1/8 of 255ths, 1/4, ... 16. */
const PACES = 8;
/** Where in the picture: columns and rows of cells. A cell of 16 × 12 pixels sums to at most 48,960: two bytes. */
const [COLS, ROWS] = [4, 3];
const CELLS = COLS * ROWS;
const FIELDS = LEVELS + CELLS;
const PIECE = 4096;

/** Pictures are compared about this far apart, in seconds, so that the same motion looks alike at 25 and at 60 frames per second. */
const APART = 1 / 25;

/** Numbers per row. */
export const MOTION_DIM = LEVELS + PACES + CELLS;

/**
 * How a shot moves, whatever it shows and in whichever direction: d = |luma(t) − luma(t − gap)| for every pixel and frame, as
 *   levels   how strong d is, over all pixels and frames
 *   paces    how strong its mean is, over the frames: steady motion, or bursts
 *   places   where in the picture it lies
 * Pictures on either side of a shot's beginning are not compared. A still shot has the lowest level and pace, and all places
 * equally. Memory: 40 bytes per frame.
 */
export function motionMeter(
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
  framesPerSecond: number | null,
): MotionMeter {
  const gap = Math.max(1, Math.round((framesPerSecond ?? 0) * APART));
  const pixels = widthPx * heightPx;
  const cellOf = Uint8Array.from({ length: pixels }, (_, at) => {
    const [x, y] = [at % widthPx, Math.floor(at / widthPx)];
    return Math.floor((y * ROWS) / heightPx) * COLS + Math.floor((x * COLS) / widthPx);
  });
  const earlier: Uint8Array[] = [];
  const pieces: Uint16Array[] = [];
  let frames = 0;
  return {
    push(picture) {
      if (frames % PIECE === 0) pieces.push(new Uint16Array(PIECE * FIELDS));
      const luma = lumaOf(picture, pixels);
      const before = earlier.push(luma) > gap ? earlier.shift() : undefined;
      if (before) compare(before, luma, cellOf, pieces.at(-1)!.subarray((frames % PIECE) * FIELDS));
      frames++;
    },
    end(shots) {
      const rows = shots.map(({ startFrame, endFrame }) => {
        const [levels, paces, places] = [LEVELS, PACES, CELLS].map((bins) => new Float64Array(bins));
        for (let t = startFrame + gap; t < Math.min(endFrame, frames); t++) {
          const fields = pieces[Math.floor(t / PIECE)]!.subarray((t % PIECE) * FIELDS);
          let total = 0;
          for (let k = 0; k < LEVELS; k++) levels![k]! += fields[k]!;
          for (let k = 0; k < CELLS; k++) {
            places![k]! += fields[LEVELS + k]!;
            total += fields[LEVELS + k]!;
          }
          addSoftly(paces!, total === 0 ? 0 : Math.log2(total / pixels) + 3);
        }
        if (levels!.every((count) => count === 0)) levels![0] = 1;
        if (paces!.every((count) => count === 0)) paces![0] = 1;
        if (places!.every((sum) => sum === 0)) places!.fill(1);
        return rootRow([levels!, paces!, places!]);
      });
      return stackRows(rows, MOTION_DIM);
    },
  };
}

/** Luma of ITU-R BT.601 in 256ths. */
function lumaOf(picture: Uint8Array, pixels: number): Uint8Array {
  const luma = new Uint8Array(pixels);
  for (let at = 0, from = 0; at < luma.length; at++, from += 3) {
    luma[at] = (77 * picture[from]! + 150 * picture[from + 1]! + 29 * picture[from + 2]!) >> 8;
  }
  return luma;
}

function compare(before: Uint8Array, now: Uint8Array, cellOf: Uint8Array, fields: Uint16Array): void {
  for (let at = 0; at < now.length; at++) {
    const d = Math.abs(now[at]! - before[at]!);
    fields[Math.max(0, 31 - Math.clz32(d))]!++;
    fields[LEVELS + cellOf[at]!]! += d;
  }
}
