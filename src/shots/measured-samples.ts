/** What is measured of a sample: a picture of about 320 px, every so many frames. */
export type SampleMeasures = {
  /** The frame it shows. */
  readonly frame: number;
  /** How steep the steeper edges are: about 0.2 out of focus, 0.5 and more where anything is in focus; 1 without edges. */
  readonly steepness: number;
  /** Share of pixels like their right and lower neighbours: plain areas. */
  readonly plain: number;
  /** Share of the most frequent colour: the ground of a plate. */
  readonly ground: number;
  /** Strokes of writing per 1000 pixels. */
  readonly strokes: number;
  /** Share of strong edges that belong to strokes. */
  readonly written: number;
  /** Share of the rarest of red, yellow, green, cyan, blue and magenta, pure and plain: above 0 only on test pictures. */
  readonly primaries: number;
  /** Share of the upper half that is the same in rows far apart: 1 for bars. */
  readonly columns: number;
};

const FIELDS = ['frame', 'steepness', 'plain', 'ground', 'strokes', 'written', 'primaries', 'columns'] as const;

/** Samples as they are stored, and back; `null` if the bytes are of another form. */
export function writeSamples(samples: readonly SampleMeasures[]): Float32Array {
  return Float32Array.from(samples.flatMap((sample) => FIELDS.map((field) => sample[field])));
}

/** Reads what `writeSamples` wrote; `null` if the length does not fit. */
export function readSamples(values: Float32Array): SampleMeasures[] | null {
  if (values.length % FIELDS.length !== 0) return null;
  return Array.from({ length: values.length / FIELDS.length }, (_, at) => {
    const row = FIELDS.map((field, k) => [field, values[at * FIELDS.length + k]!]);
    return Object.fromEntries(row) as SampleMeasures;
  });
}

/** Half the width of the stretch in which an edge is looked at, in pixels. */
const REACH = 4;
/** Levels that an edge has at least; weaker ones may be noise. */
const EDGE = 20;
/** Edges below this share of all pixels say nothing about focus. */
const FEW_EDGES = 0.001;
/** The steeper edges: this share of them is less steep. */
const STEEPER = 0.9;
/** Neighbours that differ by no more levels are alike. */
const ALIKE = 3;
/** Levels that a stroke stands out by, and its widest in pixels. */
const STROKE_CONTRAST = 50;
const STROKE_WIDTH = 9;
/** Strokes of a row that crosses a line of writing, at least. */
const LINE_STROKES = 6;

/** Measures one sample. */
export function measureSample(
  rgb: Uint8Array,
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
  frame: number,
): SampleMeasures {
  const Y = lumaOf(rgb);
  const isPlain = plainOf(Y, widthPx, heightPx);
  return {
    frame,
    steepness: steepnessOf(Y, widthPx, heightPx),
    plain: countOf(isPlain) / Y.length,
    ground: groundOf(rgb),
    ...writingOf(Y, widthPx, heightPx),
    primaries: rarestPrimary(rgb, isPlain),
    columns: columnsOf(rgb, widthPx, heightPx),
  };
}

function countOf(marks: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < marks.length; i++) count += marks[i]!;
  return count;
}

function lumaOf(rgb: Uint8Array): Uint8Array {
  const Y = new Uint8Array(rgb.length / 3);
  for (let i = 0; i < Y.length; i++) Y[i] = (77 * rgb[3 * i]! + 150 * rgb[3 * i + 1]! + 29 * rgb[3 * i + 2]!) >> 8;
  return Y;
}

/**
 * For an edge at i along a line:  steepness = |Y(i+1) − Y(i)| / |Y(i+4) − Y(i−4)|,  where the step is the largest of the
 * stretch and the stretch has contrast. Of all edges the 90th percentile, across and down; the greater counts, because
 * motion blurs in one direction and a lens in both. It does not depend on contrast, so that fog is in focus.
 */
function steepnessOf(Y: Uint8Array, width: number, height: number): number {
  const across = steepEdges(Y, width, { left: REACH, right: width - REACH, top: 0, bottom: height }, 1);
  const down = steepEdges(Y, width, { left: 0, right: width, top: REACH, bottom: height - REACH }, width);
  const fewest = FEW_EDGES * Y.length;
  const known = [across, down].filter(({ count }) => count >= fewest);
  return known.length === 0 ? 1 : Math.max(...known.map(({ steeper }) => steeper));
}

