import type { GrayPicture } from './describe.js';

/** A descriptor is 4 × 4 bins of 4 px with 8 orientations, one every 8 px: the grid of Lazebnik, Schmid and Ponce (2006). */
const BIN = 4;
const STEP = 8;
const PATCH = 4 * BIN;
const ORIENTATIONS = 8;
const BIN_ROW = 4 * ORIENTATIONS;
const DESCRIPTOR = 4 * BIN_ROW;

/** Bins share pixels with their neighbours, so half a bin beyond the patch counts a little too. */
const WINDOW = 5 * BIN;

/** Lowe's bound for one entry of a descriptor of unit length: a single strong edge must not drown the rest. */
const CLIP = 0.2;

/** Patches with a smaller mean gradient, in grey levels a pixel, are flat: a few roundings would look like strong edges. */
const FLAT = 0.1;

/** Length of `denseSift`: mean and standard deviation in each quarter of the picture. */
export const DENSE_SIFT_DIM = 4 * 2 * DESCRIPTOR;

/** Descriptors on a grid, rows from the top; each is 128 numbers: bin row, bin column, orientation. */
export type SiftGrid = { readonly columns: number; readonly rows: number; readonly descriptors: Float64Array };

/**
 * WEIGHT[bin · WINDOW + pixel]: what a pixel of the window gives to a bin along one axis. Bins overlap linearly, and a
 * Gaussian of half the patch's width favours its middle (Lowe 2004, section 6.1); u is the way from there in bins:
 *
 *     max(0, 1 − |u − (bin − 1.5)|) · exp(−u² / 8)
 */
const WEIGHT = Float64Array.from({ length: 4 * WINDOW }, (_, k) => {
  const u = ((k % WINDOW) + 0.5) / BIN - 2.5;
  return Math.max(0, 1 - Math.abs(u - (Math.floor(k / WINDOW) - 1.5))) * Math.exp((-u * u) / 8);
});
const TOTAL_WEIGHT = WEIGHT.reduce((sum, weight) => sum + weight) ** 2;

/**
 * SIFT descriptors (Lowe, IJCV 2004) of upright patches on a regular grid, of unit length, or zero where the picture is
 * flat. Orientation 0 is brighter to the right, 2 brighter to the bottom. A picture smaller than a patch has none.
 */
export function siftGrid(gray: GrayPicture): SiftGrid {
  const { widthPx, heightPx } = gray;
  const [columns, rows] = [placesAlong(widthPx), placesAlong(heightPx)];
  const descriptors = new Float64Array(rows * columns * DESCRIPTOR);
  if (descriptors.length === 0) return { columns, rows, descriptors };
  const sums = sumAlongRows(orientedGradients(gray), widthPx, heightPx, columns);
  for (let row = 0; row < rows; row++) {
    const start = windowStart(row, heightPx);
    for (let bin = 0; bin < 4; bin++) {
      for (let pixel = bin * BIN; pixel < (bin + 2) * BIN; pixel++) {
        const y = start + pixel;
        if (y < 0 || y >= heightPx) continue;
        const weight = WEIGHT[bin * WINDOW + pixel]!;
        for (let column = 0; column < columns; column++) {
          const from = (y * columns + column) * BIN_ROW;
          const to = (row * columns + column) * DESCRIPTOR + bin * BIN_ROW;
          for (let k = 0; k < BIN_ROW; k++) descriptors[to + k]! += weight * sums[from + k]!;
        }
      }
    }
  }
  for (let k = 0; k < descriptors.length; k += DESCRIPTOR) normalise(descriptors.subarray(k, k + DESCRIPTOR));
  return { columns, rows, descriptors };
}

/**
 * The picture's texture in each quarter: mean and standard deviation of its root-SIFT descriptors (√ of their shares:
 * Arandjelović and Zisserman 2012). This is what a Fisher vector of one Gaussian holds, and needs no codebook.
 */
export function denseSift(gray: GrayPicture): Float64Array {
  const { columns, rows, descriptors } = siftGrid(gray);
  for (let k = 0; k < descriptors.length; k += DESCRIPTOR) takeRoot(descriptors.subarray(k, k + DESCRIPTOR));
  const pooled = new Float64Array(DENSE_SIFT_DIM);
  for (let quarter = 0; quarter < 4; quarter++) {
    const [left, right] = halfOf(columns, quarter & 1);
    const [top, bottom] = halfOf(rows, quarter >> 1);
    const starts: number[] = [];
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) starts.push((row * columns + column) * DESCRIPTOR);
    }
    const at = quarter * 2 * DESCRIPTOR;
    if (starts.length > 0) pool(descriptors, starts, pooled.subarray(at, at + 2 * DESCRIPTOR));
  }
  return pooled;
}

