import { UsageError } from '../base/index.js';

/** Cells a side of the grid a picture is divided into: coarse enough that small motion stays inside a cell. */
const GRID = 4;
/** Bins over [0, 255]: luma is coarse because light changes most, chroma fine because natural chroma is narrow. */
const LUMA_BINS = 12;
const CHROMA_BINS = 16;
const CELL_BINS = LUMA_BINS + 2 * CHROMA_BINS;
/** A value is shared between its two nearest bins in this many parts, so grain never flips a whole bin. */
const PARTS = 16;

/** What one picture looks like: for each cell of the grid, soft histograms of luma and of the two chromas. */
export type ColourGrid = Uint32Array;

/** Describes small RGB pictures of one size and measures how much two of them differ; exact, in whole numbers. */
export type ColourGrids = {
  /** Numbers in one description. */
  readonly length: number;
  /** Writes the description of `picture` (RGB, 3 bytes per pixel) into `into`. */
  describe(picture: Uint8Array, into: ColourGrid): void;
  /** Share of the colour that differs, from 0 (same histograms in every cell) to 65535 (nothing in common). */
  difference(a: ColourGrid, b: ColourGrid): number;
};

type SoftBin = { readonly low: Uint8Array; readonly upperParts: Uint8Array };

/** For each value 0-255 the lower of its two nearest bins, and how many of the 16 parts go to the upper one. */
function softBins(bins: number): SoftBin {
  const low = new Uint8Array(256);
  const upperParts = new Uint8Array(256);
  for (let value = 0; value < 256; value++) {
    const position = Math.round((value * (bins - 1) * PARTS) / 255);
    low[value] = Math.min(Math.floor(position / PARTS), bins - 2);
    upperParts[value] = position - (low[value] as number) * PARTS;
  }
  return { low, upperParts };
}

const LUMA = softBins(LUMA_BINS);
const CHROMA = softBins(CHROMA_BINS);

/**
 * For a picture, cell g and channel k ∈ {Y, Cb, Cr} (BT.601):  h_gk = soft histogram, each pixel giving 16 parts.
 * difference(a, b) = 65535 · max(D_Y, (D_Y + D_Cb + D_Cr) / 3), rounded down, with D_k = Σ_g |h_gk(a) − h_gk(b)| / (2 · 16 · pixels):
 * luma alone decides where there is no colour.
 */
export function colourGrids(widthPx: number, heightPx: number): ColourGrids {
  if (!Number.isInteger(widthPx) || !Number.isInteger(heightPx) || widthPx < 1 || heightPx < 1) {
    throw new UsageError(
      'bad-picture-size',
      `Expected a picture of whole, positive width and height, found ${widthPx} × ${heightPx} px.`,
    );
  }
  const pixels = widthPx * heightPx;
  const columnCell = Int32Array.from({ length: widthPx }, (_, x) => Math.floor((x * GRID) / widthPx) * CELL_BINS);
  const rowCell = Int32Array.from({ length: heightPx }, (_, y) => Math.floor((y * GRID) / heightPx) * GRID * CELL_BINS);
  const length = GRID * GRID * CELL_BINS;

  return {
    length,
    describe(picture, into) {
      if (picture.length !== pixels * 3) {
        throw new UsageError(
          'bad-picture',
          `Expected a picture of ${widthPx} × ${heightPx} px in RGB (${pixels * 3} bytes), found ${picture.length} bytes.`,
        );
      }
      into.fill(0);
      let at = 0;
      for (let y = 0; y < heightPx; y++) {
        for (let x = 0; x < widthPx; x++) {
          const red = picture[at++] as number;
          const green = picture[at++] as number;
          const blue = picture[at++] as number;
          const cell = (rowCell[y] as number) + (columnCell[x] as number);
          addSoftly(into, cell, LUMA, (77 * red + 150 * green + 29 * blue) >> 8);
          addSoftly(into, cell + LUMA_BINS, CHROMA, (32895 - 43 * red - 85 * green + 128 * blue) >> 8);
          addSoftly(into, cell + LUMA_BINS + CHROMA_BINS, CHROMA, (32895 + 128 * red - 107 * green - 21 * blue) >> 8);
        }
      }
    },
    difference(a, b) {
      let [luma, chroma] = [0, 0];
      for (let cell = 0; cell < length; cell += CELL_BINS) {
        const chromaFrom = cell + LUMA_BINS;
        for (let i = cell; i < chromaFrom; i++) luma += Math.abs((a[i] as number) - (b[i] as number));
        for (let i = chromaFrom; i < cell + CELL_BINS; i++) chroma += Math.abs((a[i] as number) - (b[i] as number));
      }
      return Math.floor((65535 * Math.max(luma, (luma + chroma) / 3)) / (2 * PARTS * pixels));
    },
  };
}

function addSoftly(into: ColourGrid, offset: number, bins: SoftBin, value: number): void {
  const low = offset + (bins.low[value] as number);
  const upper = bins.upperParts[value] as number;
  into[low] = (into[low] as number) + PARTS - upper;
  into[low + 1] = (into[low + 1] as number) + upper;
}
