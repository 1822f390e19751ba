import { boundsOf, type ShotBounds } from './bounds.js';
import { changePoints } from './change-points.js';
import { colourChange } from './colour-change.js';
import type { ColourKnobs } from './colour.js';
import { refineStarts } from './refine.js';
import { scatterRows, type ScatterRow } from './scatter.js';
import type { Segmenter } from './types.js';

/** Every how many pictures one is described, at most: by default a quarter of the shortest shot. */
const MOST_STEP = 8;
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
export function kts(knobs: ColourKnobs): Segmenter {
  const bounds = boundsOf(knobs);
  const step = stepFor(bounds);
  const longest = Math.ceil(bounds.maxFrames / step);
  const windowSamples = Math.max(WINDOW, WINDOW_SHOTS * longest);
  const change = colourChange(knobs.widthPx, knobs.heightPx);
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
    version: `kts.1/${bounds.minFrames}-${bounds.maxFrames}`,
    push(picture) {
      change.push(picture);
      if (frames++ % step !== 0) return;
      if (window.length === windowSamples) closeWindow();
      window.push(scatter.push(picture));
    },
    end() {
      if (frames === 0) return [];
      if (frames < bounds.minFrames) return [0];
      for (const point of changePoints(window, { ...bounds, step, frames: frames - origin })) {
        starts.push(origin + point * step);
      }
      return refineStarts(starts, change.end(), step, bounds);
    },
  };
}

/** The largest divisor of `minFrames` up to 8: then shots that begin at samples can divide every length within the bounds. */
function stepFor({ minFrames }: ShotBounds): number {
  let step = MOST_STEP;
  while (minFrames % step !== 0) step--;
  return step;
}
