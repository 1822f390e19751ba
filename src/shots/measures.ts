import type { SampleMeasures } from './measured-samples.js';

/** Size of the pictures that every frame is measured on, in pixels. */
type Size = { readonly widthPx: number; readonly heightPx: number };

/** What is measured of every frame, on a small picture of it: one entry per frame. Brightness is 0 to 255. */
export type FrameMeasures = {
  /** Mean brightness. */
  readonly luma: Uint8Array;
  /** Brightness that 5 % of the pixels stay below. */
  readonly dark: Uint8Array;
  /** Brightness that 1 % of the pixels exceed. */
  readonly bright: Uint8Array;
  /** Standard deviation of the three colours about their means, in quarters of a level, at most 255. */
  readonly spread: Uint8Array;
  /** Share of pixels brighter than 249, in 255ths. */
  readonly clipped: Uint8Array;
  /** Mean |Laplacian| of brightness, in eighths of a level, at most 255: fine detail. */
  readonly sharpness: Uint8Array;
  /** Mean |change| of brightness since the frame before, in levels; 0 for the first frame. */
  readonly motion: Float32Array;
  /** How far the whole picture moved since the frame before, in eighths of a pixel of the small picture. */
  readonly moveX: Int8Array;
  readonly moveY: Int8Array;
  /** 1 where the decoder could not decode all of the frame, or of one that it is made from. */
  readonly damaged: Uint8Array;
  /** What is measured of larger pictures, every so many frames, in order. */
  readonly samples: readonly SampleMeasures[];
};

/** The fields as they are stored, a byte per frame each, in this order. */
const FIELDS = [
  'luma',
  'dark',
  'bright',
  'spread',
  'clipped',
  'sharpness',
  'motion',
  'moveX',
  'moveY',
  'damaged',
] as const;
/** Motion is stored as 16√m, so that both a still picture and a cut fit into a byte. */
const MOTION_ROOT = 16;
/** A move counts if the rest of the change is at most this share of the change without it; else things move, not the picture. */
const EXPLAINED = 0.6;
/** The farthest move that is looked for, as a share of the width. */
const FARTHEST = 0.15;

/** Measures frames as they are decoded, in memory of a few bytes per frame. */
type FrameMeter = {
  push(rgb: Uint8Array): void;
  /** What `readMeasures` reads; `damaged` are frames that were not decoded completely. */
  end(damaged?: Iterable<number>): Uint8Array;
};

/**
 * Y = (77 R + 150 G + 29 B) / 256;  motion = mean |Y_t − Y_{t−1}|;  sharpness = mean |4Y − Y_left − Y_right − Y_up − Y_down|.
 * The move (x, y) is found on projections: with column means c of Y and d_s(i) = c_t(i + s) − c_{t−1}(i) where both exist,
 * x = argmin_s mean |d_s − mean d_s|, with a parabola through the minimum; y likewise on row means. It is 0 where
 * it explains less than two fifths of the change.
 */
export function frameMeter({ widthPx: width, heightPx: height }: Size): FrameMeter {
  const pixels = width * height;
  let rows = new Uint8Array(FIELDS.length * 1024);
  let count = 0;
  let [luma, before] = [new Uint8Array(pixels), new Uint8Array(pixels)];
  let [across, acrossBefore] = [new Float64Array(width), new Float64Array(width)];
  let [down, downBefore] = [new Float64Array(height), new Float64Array(height)];
  const histogram = new Uint32Array(256);
  const reach = Math.round(FARTHEST * width);
  return {
    push(rgb) {
      [luma, before, across, acrossBefore, down, downBefore] = [before, luma, acrossBefore, across, downBefore, down];
      histogram.fill(0);
      across.fill(0);
      let [red, green, blue, squares, change, total, clipped] = [0, 0, 0, 0, 0, 0, 0];
      for (let row = 0, i = 0; row < height; row++) {
        let inRow = 0;
        for (let column = 0; column < width; column++, i++) {
          const r = rgb[3 * i]!;
          const g = rgb[3 * i + 1]!;
          const b = rgb[3 * i + 2]!;
          red += r;
          green += g;
          blue += b;
          squares += r * r + g * g + b * b;
          const y = (77 * r + 150 * g + 29 * b) >> 8;
          change += Math.abs(y - before[i]!);
          luma[i] = y;
          histogram[y]!++;
          if (y > 249) clipped++;
          across[column]! += y;
          inRow += y;
        }
        down[row] = inRow / width;
        total += inRow;
      }
      const mean = total / pixels;
      for (let i = 0; i < width; i++) across[i]! /= height;
      const variance = (squares - (red * red + green * green + blue * blue) / pixels) / (3 * pixels);
      const isFirst = count === 0;
      if ((count + 1) * FIELDS.length > rows.length) rows = larger(rows);
      rows.set(
        [
          Math.round(mean),
          quantile(histogram, 0.05 * pixels),
          quantile(histogram, 0.99 * pixels),
          byte(4 * Math.sqrt(Math.max(0, variance))),
          byte((255 * clipped) / pixels),
          byte(8 * meanLaplacian(luma, width, height)),
          isFirst ? 0 : byte(MOTION_ROOT * Math.sqrt(change / pixels)),
          isFirst ? 0 : eighths(moveOf(across, acrossBefore, reach)),
          isFirst ? 0 : eighths(moveOf(down, downBefore, reach)),
        ],
        FIELDS.length * count++,
      );
    },
    end(damaged = []) {
      for (const frame of damaged) if (frame < count) rows[frame * FIELDS.length + FIELDS.indexOf('damaged')] = 1;
      const planes = new Uint8Array(FIELDS.length * count);
      for (let field = 0; field < FIELDS.length; field++)
        for (let frame = 0; frame < count; frame++)
          planes[field * count + frame] = rows[frame * FIELDS.length + field]!;
      return planes;
    },
  };
}

