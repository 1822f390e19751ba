import { boundsOf, inFrames, type Segmenter, type FrameBounds } from './types.js';
import type { ColourKnobs } from './colour.js';
import { signalMeter } from './signal.js';
import { shotsFromStarts } from './shots-from.js';
import { colourGrids, type ColourGrid } from './colour-grid.js';

/** Its windows are made before the times of all frames are known, so bounds in seconds need the rate that a file states. */
export type KtsKnobs = ColourKnobs & { readonly rate?: number | undefined };
/** Frames per second where a file states none. */
const USUAL_RATE = 30;

/** Every how many pictures one is described, at most: by default a quarter of the shortest shot. */
const MAX_STEP = 8;
/** Samples solved together: 4096 frames, over two minutes at 30 frames a second. */
const WINDOW = 512;
/** A window is at least this many of the longest shots long, so that its kept part always contains a boundary. */
const WINDOW_SHOTS = 8;

/**
 * Kernel temporal segmentation with its own number of shots: few where the picture stays alike, many where it does not.
 *
 * Every 8th picture is described; 512 of them are solved together (`changePoints`). The change points in the first three
 * quarters of a window are kept, and the next window begins at the last of them, so that none is decided at an edge.
 * At the end each is moved to the frame of strongest change nearby (`refineStarts`). Memory: one window, and 2 bytes per frame.
 */
export function kts(knobs: KtsKnobs): Segmenter {
  const given = boundsOf(knobs);
  const bounds = inFrames(given, knobs.rate ?? USUAL_RATE);
  const step = stepFor(bounds);
  const longest = Math.ceil(bounds.maxFrames / step);
  const windowSamples = Math.max(WINDOW, WINDOW_SHOTS * longest);
  const meter = signalMeter(knobs.widthPx, knobs.heightPx);
  const scatter = scatterRows(knobs.widthPx, knobs.heightPx, longest);
  const starts: number[] = [];
  let window: ScatterRow[] = [];
  let origin = 0;
  let frames = 0;

  const closeWindow = (): void => {
    const points = changePoints(window, { ...bounds, step, frames: window.length * step });
    const kept = points.filter((point) => point <= (3 * windowSamples) / 4);
    const next = kept.pop() as number;
    for (const point of kept) starts.push(origin + point * step);
    window = window.slice(next);
    origin += next * step;
  };

  return {
    name: 'kts',
    version: `kts.2/${given.min}-${given.max} ${given.by}`,
    push(picture, seconds) {
      meter.push(picture, seconds);
      if (frames++ % step !== 0) return;
      if (window.length === windowSamples) closeWindow();
      window.push(scatter.push(picture));
    },
    end(clock) {
      if (frames < bounds.minFrames) return shotsFromStarts(frames === 0 ? [] : [0], clock);
      for (const point of changePoints(window, { ...bounds, step, frames: frames - origin })) {
        starts.push(origin + point * step);
      }
      return shotsFromStarts(refineStarts(starts, meter.end().lasting, step, bounds), clock);
    },
  };
}

/** The largest divisor of `minFrames` up to 8: then shots that begin at samples can divide every length within the bounds. */
function stepFor({ minFrames }: { minFrames: number }): number {
  let step = MAX_STEP;
  while (minFrames % step !== 0) step--;
  return step;
}

/**
 * Kernel temporal segmentation (Potapov, Douze, Harchaoui, Schmid, ECCV 2014) of one window of samples, one every
 * `step` frames: with J_m the least total scatter of m + 1 segments within the bounds,
 *
 *     minimise over m   J_m / n  +  m / (2N) · (log(N/m) + 1),      n samples, N frames      (their code's penalty, v = 1)
 *
 * J_m by dynamic programming over (number of segments, end of the last). Returns the first samples of the segments.
 * The window holds `frames` frames, at least `minFrames`; equal costs take the longer last segment.
 */
export function changePoints(
  scatter: readonly ScatterRow[],
  { frames, step, minFrames, maxFrames }: FrameBounds & { readonly frames: number; readonly step: number },
): number[] {
  const samples = scatter.length;
  const frameOf = (sample: number): number => Math.min(frames, sample * step);
  const maxSegments = Math.floor(frames / minFrames);
  const longest = Math.ceil(maxFrames / step);

  let least = new Float64Array(samples + 1).fill(Infinity);
  least[0] = 0;
  const lengths: Uint16Array[] = [];
  let best = { cost: Infinity, segments: 0 };
  for (let segments = 1; segments <= maxSegments; segments++) {
    const next = new Float64Array(samples + 1).fill(Infinity);
    const lastLength = new Uint16Array(samples + 1);
    for (let end = segments; end <= samples; end++) {
      for (let l = Math.min(longest, end); l >= 1; l--) {
        const span = frameOf(end) - frameOf(end - l);
        if (span > maxFrames) continue;
        if (span < minFrames) break;
        const total = (least[end - l] as number) + ((scatter[end - 1] as ScatterRow)[l - 1] as number);
        if (total < (next[end] as number)) {
          next[end] = total;
          lastLength[end] = l;
        }
      }
    }
    lengths.push(lastLength);
    least = next;
    const cost = (least[samples] as number) / samples + penalty(segments - 1, frames);
    if (cost < best.cost) best = { cost, segments };
  }

  const starts: number[] = [];
  let end = samples;
  for (let segments = best.segments; segments > 0; segments--) {
    end -= (lengths[segments - 1] as Uint16Array)[end] as number;
    starts.push(end);
  }
  return starts.reverse();
}

