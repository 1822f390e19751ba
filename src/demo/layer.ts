import sharp from 'sharp';

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
export type Plane = { readonly data: Int16Array; readonly width: number; readonly height: number };

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