/** Reads what a meter has measured of `count` frames, and their samples; `null` if the bytes are of another number of frames. */
export function readMeasures(
  bytes: Uint8Array,
  samples: readonly SampleMeasures[],
  count: number,
): FrameMeasures | null {
  if (bytes.length !== FIELDS.length * count) return null;
  const plane = (name: (typeof FIELDS)[number]): Uint8Array => {
    const at = FIELDS.indexOf(name) * count;
    return bytes.subarray(at, at + count);
  };
  const signed = (values: Uint8Array): Int8Array => new Int8Array(values.buffer, values.byteOffset, values.length);
  return {
    luma: plane('luma'),
    dark: plane('dark'),
    bright: plane('bright'),
    spread: plane('spread'),
    clipped: plane('clipped'),
    sharpness: plane('sharpness'),
    motion: Float32Array.from(plane('motion'), (root) => (root / MOTION_ROOT) ** 2),
    moveX: signed(plane('moveX')),
    moveY: signed(plane('moveY')),
    damaged: plane('damaged'),
    samples: samples.toSorted((a, b) => a.frame - b.frame),
  };
}

const byte = (value: number): number => Math.min(255, Math.round(value));
const eighths = (move: number): number => Math.max(-127, Math.min(127, Math.round(8 * move)));

function larger(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const doubled = new Uint8Array(2 * bytes.length);
  doubled.set(bytes);
  return doubled;
}

/** The smallest level that at least `wanted` pixels do not exceed. */
function quantile(histogram: Uint32Array, wanted: number): number {
  let [seen, level] = [histogram[0]!, 0];
  while (seen < wanted) seen += histogram[++level]!;
  return level;
}

function meanLaplacian(Y: Uint8Array, width: number, height: number): number {
  let sum = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let i = y * width + 1; i < (y + 1) * width - 1; i++) {
      sum += Math.abs(4 * Y[i]! - Y[i - 1]! - Y[i + 1]! - Y[i - width]! - Y[i + width]!);
    }
  }
  return sum / ((width - 2) * (height - 2));
}

function moveOf(now: Float64Array, before: Float64Array, reach: number): number {
  let [best, left, middle, right] = [0, Infinity, Infinity, Infinity];
  let previous = Infinity;
  let cost = costOf(now, before, -reach);
  for (let shift = -reach; shift <= reach; shift++) {
    const next = shift < reach ? costOf(now, before, shift + 1) : Infinity;
    if (cost < middle) [best, left, middle, right] = [shift, previous, cost, next];
    [previous, cost] = [cost, next];
  }
  if (middle > EXPLAINED * costOf(now, before, 0)) return 0;
  const bend = left - 2 * middle + right;
  return best + (bend > 0 && bend < Infinity ? (left - right) / (2 * bend) : 0);
}

function costOf(now: Float64Array, before: Float64Array, shift: number): number {
  const [from, to] = [Math.max(0, -shift), Math.min(now.length, now.length - shift)];
  let brighter = 0;
  for (let i = from; i < to; i++) brighter += now[i + shift]! - before[i]!;
  brighter /= to - from;
  let sum = 0;
  for (let i = from; i < to; i++) sum += Math.abs(now[i + shift]! - before[i]! - brighter);
  return sum / (to - from);
}

/** Between frames that change less than this, in levels of brightness, nothing moves. */
const STILL = 0.05;
/** A shot in which a smaller share of frames changes is a still: its changes are cuts and coding. */
const MOVING = 0.1;
/** Added before the logarithm, so that noise in a shot where nothing happens does not count. */
const NOISE = 0.2;

type Frames = { readonly startFrame: number; readonly endFrame: number };

/**
 * How much happens in each shot, less what the camera does:
 *   h_i = log( NOISE + mean over its frames t of  motion_t / (1 + |move_t|) ),   move in pixels of the measured picture
 * The first frame of a shot is left out: its change is the cut. Returns null if half of the shots or more are stills.
 */
export function activityOf(
  shots: readonly Frames[],
  { motion, moveX, moveY }: Pick<FrameMeasures, 'motion' | 'moveX' | 'moveY'>,
): Float64Array | null {
  const activity = new Float64Array(shots.length);
  let stills = 0;
  for (const [i, { startFrame, endFrame }] of shots.entries()) {
    const count = Math.max(1, endFrame - startFrame - 1);
    let changed = 0;
    for (let t = startFrame + 1; t < endFrame; t++) {
      const change = (motion[t] as number) / count;
      if ((motion[t] as number) > STILL) changed++;
      activity[i]! += change / (1 + Math.hypot(moveX[t] as number, moveY[t] as number) / 8);
    }
    if (changed < MOVING * count) stills++;
  }
  return 2 * stills >= shots.length ? null : activity.map((value) => Math.log(NOISE + value));
}
