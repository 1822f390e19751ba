import sharp from 'sharp';
import { random } from '../base/index.js';

/**
 * A drawing as planes that can be sampled: luma in 0..219, chroma around 0 at half size (BT.709), both multiplied by alpha in
 * 0..256, so that edges between opaque and clear pixels keep their colour.
 */
export type Layer = {
  readonly luma: Plane;
  readonly blue: Plane;
  readonly red: Plane;
  /** Light adds to what is behind it; it has no alpha. */
  readonly isLight: boolean;
  /** `null` if the drawing covers everything, or is light. */
  readonly alpha: Plane | null;
  readonly alphaHalf: Plane | null;
  /** The part of the drawing in the planes, in its units: the part that is not clear. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
};

/** One plane of a picture, row by row. */
type Plane = { readonly data: Int16Array; readonly width: number; readonly height: number };

/** A drawing to be made into a layer: the inside of an SVG of this size, in units of the scene. */
export type Drawing = {
  readonly width: number;
  readonly height: number;
  readonly body: string;
  readonly isLight?: boolean;
};

/** Rasterises a drawing at `pxPerUnit` pixels per unit. */
export async function rasterize(drawing: Drawing, pxPerUnit: number): Promise<Layer> {
  // Even sizes, so that chroma planes are exactly half.
  const width = Math.max(4, 2 * Math.round((drawing.width * pxPerUnit) / 2));
  const height = Math.max(4, 2 * Math.round((drawing.height * pxPerUnit) / 2));
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" preserveAspectRatio="none" ` +
    `viewBox="0 0 ${drawing.width} ${drawing.height}">${drawing.body}</svg>`;
  const rgba = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer();
  const part = findContent(rgba, width, height);
  const unit = drawing.width / width;
  const place = { left: part.left * unit, top: part.top * unit, width: part.width * unit };
  return { ...split(rgba, width, part, drawing.isLight ?? false), ...place };
}

type Box = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

/** The smallest box around everything visible, with a clear pixel around it where there is room, even in size. */
function findContent(rgba: Uint8Array, width: number, height: number): Box {
  let [left, right, top, bottom] = [width, 0, height, 0];
  for (let y = 0, i = 3; y < height; y++) {
    for (let x = 0; x < width; x++, i += 4) {
      if (rgba[i] === 0) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = y + 1;
    }
  }
  if (right <= left) return { left: 0, top: 0, width: 2, height: 2 };
  left = Math.max(0, left - 2) & ~1;
  top = Math.max(0, top - 2) & ~1;
  return {
    left,
    top,
    width: (Math.min(width, right + 3) - left) & ~1,
    height: (Math.min(height, bottom + 3) - top) & ~1,
  };
}

type Planes = Omit<Layer, 'left' | 'top' | 'width'>;

function split(rgba: Uint8Array, stride: number, part: Box, isLight: boolean): Planes {
  const { width, height } = part;
  const [luma, alpha] = [new Int16Array(width * height), new Int16Array(width * height)];
  const half = { width: width / 2, height: height / 2 };
  const size = half.width * half.height;
  const [blue, red, alphaHalf] = [new Int16Array(size), new Int16Array(size), new Int16Array(size)];
  let lowest = 256;
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const from = ((part.top + y) * stride + part.left + x) * 4;
      const a = rgba[from + 3]! / 255;
      const r = rgba[from]! * a;
      const g = rgba[from + 1]! * a;
      const b = rgba[from + 2]! * a;
      // BT.709, ranges as in ITU-R BT.709-6 section 3.
      const y709 = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      const cover = (a * 256 + 0.5) | 0;
      luma[i] = ((y709 * 219) / 255 + 0.5) | 0;
      alpha[i] = cover;
      if (cover < lowest) lowest = cover;
      // Sums of four; the means follow below.
      const at = (y >> 1) * half.width + (x >> 1);
      blue[at] = blue[at]! + ((b - y709) * 224) / (255 * 1.8556);
      red[at] = red[at]! + ((r - y709) * 224) / (255 * 1.5748);
      alphaHalf[at] = alphaHalf[at]! + cover;
    }
  }
  for (let i = 0; i < size; i++) {
    blue[i] = (blue[i]! + 2) >> 2;
    red[i] = (red[i]! + 2) >> 2;
    alphaHalf[i] = (alphaHalf[i]! + 2) >> 2;
  }
  const full = (data: Int16Array): Plane => ({ data, width, height });
  const quarter = (data: Int16Array): Plane => ({ data, ...half });
  const isWhole = isLight || lowest === 256;
  return {
    luma: full(luma),
    blue: quarter(blue),
    red: quarter(red),
    isLight,
    alpha: isWhole ? null : full(alpha),
    alphaHalf: isWhole ? null : quarter(alphaHalf),
  };
}

