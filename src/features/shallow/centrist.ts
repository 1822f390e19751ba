import type { GrayPicture } from './picture.js';

/** Wu and Rehg leave out code 255, which all flat areas have, and its counterpart 0; 254 codes remain. */
const CODES = 254;

/** The whole picture, its quarters, and a block of their size in the middle, which their borders divide. */
const BLOCKS = 6;

/** Length of `centrist`. */
export const CENTRIST_DIM = BLOCKS * CODES;

/**
 * The census transform (Zabih and Woodfill 1994): for each pixel with eight neighbours, row by row,
 *
 *     code = Σ [centre ≥ neighbour k] · 2⁷⁻ᵏ,   k = 0 … 7 from the upper left, along the rows.
 *
 * Codes know only the order of grey values, so a monotone change of brightness leaves them as they are.
 */
export function censusCodes({ widthPx, heightPx, data }: GrayPicture): GrayPicture {
  const [width, height] = [Math.max(0, widthPx - 2), Math.max(0, heightPx - 2)];
  const codes = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const above = y * widthPx + x;
      const beside = above + widthPx;
      const below = beside + widthPx;
      const centre = data[beside + 1]!;
      codes[y * width + x] =
        (centre >= data[above]! ? 128 : 0) |
        (centre >= data[above + 1]! ? 64 : 0) |
        (centre >= data[above + 2]! ? 32 : 0) |
        (centre >= data[beside]! ? 16 : 0) |
        (centre >= data[beside + 2]! ? 8 : 0) |
        (centre >= data[below]! ? 4 : 0) |
        (centre >= data[below + 1]! ? 2 : 0) |
        (centre >= data[below + 2]! ? 1 : 0);
    }
  }
  return { widthPx: width, heightPx: height, data: codes };
}

/**
 * CENTRIST (Wu and Rehg, PAMI 2011): histograms of census codes 1 to 254 in six blocks: the whole picture, its four
 * quarters row by row, and one block of a quarter's size in the middle. An entry is √(share of the block's pixels with this
 * code), so that the inner product compares histograms as the Hellinger distance does.
 */
export function centrist(gray: GrayPicture): Float64Array {
  const codes = censusCodes(gray);
  const { widthPx: width, heightPx: height } = codes;
  const [w, h] = [width >> 1, height >> 1];
  const histograms = new Float64Array(CENTRIST_DIM);
  const blocks: readonly Block[] = [
    [0, 0, width, height],
    [0, 0, w, h],
    [width - w, 0, w, h],
    [0, height - h, w, h],
    [width - w, height - h, w, h],
    [(width - w) >> 1, (height - h) >> 1, w, h],
  ];
  blocks.forEach((block, place) => count(codes, block, histograms.subarray(place * CODES, (place + 1) * CODES)));
  return histograms;
}

/** Left, top, width, height. */
type Block = readonly [number, number, number, number];

function count({ widthPx, data }: GrayPicture, [left, top, width, height]: Block, histogram: Float64Array): void {
  const counts = new Uint32Array(256);
  for (let y = top; y < top + height; y++) {
    for (let at = y * widthPx + left, end = at + width; at < end; at++) counts[data[at]!]!++;
  }
  const pixels = Math.max(1, width * height);
  for (let code = 0; code < CODES; code++) histogram[code] = Math.sqrt(counts[code + 1]! / pixels);
}