/** The edges at pixels of an area, along lines whose pixels are `step` apart. */
function steepEdges(
  Y: Uint8Array,
  width: number,
  area: { left: number; right: number; top: number; bottom: number },
  step: number,
): { count: number; steeper: number } {
  const histogram = new Uint32Array(101);
  let count = 0;
  for (let y = area.top; y < area.bottom; y++) {
    for (let at = y * width + area.left, end = y * width + area.right; at < end; at++) {
      const contrast = Math.abs(Y[at + REACH * step]! - Y[at - REACH * step]!);
      if (contrast < EDGE) continue;
      const steepest = Math.abs(Y[at + step]! - Y[at]!);
      if (8 * steepest < contrast) continue;
      let isSteepest = true;
      for (let j = 1 - REACH; j < REACH && isSteepest; j++)
        isSteepest = Math.abs(Y[at + (j + 1) * step]! - Y[at + j * step]!) <= steepest;
      if (!isSteepest) continue;
      histogram[Math.min(100, Math.round((100 * steepest) / contrast))]!++;
      count++;
    }
  }
  let [seen, at] = [0, -1];
  while (seen < STEEPER * count) seen += histogram[++at]!;
  return { count, steeper: Math.max(0, at) / 100 };
}

function plainOf(Y: Uint8Array, width: number, height: number): Uint8Array {
  const plain = new Uint8Array(Y.length);
  for (let y = 0; y < height - 1; y++)
    for (let i = y * width; i < (y + 1) * width - 1; i++)
      if (Math.abs(Y[i]! - Y[i + 1]!) <= ALIKE && Math.abs(Y[i]! - Y[i + width]!) <= ALIKE) plain[i] = 1;
  return plain;
}

/**
 * A stroke is a rise and a fall of brightness (or a fall and a rise) by at least 50 levels within 9 pixels of a row, back to
 * about the level before it. Writing has many in a row, and little else: strokes count in rows that have at least 6, and
 * `written` = edges of these strokes / all strong edges.
 */
function writingOf(Y: Uint8Array, width: number, height: number): { strokes: number; written: number } {
  let [strokes, edges] = [0, 0];
  for (let y = 0; y < height; y++) {
    let [inRow, lastAt, lastSign, lastLevel] = [0, -Infinity, 0, 0];
    for (let x = 2; x < width - 2; x++) {
      const at = y * width + x;
      const jump = Y[at + 1]! - Y[at - 1]!;
      const size = Math.abs(jump);
      if (size < STROKE_CONTRAST || size < Math.abs(Y[at]! - Y[at - 2]!) || size <= Math.abs(Y[at + 2]! - Y[at]!))
        continue;
      edges++;
      const closes = Math.sign(jump) === -lastSign && x - lastAt <= STROKE_WIDTH;
      if (closes && Math.abs(Y[at + 2]! - lastLevel) < STROKE_CONTRAST) {
        inRow++;
        lastSign = 0;
      } else [lastAt, lastSign, lastLevel] = [x, Math.sign(jump), Y[at - 2]!];
    }
    if (inRow >= LINE_STROKES) strokes += inRow;
  }
  return { strokes: (1000 * strokes) / Y.length, written: edges === 0 ? 0 : (2 * strokes) / edges };
}

/** Pure: hue within 15° of a multiple of 60°, saturation ≥ 0.7, value ≥ 90. */
function rarestPrimary(rgb: Uint8Array, isPlain: Uint8Array): number {
  const counts = new Uint32Array(6);
  for (let i = 0; i < isPlain.length; i++) {
    if (isPlain[i] === 0) continue;
    const r = rgb[3 * i]!;
    const g = rgb[3 * i + 1]!;
    const b = rgb[3 * i + 2]!;
    const value = Math.max(r, g, b);
    const chroma = value - Math.min(r, g, b);
    if (value < 90 || chroma < 0.7 * value) continue;
    const sixth = value === r ? (g - b) / chroma : value === g ? 2 + (b - r) / chroma : 4 + (r - g) / chroma;
    const nearest = Math.round(sixth);
    if (Math.abs(sixth - nearest) <= 0.25) counts[(nearest + 6) % 6]!++;
  }
  return Math.min(...counts) / isPlain.length;
}

/** Row y is compared with row y + a quarter of the height, for the rows of the uppermost quarter. */
function columnsOf(rgb: Uint8Array, width: number, height: number): number {
  const end = 3 * width * Math.max(1, Math.floor(height / 4));
  let alike = 0;
  for (let at = 0; at < end; at++) if (Math.abs(rgb[at]! - rgb[at + end]!) <= ALIKE) alike++;
  return alike / end;
}

/** The share of the colour that most pixels have, in steps of 16 levels, counted with its neighbours. */
function groundOf(rgb: Uint8Array): number {
  const counts = new Uint32Array(4096);
  const count = rgb.length / 3;
  for (let i = 0; i < count; i++)
    counts[((rgb[3 * i]! >> 4) << 8) | ((rgb[3 * i + 1]! >> 4) << 4) | (rgb[3 * i + 2]! >> 4)]!++;
  let mode = 0;
  for (let at = 1; at < 4096; at++) if (counts[at]! > counts[mode]!) mode = at;
  let share = 0;
  for (let at = 0; at < 4096; at++) {
    if (counts[at] === 0) continue;
    const near = [8, 4, 0].every((shift) => Math.abs(((at >> shift) & 15) - ((mode >> shift) & 15)) <= 1);
    if (near) share += counts[at]! / count;
  }
  return share;
}