/** The part of a scene that fills the picture: its top left corner, and how many units a pixel shows. */
type View = { readonly left: number; readonly top: number; readonly unitsPerPx: number };

/**
 * Where a layer is in the scene, its size and its opacity; `shiftOf` moves each of its rows sideways (water).
 * Layers without alpha are backdrops: opacity does not apply to them.
 */
type Place = {
  readonly left: number;
  readonly top: number;
  readonly size: number;
  readonly opacity: number;
  readonly shiftOf?: (y: number) => number;
};

/** The look of one camera. */
export type Grade = {
  readonly exposure: number;
  readonly contrast: number;
  readonly saturation: number;
  /** Positive is warmer: towards red, away from blue. */
  readonly warmth: number;
  readonly vignette: number;
  readonly grain: number;
};

const FIXED = 65_536;

/** Grain goes below black and lights far above white; a lookup table that covers both saves two branches per pixel. */
const TONE_LENGTH = 2048;
const TONE_OFFSET = 64;

/** Frame buffer of a video with yuv420p output, reused for every frame. */
export class Canvas {
  private readonly luma: Plane;
  private readonly blue: Plane;
  private readonly red: Plane;
  private readonly falloff: Int16Array;
  private readonly grain: Int16Array;
  private readonly tone: Uint8Array;

  constructor(
    readonly widthPx: number,
    readonly heightPx: number,
    private readonly grade: Grade,
    seed: number,
  ) {
    const make = (width: number, height: number): Plane => ({ data: new Int16Array(width * height), width, height });
    this.luma = make(widthPx, heightPx);
    [this.blue, this.red] = [make(widthPx / 2, heightPx / 2), make(widthPx / 2, heightPx / 2)];
    this.falloff = vignetteOf(widthPx, heightPx, grade.vignette);
    const dice = random(seed);
    this.grain = Int16Array.from({ length: 4 * FIXED }, () => Math.round(dice.normal() * grade.grain));
    this.tone = toneCurve(grade);
  }

  /** Paints a layer over the picture. */
  paint(layer: Layer, view: View, place: Place): void {
    const opacity = Math.round(place.opacity * 256) | 0;
    if (opacity <= 0) return;
    const left = place.left + layer.left * place.size;
    const top = place.top + layer.top * place.size;
    const job = { ...place, left, top, view, opacity, width: layer.width * place.size, isLight: layer.isLight };
    blend(this.luma, layer.luma, layer.alpha, job, 1);
    blend(this.blue, layer.blue, layer.alphaHalf, job, 2);
    blend(this.red, layer.red, layer.alphaHalf, job, 2);
  }

  /** The finished picture: graded, darker in the corners, with the grain of frame `frame`. */
  develop(frame: number): Uint8Array {
    const { luma, blue, red, grade } = this;
    const out = new Uint8Array(luma.data.length + blue.data.length + red.data.length);
    const firstGrain = Math.imul(frame + 1, 0x9e3779b1) & (this.grain.length - 1);
    developLuma(out, luma.data, this.falloff, this.grain, firstGrain, this.tone);
    const gain = Math.round(grade.saturation * grade.exposure * 256);
    const warm = Math.round(grade.warmth);
    developChroma(out, luma.data.length, blue.data, gain, 128 - warm);
    developChroma(out, luma.data.length + blue.data.length, red.data, gain, 128 + warm);
    return out;
  }
}

// The loops over pixels are separate functions, called once per row or plane: the engine compiles a function well after some
// calls, but compiles a long loop inside a larger function again and again.

function developLuma(
  out: Uint8Array,
  luma: Int16Array,
  falloff: Int16Array,
  grain: Int16Array,
  firstGrain: number,
  tone: Uint8Array,
): void {
  const mask = grain.length - 1;
  for (let i = 0; i < luma.length; i++) {
    const level = ((luma[i]! * falloff[i]!) >> 8) + grain[(firstGrain + i) & mask]!;
    out[i] = tone[(level + TONE_OFFSET) & (TONE_LENGTH - 1)]!;
  }
}

function developChroma(out: Uint8Array, start: number, chroma: Int16Array, gain: number, middle: number): void {
  for (let i = 0; i < chroma.length; i++) {
    const value = middle + ((chroma[i]! * gain) >> 8);
    out[start + i] = value < 16 ? 16 : value > 240 ? 240 : value;
  }
}

type Job = Omit<Place, 'size'> & { readonly view: View; readonly width: number; readonly isLight: boolean };

/** One row to be sampled: pixels `[at, end)` of the target, from x (16.16) between two rows of the source. */
type Row = { at: number; end: number; x: number; stepX: number; above: number; below: number; fractionY: number };

