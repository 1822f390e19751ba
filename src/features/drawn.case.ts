import { random } from '../base/index.js';
import type { GrayPicture, RgbPicture } from './describe.js';

/** A grey picture from a formula of place. */
export function drawGray(widthPx: number, heightPx: number, value: (x: number, y: number) => number): GrayPicture {
  const data = Uint8Array.from({ length: widthPx * heightPx }, (_, k) => value(k % widthPx, Math.floor(k / widthPx)));
  return { widthPx, heightPx, data };
}

/** A colour picture from a formula of place. */
export function drawRgb(
  widthPx: number,
  heightPx: number,
  colour: (x: number, y: number) => readonly [number, number, number],
): RgbPicture {
  const data = new Uint8Array(3 * widthPx * heightPx);
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) data.set(colour(x, y), 3 * (y * widthPx + x));
  }
  return { widthPx, heightPx, data };
}

/** Grey noise of `levels` values from 0. */
export function noise(widthPx: number, heightPx: number, seed: number, levels = 256): GrayPicture {
  const dice = random(seed);
  return drawGray(widthPx, heightPx, () => dice.below(levels));
}

/** The same picture with other grey values. */
export function regray(picture: GrayPicture, value: (gray: number) => number): GrayPicture {
  return { ...picture, data: picture.data.map(value) };
}

/** Left and right exchanged. */
export function mirror({ widthPx, heightPx, data }: GrayPicture): GrayPicture {
  return drawGray(widthPx, heightPx, (x, y) => data[y * widthPx + widthPx - 1 - x]!);
}

/** Turned clockwise by a quarter: what was left is on top. */
export function turn({ widthPx, heightPx, data }: GrayPicture): GrayPicture {
  return drawGray(heightPx, widthPx, (x, y) => data[(heightPx - 1 - x) * widthPx + y]!);
}

/** The largest difference between two lists of the same length. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Infinity;
  let largest = 0;
  // NaN must count as a difference; Math.max passes it on.
  for (let k = 0; k < a.length; k++) largest = Math.max(largest, Math.abs(a[k]! - b[k]!));
  return largest;
}
