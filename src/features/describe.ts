import { DENSE_SIFT_DIM, denseSift } from './dense-sift.js';

/** One value a pixel, rows from the top: pixel (x, y) is `data[y * widthPx + x]`. */
export type GrayPicture = { readonly widthPx: number; readonly heightPx: number; readonly data: Uint8Array };

/** Three bytes a pixel, red first, rows from the top. */
export type RgbPicture = { readonly widthPx: number; readonly heightPx: number; readonly data: Uint8Array };

/** Luma of ITU-R BT.601 in whole numbers: 0.299 R + 0.587 G + 0.114 B in 256ths, rounded. */
function grayOf({ widthPx, heightPx, data }: RgbPicture): GrayPicture {
  const luma = new Uint8Array(widthPx * heightPx);
  for (let pixel = 0, k = 0; pixel < luma.length; pixel++, k += 3) {
    luma[pixel] = (77 * data[k]! + 150 * data[k + 1]! + 29 * data[k + 2]! + 128) >> 8;
  }
  return { widthPx, heightPx, data: luma };
}

/** Cells along each side of the picture. */
const GRID = 4;

/** Saturation times cosine and sine of the hue, saturation, value. */
const CHANNELS = 4;

/** Mean, spread, skew. */
const MOMENTS = 3;

/** Length of `colourMoments`: cell, channel, moment. */
export const COLOUR_MOMENTS_DIM = GRID * GRID * CHANNELS * MOMENTS;

/**
 * Moments of HSV colours in 4 × 4 cells, row by row. Hue is an angle, so it enters as a point of the colour circle at the
 * distance of its saturation: red is not split at 0° and 360°, and grey has no hue.
 */
export function colourMoments(picture: RgbPicture): Float64Array {
  const { widthPx, heightPx } = picture;
  const moments = new Float64Array(COLOUR_MOMENTS_DIM);
  const edge = (place: number, lengthPx: number): number => Math.floor((place * lengthPx) / GRID);
  for (let cell = 0; cell < GRID * GRID; cell++) {
    const [column, row] = [cell % GRID, Math.floor(cell / GRID)];
    const [left, right] = [edge(column, widthPx), edge(column + 1, widthPx)];
    const [top, bottom] = [edge(row, heightPx), edge(row + 1, heightPx)];
    const N = (right - left) * (bottom - top);
    if (N === 0) continue;
    const channels = new Float64Array(CHANNELS * N);
    for (let y = top, i = 0; y < bottom; y++) {
      for (let x = left; x < right; x++, i++) writeColour(picture.data, 3 * (y * widthPx + x), channels, i, N);
    }
    for (let channel = 0; channel < CHANNELS; channel++) {
      const values = channels.subarray(channel * N, (channel + 1) * N);
      moments.set(momentsOf(values), (cell * CHANNELS + channel) * MOMENTS);
    }
  }
  return moments;
}

/**
 * With x = 2R − G − B and y = √3 (G − B) the hue is the angle of (x, y), at most 1.2° from the usual six-sided hue, and
 * needs no trigonometry. Values are from 0 to 1, those of the hue from −1 to 1; black and greys have saturation 0.
 */
function writeColour(data: Uint8Array, at: number, channels: Float64Array, i: number, N: number): void {
  const [R, G, B] = [data[at]!, data[at + 1]!, data[at + 2]!];
  const value = Math.max(R, G, B);
  channels[3 * N + i] = value / 255;
  const chroma = value - Math.min(R, G, B);
  if (chroma === 0) return;
  const saturation = chroma / value;
  const [x, y] = [2 * R - G - B, Math.sqrt(3) * (G - B)];
  const scale = saturation / Math.sqrt(x * x + y * y);
  channels[i] = scale * x;
  channels[N + i] = scale * y;
  channels[2 * N + i] = saturation;
}

/**
 * Of N values p (Stricker and Orengo 1995):   E = 1/N Σ p,   σ = (1/N Σ (p − E)²)^½,   s = (1/N Σ (p − E)³)^⅓.
 * All are in the unit of p, and without spread the last two are 0: nothing is divided by σ.
 */
function momentsOf(values: Float64Array): readonly [number, number, number] {
  const N = values.length;
  let sum = 0;
  for (let i = 0; i < N; i++) sum += values[i]!;
  const E = sum / N;
  let [squares, cubes] = [0, 0];
  for (let i = 0; i < N; i++) {
    const difference = values[i]! - E;
    squares += difference * difference;
    cubes += difference * difference * difference;
  }
  return [E, Math.sqrt(squares / N), Math.cbrt(cubes / N)];
}

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

/** Length of a picture's vector. */
export const SHALLOW_DIM = CENTRIST_DIM + DENSE_SIFT_DIM + COLOUR_MOMENTS_DIM;

/**
 * CENTRIST, dense SIFT and colour moments, one after the other, each of length 1/√3: none outweighs the others, and the
 * inner product of two pictures is the mean of three cosines. A part without content, as in a black frame, is 0.
 */
export function describePicture(picture: RgbPicture): Float32Array {
  const gray = grayOf(picture);
  const parts = [centrist(gray), denseSift(gray), colourMoments(picture)];
  const vector = new Float32Array(SHALLOW_DIM);
  let at = 0;
  for (const part of parts) {
    const length = Math.sqrt(3 * part.reduce((sum, value) => sum + value * value, 0));
    for (const value of part) vector[at++] = length > 0 ? value / length : 0;
  }
  return vector;
}
