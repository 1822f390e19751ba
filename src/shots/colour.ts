import { boundaryCosts, chooseStarts, FULL_CHANGE } from './boundaries.js';
import { checkBounds, DEFAULT_BOUNDS, type ShotBounds } from './bounds.js';
import { colourGrids, type ColourGrid } from './colour-grid.js';
import { growable } from './growable.js';
import type { Segmenter } from './types.js';

/** Longest flash, in frames, that is not taken for two cuts. */
const FLASH = 2;
/** A change is judged from this many pictures: three before it and three from it on. */
const KEPT = 2 * (FLASH + 1);

/** `widthPx` × `heightPx` of the pictures pushed; shots have `minFrames` (default 32) to `maxFrames` (default 96). */
export type ColourKnobs = { readonly widthPx: number; readonly heightPx: number } & Partial<ShotBounds>;

/**
 * Shots from the change of colour between neighbouring pictures, with all boundaries chosen together (`chooseStarts`).
 *
 *     change(t) = min { d(t−1, t), d(t−1, t+1), d(t−1, t+2), d(t−2, t), d(t−3, t) },   d = difference of colour grids
 *
 * After a cut every picture differs from every one before it, so the minimum stays high; a flash of one or two frames
 * has an equal picture on its other side, so it drops out. Keeps 2 bytes a frame and six descriptions.
 */
export function colour(knobs: ColourKnobs): Segmenter {
  const bounds = checkBounds({ ...DEFAULT_BOUNDS, ...definedOf(knobs) });
  const grids = colourGrids(knobs.widthPx, knobs.heightPx);
  // Picture i is described in place i mod KEPT, so the newest six are always there.
  const recent = Array.from({ length: KEPT }, (): ColourGrid => new Uint32Array(grids.length));
  const change = growable();
  let frames = 0;

  const between = (earlier: number, later: number): number =>
    earlier < 0 || later >= frames
      ? FULL_CHANGE
      : grids.difference(recent[earlier % KEPT] as ColourGrid, recent[later % KEPT] as ColourGrid);
  const settleChange = (t: number): void => {
    if (t < 0) return;
    let least = t === 0 ? 0 : between(t - 1, t);
    for (let k = 1; k <= FLASH && least > 0; k++) least = Math.min(least, between(t - 1, t + k), between(t - 1 - k, t));
    change.push(least);
  };

  return {
    name: 'colour',
    version: `colour.1/${bounds.minFrames}-${bounds.maxFrames}`,
    push(picture) {
      grids.describe(picture, recent[frames % KEPT] as ColourGrid);
      frames++;
      settleChange(frames - 1 - FLASH);
    },
    end() {
      for (let t = Math.max(0, frames - FLASH); t < frames; t++) settleChange(t);
      return chooseStarts(boundaryCosts(change.values()), bounds);
    },
  };
}

function definedOf(knobs: Partial<ShotBounds>): Partial<ShotBounds> {
  return {
    ...(knobs.minFrames === undefined ? {} : { minFrames: knobs.minFrames }),
    ...(knobs.maxFrames === undefined ? {} : { maxFrames: knobs.maxFrames }),
  };
}
