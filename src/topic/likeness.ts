import {
  dot,
  hasUnitRows,
  inMemory,
  type Matrix,
  multiply,
  outerGram,
  rowBlocks,
  takeRows,
  type TallMatrix,
  transpose,
  unitRows,
} from '../base/index.js';

/** This many shots, evenly spread, represent a video in comparisons; more would cost time and change little. */
const MAX_SHOTS = 32;

/** A video as it is compared with others; rows have length one, or are zero. */
export type Sketch = {
  /** All its shots, in order. */
  readonly all: TallMatrix;
  /** Some of them, in order; read each time. */
  some(): Matrix;
  /** The mean of all. */
  readonly mean: Float64Array;
};

/** Prepares a video for comparison with others. */
export function sketchOf(features: TallMatrix): Sketch {
  const unit = hasUnitRows(features) ? features : unitRows(inMemory(features));
  return { all: unit, some: () => takeRows(unit, evenly(unit.rows, MAX_SHOTS)), mean: meanRow(unit) };
}

function meanRow(A: TallMatrix): Float64Array {
  const mean = new Float64Array(A.cols);
  for (const { block } of rowBlocks(A)) {
    for (let at = 0; at < block.data.length; at++) mean[at % A.cols]! += block.data[at]! / A.rows;
  }
  return mean;
}

/** The rows less their mean. */
export function centred(A: Matrix): Matrix {
  const mean = meanRow(A);
  return { ...A, data: A.data.map((value, at) => value - mean[at % A.cols]!) };
}

/** For each shot of one video the shot of the other that is most like it, and the cosine between the two. */
export function nearestShots(
  video: Matrix,
  other: TallMatrix,
): { readonly shot: Int32Array; readonly cosine: Float64Array } {
  const [shot, cosine] = [new Int32Array(video.rows), new Float64Array(video.rows).fill(-1)];
  for (const { first, block } of rowBlocks(other)) {
    const C = multiply(video, transpose(block));
    for (let i = 0, at = 0; i < C.rows; i++) {
      for (let j = 0; j < C.cols; j++, at++) {
        if (C.data[at]! > cosine[i]!) [shot[i], cosine[i]] = [first + j, C.data[at]!];
      }
    }
  }
  return { shot, cosine };
}

/** cos∠(x, y); 0 if one of them is zero. */
export function cosineOf(x: Float64Array, y: Float64Array): number {
  const lengths = Math.sqrt(dot(x, x) * dot(y, y));
  return lengths === 0 ? 0 : dot(x, y) / lengths;
}

/** At most `most` of the numbers 0 … count−1, evenly spread, in order. */
export function evenly(count: number, most: number): number[] {
  const taken = Math.min(count, most);
  return Array.from({ length: taken }, (_, i) => Math.floor(((i + 0.5) * count) / taken));
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The n in 1/mean cosⁿ, which counts views: two shots with a cosine of 0.93 are one view and a half. */
const VIEW_POWER = 16;

/** How many different views the shots of a video amount to. */
export function viewsOf({ some }: Sketch): number {
  const G = outerGram(some());
  const alike = G.data.reduce((sum, cosine) => sum + Math.max(0, cosine) ** VIEW_POWER, 0) / G.data.length;
  return alike > 0 ? 1 / alike : 1;
}