function penalty(changes: number, frames: number): number {
  return changes === 0 ? 0 : (changes / (2 * frames)) * (Math.log(frames / changes) + 1);
}

/**
 * Moves each start, by at most `reach` frames, to where the picture changes most:
 *
 *     maximise  Σ 64 · change(t_i) − |t_i − s_i|     over |t_i − s_i| ≤ reach, within the bounds on every length
 *
 * by dynamic programming from start to start. `starts` begin with 0, which stays, and are within the bounds themselves.
 */
export function refineStarts(
  starts: readonly number[],
  change: Uint16Array,
  reach: number,
  { minFrames, maxFrames }: FrameBounds,
): number[] {
  const width = 2 * reach + 1;
  const frames = change.length;
  const places = starts.length;
  // Value of the best way to place starts 0..i with start i moved by k − reach, and the move of the start before it.
  let value = new Float64Array(width).fill(-Infinity);
  value[reach] = 0;
  const before: Int16Array[] = [];
  for (let i = 1; i < places; i++) {
    const next = new Float64Array(width).fill(-Infinity);
    const from = new Int16Array(width);
    for (let k = 0; k < width; k++) {
      const t = (starts[i] as number) + k - reach;
      if (t <= 0 || t >= frames) continue;
      const worth = 64 * (change[t] as number) - Math.abs(k - reach);
      for (let j = 0; j < width; j++) {
        const length = t - ((starts[i - 1] as number) + j - reach);
        if (length < minFrames || length > maxFrames) continue;
        const total = (value[j] as number) + worth;
        if (total > (next[k] as number)) {
          next[k] = total;
          from[k] = j;
        }
      }
    }
    before.push(from);
    value = next;
  }

  let move = reach;
  let best = -Infinity;
  for (let k = 0; k < width; k++) {
    const length = frames - ((starts[places - 1] as number) + k - reach);
    if (places > 1 && (length < minFrames || length > maxFrames)) continue;
    if ((value[k] as number) > best) {
      best = value[k] as number;
      move = k;
    }
  }
  const refined: number[] = [];
  for (let i = places - 1; i >= 0; i--) {
    refined.push((starts[i] as number) + move - reach);
    if (i > 0) move = (before[i - 1] as Int16Array)[move] as number;
  }
  return refined.reverse();
}

/** For each sample, the scatter of the run of ℓ samples that ends with it, at place ℓ − 1. */
type ScatterRow = Float64Array;

/**
 * Scatter of runs of pictures in the Hellinger kernel of their colour grids:
 *
 *     x = √h / ‖√h‖,  k(x, y) = ⟨x, y⟩ ∈ [0, 1],      scatter(run of ℓ) = Σ k(x_i, x_i) − (1/ℓ) Σ_ij k(x_i, x_j)
 *
 * Runs never exceed `longest`, so only that many descriptions are kept: the sum of the ℓ × ℓ block that ends at j is
 * the block of ℓ − 1 that ends at j − 1, and j's new row and column.
 */
export function scatterRows(
  widthPx: number,
  heightPx: number,
  longest: number,
): { push(picture: Uint8Array): ScatterRow } {
  const grids = colourGrids(widthPx, heightPx);
  const histogram: ColourGrid = new Uint32Array(grids.length);
  const recent = Array.from({ length: longest }, () => new Float32Array(grids.length));
  let blocks = new Float64Array(longest + 1);
  let count = 0;

  return {
    push(picture) {
      grids.describe(picture, histogram);
      const x = recent[count % longest] as Float32Array;
      let total = 0;
      for (let i = 0; i < x.length; i++) total += histogram[i] as number;
      for (let i = 0; i < x.length; i++) x[i] = Math.sqrt((histogram[i] as number) / total);

      const next = new Float64Array(longest + 1);
      const scatter = new Float64Array(longest);
      let column = 0;
      for (let l = 1; l <= Math.min(longest, count + 1); l++) {
        if (l > 1) column += dot(x, recent[(count - l + 1) % longest] as Float32Array);
        next[l] = (blocks[l - 1] as number) + 2 * column + 1;
        // Rounding leaves equal pictures a hair off zero; below this it is noise of single precision.
        const value = l - (next[l] as number) / l;
        scatter[l - 1] = value < 1e-4 ? 0 : value;
      }
      blocks = next;
      count++;
      return scatter;
    },
  };
}

function dot(x: Float32Array, y: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (x[i] as number) * (y[i] as number);
  return sum;
}