/** Mean, then standard deviation, of the descriptors that begin at `starts`. */
function pool(descriptors: Float64Array, starts: readonly number[], to: Float64Array): void {
  const mean = to.subarray(0, DESCRIPTOR);
  const spread = to.subarray(DESCRIPTOR);
  for (const start of starts) {
    for (let k = 0; k < DESCRIPTOR; k++) mean[k]! += descriptors[start + k]!;
  }
  for (let k = 0; k < DESCRIPTOR; k++) mean[k]! /= starts.length;
  for (const start of starts) {
    for (let k = 0; k < DESCRIPTOR; k++) spread[k]! += (descriptors[start + k]! - mean[k]!) ** 2;
  }
  for (let k = 0; k < DESCRIPTOR; k++) spread[k] = Math.sqrt(spread[k]! / starts.length);
}

/** Gradient magnitudes, shared between the two nearest of eight orientations, which lie together for each pixel. */
function orientedGradients({ widthPx, heightPx, data }: GrayPicture): Float64Array {
  const gradients = new Float64Array(widthPx * heightPx * ORIENTATIONS);
  for (let y = 0; y < heightPx; y++) {
    const [above, below] = [Math.max(0, y - 1), Math.min(heightPx - 1, y + 1)];
    for (let x = 0; x < widthPx; x++) {
      const [left, right] = [Math.max(0, x - 1), Math.min(widthPx - 1, x + 1)];
      const dx = (data[y * widthPx + right]! - data[y * widthPx + left]!) / (right - left);
      const dy = (data[below * widthPx + x]! - data[above * widthPx + x]!) / (below - above);
      if (dx === 0 && dy === 0) continue;
      const magnitude = Math.sqrt(dx * dx + dy * dy);
      const turn = Math.atan2(dy, dx) * (ORIENTATIONS / 2 / Math.PI);
      const first = Math.floor(turn);
      const at = (y * widthPx + x) * ORIENTATIONS;
      // −4 … 4 are eighths of a turn from the right; & 7 counts them from 0 to 7.
      gradients[at + (first & 7)]! += magnitude * (first + 1 - turn);
      gradients[at + ((first + 1) & 7)]! += magnitude * (turn - first);
    }
  }
  return gradients;
}

/** For each row of pixels, column of the grid, and bin across it: the weighted gradients of eight orientations. */
function sumAlongRows(gradients: Float64Array, widthPx: number, heightPx: number, columns: number): Float64Array {
  const sums = new Float64Array(heightPx * columns * BIN_ROW);
  for (let y = 0, to = 0; y < heightPx; y++) {
    for (let column = 0; column < columns; column++) {
      const start = windowStart(column, widthPx);
      for (let bin = 0; bin < 4; bin++, to += ORIENTATIONS) {
        for (let pixel = bin * BIN; pixel < (bin + 2) * BIN; pixel++) {
          const x = start + pixel;
          if (x < 0 || x >= widthPx) continue;
          const weight = WEIGHT[bin * WINDOW + pixel]!;
          const from = (y * widthPx + x) * ORIENTATIONS;
          for (let o = 0; o < ORIENTATIONS; o++) sums[to + o]! += weight * gradients[from + o]!;
        }
      }
    }
  }
  return sums;
}

/** Unit length, no entry above `CLIP`, unit length again; zero when flat. */
function normalise(descriptor: Float64Array): void {
  const total = descriptor.reduce((sum, value) => sum + value, 0);
  if (total < FLAT * TOTAL_WEIGHT) return void descriptor.fill(0);
  toUnitLength(descriptor);
  for (let k = 0; k < DESCRIPTOR; k++) descriptor[k] = Math.min(CLIP, descriptor[k]!);
  toUnitLength(descriptor);
}

function toUnitLength(values: Float64Array): void {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  for (let k = 0; k < values.length; k++) values[k]! /= length;
}

function takeRoot(descriptor: Float64Array): void {
  const total = descriptor.reduce((sum, value) => sum + value, 0);
  if (total === 0) return;
  for (let k = 0; k < DESCRIPTOR; k++) descriptor[k] = Math.sqrt(descriptor[k]! / total);
}

function placesAlong(lengthPx: number): number {
  return lengthPx < PATCH ? 0 : Math.floor((lengthPx - PATCH) / STEP) + 1;
}

/** First pixel of the window at a place of the grid, which is in the middle of the picture. */
function windowStart(place: number, lengthPx: number): number {
  const margin = ((lengthPx - PATCH) % STEP) >> 1;
  return margin + place * STEP - (WINDOW - PATCH) / 2;
}

/** The first or the second half of so many places; of an odd number, the middle one belongs to both. */
function halfOf(places: number, half: number): readonly [number, number] {
  return half === 0 ? [0, (places + 1) >> 1] : [places >> 1, places];
}
