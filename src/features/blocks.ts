import { type Matrix, type Rational, rescale, rowOf, sharedZeros, type TimeRange, zeros } from '../base/index.js';
import type { FeatureMatrix } from './types.js';

/** The blocks that can describe a shot besides its pictures. */
export const BLOCK_NAMES = ['motion', 'sound'] as const;
/** One of `BLOCK_NAMES`. */
export type BlockName = (typeof BLOCK_NAMES)[number];

/** A block that is wanted, and its share of the square of a shot's vector. */
type BlockChoice = { readonly name: BlockName; readonly weight: number };

/** A block of a video: one row of length one per shot. */
export type ShotBlock = BlockChoice & { readonly rows: FeatureMatrix };

/** Changes when the same video would get other rows: part of the cache key. */
export const BLOCK_VERSIONS: Readonly<Record<BlockName, string>> = { motion: 'motion.1', sound: 'sound.1' };

/** Measures the sound of a video, one channel from its first picture on; `end` gives a row of length one per shot. */
type SoundMeter = {
  push(samples: Int16Array): void;
  end(shots: readonly { readonly range: TimeRange }[], start: number): FeatureMatrix;
};

/** Samples per second of the sound that is measured. */
export const SOUND_RATE = 16_000;
const CLOCK: Rational = { num: 1, den: SOUND_RATE };

/** Samples of a window: 64 ms. */
const WINDOW = 1024;
/** Loudness of a window: −72 dB of full scale or less, −63, ... −9 or more. */
const SOUND_LEVELS = 8;
const [QUIETEST_DB, DB_A_LEVEL] = [-72, 9];
/** Half the zero crossings a second: 62.5 or fewer, 125, ... 8,000; a last bin for shots in which nothing sounds. */
const TONES = 9;
const LOWEST_TONE_HZ = 62.5;

/** Numbers per row. */
export const SOUND_DIM = SOUND_LEVELS + TONES;

/**
 * How a shot sounds, as two distributions over its windows:
 *   levels   how loud they are; a window without sound, and one past the end of the track, is as quiet as can be
 *   tones    how often the sound crosses zero, from rumble to hiss; windows at the quietest level do not count
 * A window belongs to the shot its middle is in. A video without a sound track is silent. Memory: 8 bytes per window.
 */
export function soundMeter(): SoundMeter {
  const levels: number[] = [];
  const tones: number[] = [];
  const window = new Int16Array(WINDOW);
  let filled = 0;
  return {
    push(samples) {
      for (let at = 0; at < samples.length;) {
        const taken = samples.subarray(at, at + WINDOW - filled);
        window.set(taken, filled);
        filled += taken.length;
        at += taken.length;
        if (filled < WINDOW) break;
        filled = 0;
        const { level, tone } = levelAndTone(window);
        levels.push(level);
        tones.push(tone);
      }
    },
    end(shots, start) {
      const rows = shots.map(({ range }) => {
        const at = (ticks: number): number => rescale(ticks - start, range.base, CLOCK) / WINDOW;
        const from = Math.ceil(at(range.start) - 0.5);
        // A shot shorter than a window uses the window it is in.
        const to = Math.max(from + 1, Math.ceil(at(range.end) - 0.5));
        const [loud, pitch] = [new Float64Array(SOUND_LEVELS), new Float64Array(TONES - 1)];
        for (let k = from; k < to; k++) {
          addSoftly(loud, levels[k] ?? 0);
          if ((levels[k] ?? 0) > 0) addSoftly(pitch, tones[k]!);
        }
        const isSilent = pitch.every((amount) => amount === 0);
        return rootRow([loud, Float64Array.of(...pitch, isSilent ? 1 : 0)]);
      });
      return stackRows(rows, SOUND_DIM);
    },
  };
}

/** The level and the tone of a window as positions among the bins, from 0; fractions lie between two bins. */
function levelAndTone(window: Int16Array): { level: number; tone: number } {
  let squares = 0;
  let crossings = 0;
  let sign = 0;
  for (const sample of window) {
    squares += sample * sample;
    const now = Math.sign(sample);
    if (now !== 0 && now === -sign) crossings++;
    if (now !== 0) sign = now;
  }
  const db = 10 * Math.log10(squares / window.length / 32_768 ** 2);
  const hz = (crossings / 2) * (SOUND_RATE / window.length);
  return { level: Math.max(0, (db - QUIETEST_DB) / DB_A_LEVEL), tone: Math.max(0, Math.log2(hz / LOWEST_TONE_HZ)) };
}

/** Adds `amount` at `position` of a row of bins, shared between the two bins it lies between. */
function addSoftly(bins: Float64Array, position: number, amount = 1): void {
  const clamped = Math.min(Math.max(position, 0), bins.length - 1);
  const low = Math.floor(clamped);
  bins[low]! += amount * (low + 1 - clamped);
  if (clamped > low) bins[low + 1]! += amount * (clamped - low);
}

/**
 * √(p/m), one after the other, of m distributions p (any sums above zero): a row of length one. The inner product of two such
 * rows is the mean of their Bhattacharyya coefficients Σ √(p·q): 1 for equal distributions, 0 for disjoint ones.
 */
