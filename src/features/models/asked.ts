import { UsageError } from '../../base/index.js';
import type { PerChannel } from '../weights/index.js';

/** Options about a network besides its file, as written by people. */
export type Asked = {
  /** Name of the tensor that is the feature. */
  readonly layer?: string | undefined;
  /** `224x224`, width first. */
  readonly input?: string | undefined;
  /** `0.485,0.456,0.406`: red, green, blue on the scale 0 to 1. */
  readonly mean?: string | undefined;
  readonly std?: string | undefined;
};

/** A larger picture side is a mistake. */
const LONGEST_SIDE_PX = 4096;

/** Parses `224x224`; `null` if it is something else. */
export function parseSize(text: string): { readonly width: number; readonly height: number } | null {
  const [, width = 0, height = 0] = (/^(\d{1,4})[x×](\d{1,4})$/.exec(text.trim()) ?? []).map(Number);
  const isSide = (length: number): boolean => length >= 1 && length <= LONGEST_SIDE_PX;
  return isSide(width) && isSide(height) ? { width, height } : null;
}

/** Parses three numbers separated by commas; `null` if it is something else, or one is outside `least` to `most`. */
export function parseColour(text: string, least: number, most: number): PerChannel | null {
  const parts = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  const [red = NaN, green = NaN, blue = NaN] = parts;
  const isGood = parts.length === 3 && parts.every((value) => value >= least && value <= most);
  return isGood ? [red, green, blue] : null;
}

/** Bounds of `--mean`, on the scale 0 to 1: numbers on the scale of bytes are recognised as mistakes. */
export const MEAN_BOUNDS = [0, 1] as const;
/** Bounds of `--std`, likewise. */
export const STD_BOUNDS = [1e-3, 10] as const;

/** The mean or spread asked for, on the scale of bytes and in a network's channel order; `undefined` if none was. */
export function askedColour(
  option: '--mean' | '--std',
  text: string | undefined,
  channelOrder: 'rgb' | 'bgr',
): PerChannel | undefined {
  if (text === undefined) return undefined;
  const [least, most] = option === '--mean' ? MEAN_BOUNDS : STD_BOUNDS;
  const colour = parseColour(text, least, most);
  if (!colour) {
    throw new UsageError(
      'bad-option',
      `Expected ${option} as three numbers from ${least} to ${most} (red, green, blue on the scale 0 to 1), such as 0.485,0.456,0.406, found "${text}".`,
    );
  }
  const [red, green, blue] = colour.map((value) => 255 * value) as [number, number, number];
  return channelOrder === 'rgb' ? [red, green, blue] : [blue, green, red];
}

/** The size asked for; `undefined` if none was. */
export function askedSize(text: string | undefined): { readonly width: number; readonly height: number } | undefined {
  if (text === undefined) return undefined;
  const size = parseSize(text);
  if (size) return size;
  throw new UsageError('bad-option', `Expected --input as WIDTHxHEIGHT, such as 224x224, found "${text}".`);
}
