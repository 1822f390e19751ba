import { boundsOf, inFrames } from './bounds.js';
import { changePoints } from './change-points.js';
import type { ColourKnobs } from './colour.js';
import { refineStarts } from './refine.js';
import { signalMeter } from './signal.js';
import { scatterRows, type ScatterRow } from './scatter.js';
import { shotsFromStarts } from './shots-from.js';
import type { Segmenter } from './types.js';

/** Its windows are made before the times of all frames are known, so bounds in seconds need the rate that a file states. */
export type KtsKnobs = ColourKnobs & { readonly rate?: number | undefined };
/** Frames per second where a file states none. */
const USUAL_RATE = 30;

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
  let step = MOST_STEP;
  while (minFrames % step !== 0) step--;
  return step;
}
