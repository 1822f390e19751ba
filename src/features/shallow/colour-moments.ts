import type { RgbPicture } from './picture.js';

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