function rootRow(distributions: readonly Float64Array[]): Float32Array {
  return Float32Array.from(
    distributions.flatMap((bins) => {
      const sum = bins.reduce((total, value) => total + value, 0);
      return Array.from(bins, (value) => Math.sqrt(value / sum / distributions.length));
    }),
  );
}

/** A matrix of these rows. */
function stackRows(rows: readonly Float32Array[], dim: number): FeatureMatrix {
  const data = new Float32Array(rows.length * dim);
  rows.forEach((row, shot) => data.set(row, shot * dim));
  return { shotCount: rows.length, dim, data };
}

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

/** Share of a block if none is stated. */
export const BLOCK_WEIGHT = 0.2;
/** The least share of the pictures. */
const PICTURES_KEEP = 0.1;

/** Parses `motion,sound=0.3`; `null` if a name is unknown or occurs twice, or too little is left for the pictures. */
export function parseBlocks(text: string): readonly BlockChoice[] | null {
  const choices = text.split(',').map((part) => {
    const [name = '', weight, ...rest] = part.split('=').map((side) => side.trim());
    const known = BLOCK_NAMES.find((each) => each === name);
    const share = weight === undefined ? BLOCK_WEIGHT : weight === '' ? NaN : Number(weight);
    return known && rest.length === 0 && share > 0 ? { name: known, weight: share } : null;
  });
  if (choices.includes(null)) return null;
  const chosen = choices as BlockChoice[];
  const total = chosen.reduce((sum, { weight }) => sum + weight, 0);
  if (new Set(chosen.map(({ name }) => name)).size < chosen.length || !(total <= 1 - PICTURES_KEEP)) return null;
  // Always in one order, so that the same choice gives the same vectors.
  const place = (name: BlockName): number => BLOCK_NAMES.indexOf(name);
  return chosen.toSorted((a, b) => place(a.name) - place(b.name));
}

/**
 * x = (√(1 − Σw)·u, √w₁·b₁, √w₂·b₂, …) for rows u and b of length one: of length one again, and the inner product of two is the
 * weighted mean of theirs. If u is zero, the blocks alone are brought to length one.
 */
export function appendBlocks(vectors: Matrix, blocks: readonly ShotBlock[]): Matrix {
  if (blocks.length === 0) return vectors;
  const cols = vectors.cols + blocks.reduce((sum, { rows }) => sum + rows.dim, 0);
  const joined = zeros(vectors.rows, cols);
  const total = blocks.reduce((sum, { weight }) => sum + weight, 0);
  for (let shot = 0; shot < vectors.rows; shot++) {
    const [own, row] = [rowOf(vectors, shot), rowOf(joined, shot)];
    const isZero = own.every((value) => value === 0);
    own.forEach((value, k) => (row[k] = Math.sqrt(1 - total) * value));
    let first = vectors.cols;
    for (const { weight, rows } of blocks) {
      const share = Math.sqrt(isZero ? weight / total : weight);
      for (let k = 0; k < rows.dim; k++) row[first + k] = share * rows.data[shot * rows.dim + k]!;
      first += rows.dim;
    }
    // Rows kept in 32 bits have length one to seven digits; rows of a topic must have it to all digits.
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    if (length > 0) row.forEach((value, k) => (row[k] = value / length));
  }
  return joined;
}

/** How the vector of a shot is scaled before shots are compared. */
export const NORMALISATIONS = ['root', 'length'] as const;
/** One of `NORMALISATIONS`. */
export type Normalisation = (typeof NORMALISATIONS)[number];

/**
 * length   x = u / ‖u‖
 * root     x = s / ‖s‖,  s_k = sign(u_k)·√|u_k|      (Perronnin, Sánchez and Mensink 2010: few strong entries count less)
 * A zero vector stays zero. The result is in shared memory, so that threads need no copy of their own, or where it is wanted.
 */
export function normaliseShots(
  { shotCount, dim, data }: FeatureMatrix,
  how: Normalisation,
  result: Matrix = sharedZeros(shotCount, dim),
): Matrix {
  const scaled = result.data;
  for (let start = 0; start < scaled.length; start += dim) {
    let squares = 0;
    for (let k = start; k < start + dim; k++) {
      scaled[k] = how === 'root' ? Math.sign(data[k]!) * Math.sqrt(Math.abs(data[k]!)) : data[k]!;
    }
    for (let k = start; k < start + dim; k++) squares += scaled[k]! ** 2;
    const length = Math.sqrt(squares);
    if (length > 0) for (let k = start; k < start + dim; k++) scaled[k]! /= length;
  }
  return result;
}

/**
 * x = m · mean_t ‖f_t‖ / ‖m‖,   m = mean of the vectors f_t of the pictures sampled from a shot   (paper, section 3.1: mean pooling)
 * The length of x is the mean length of the pictures' vectors, which says how much there is to see: that of m would also say
 * how alike they are. Shots are compared after it is taken out (normalise.ts).
 */
export function poolPictures(vectors: readonly Float32Array[], dim: number): Float32Array {
  const mean = new Float64Array(dim);
  let length = 0;
  for (const vector of vectors) {
    let squares = 0;
    for (let k = 0; k < dim; k++) {
      mean[k]! += vector[k]! / vectors.length;
      squares += vector[k]! ** 2;
    }
    length += Math.sqrt(squares) / vectors.length;
  }
  const own = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(mean, (value) => (own > 0 ? (value * length) / own : 0));
}