/** Bilinear sampling in 16.16 fixed point. `shrink` is 2 for chroma planes, whose pixels are twice as large. */
function blend(to: Plane, from: Plane, alpha: Plane | null, job: Job, shrink: number): void {
  const { view, opacity, shiftOf, isLight } = job;
  const pxPerUnit = from.width / job.width;
  const step = view.unitsPerPx * shrink * pxPerUnit;
  const startX = (view.left - job.left) * pxPerUnit + step / 2 - 0.5;
  const startY = (view.top - job.top) * pxPerUnit + step / 2 - 0.5;
  const firstRow = Math.max(0, Math.ceil(-startY / step));
  const endRow = Math.min(to.height, Math.ceil((from.height - 1 - startY) / step));
  const stepX = Math.round(step * FIXED) | 0;
  for (let row = firstRow; row < endRow; row++) {
    const y = startY + row * step;
    const shift = shiftOf ? shiftOf(job.top + y / pxPerUnit) * pxPerUnit : 0;
    const startFixed = Math.round((startX + shift) * FIXED);
    const first = Math.max(0, Math.ceil(-startFixed / stepX));
    const end = Math.min(to.width, Math.ceil(((from.width - 1) * FIXED - startFixed) / stepX));
    const above = Math.floor(y) * from.width;
    const line: Row = {
      at: (row * to.width + first) | 0,
      end: (row * to.width + end) | 0,
      x: (startFixed + first * stepX) | 0,
      stepX,
      above: above | 0,
      below: (above + from.width) | 0,
      fractionY: ((y - Math.floor(y)) * 256) | 0,
    };
    if (isLight) addRow(to.data, from.data, line, opacity);
    else if (alpha !== null) coverRow(to.data, from.data, alpha.data, line, opacity);
    else copyRow(to.data, from.data, line);
  }
}

/** The value between four pixels: `at` and the one to its right, `under` and the one to its right; fractions in 256ths. */
function sample(source: Int16Array, at: number, under: number, fractionX: number, fractionY: number): number {
  const upper = (source[at]! << 8) + (source[at + 1]! - source[at]!) * fractionX;
  const lower = (source[under]! << 8) + (source[under + 1]! - source[under]!) * fractionX;
  return ((upper << 8) + (lower - upper) * fractionY) >> 16;
}

function copyRow(target: Int16Array, source: Int16Array, row: Row): void {
  const { end, stepX, above, below, fractionY } = row;
  for (let at = row.at, x = row.x; at < end; at++, x += stepX) {
    target[at] = sample(source, above + (x >> 16), below + (x >> 16), (x >> 8) & 255, fractionY);
  }
}

function addRow(target: Int16Array, source: Int16Array, row: Row, opacity: number): void {
  const { end, stepX, above, below, fractionY } = row;
  for (let at = row.at, x = row.x; at < end; at++, x += stepX) {
    const value = sample(source, above + (x >> 16), below + (x >> 16), (x >> 8) & 255, fractionY);
    target[at] = target[at]! + ((value * opacity) >> 8);
  }
}

function coverRow(target: Int16Array, source: Int16Array, alpha: Int16Array, row: Row, opacity: number): void {
  const { end, stepX, above, below, fractionY } = row;
  for (let at = row.at, x = row.x; at < end; at++, x += stepX) {
    const i = above + (x >> 16);
    const j = below + (x >> 16);
    const fraction = (x >> 8) & 255;
    const around = alpha[i]! + alpha[j]! + alpha[i + 1]! + alpha[j + 1]!;
    if (around === 0) continue;
    const cover = around < 1024 ? sample(alpha, i, j, fraction, fractionY) : 256;
    const value = sample(source, i, j, fraction, fractionY);
    target[at] = (value * opacity + target[at]! * (256 - ((cover * opacity) >> 8))) >> 8;
  }
}

function vignetteOf(width: number, height: number, strength: number): Int16Array {
  const falloff = new Int16Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [dx, dy] = [(2 * x) / width - 1, (2 * y) / height - 1];
      const square = (dx * dx + dy * dy) / 2;
      falloff[y * width + x] = Math.round(256 * (1 - strength * square * square));
    }
  }
  return falloff;
}

/** Luma to 16..235: exposure, contrast around the middle, a soft shoulder at white. */
function toneCurve({ exposure, contrast }: Grade): Uint8Array {
  return Uint8Array.from({ length: TONE_LENGTH }, (_, index) => {
    const linear = (((index - TONE_OFFSET) / 219) * exposure - 0.45) * contrast + 0.45;
    const soft = linear < 0.8 ? linear : 0.8 + 0.2 * (1 - Math.exp(-(linear - 0.8) / 0.2));
    return Math.round(16 + 219 * Math.min(1, Math.max(0, soft)));
  });
}
