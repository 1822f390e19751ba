import { FULL_CHANGE } from './boundaries.js';
import { colourGrids, type ColourGrid } from './colour-grid.js';
import { growable } from './growable.js';

/** Longest flash, in frames, that is not taken for two cuts. */
const FLASH = 2;
/** A change is judged from this many pictures: three before it and three from it on. */
const KEPT = 2 * (FLASH + 1);

/** Measures how much each picture differs from the one before, at 2 bytes per picture. */
type ColourChange = {
  push(picture: Uint8Array): void;
  /** One number per picture, from 0 (no change) to 65535 (everything changed), the first 0; call it once, at the end. */
  end(): Uint16Array;
};

/**
 *     change(t) = min { d(t−1, t), d(t−1, t+1), d(t−1, t+2), d(t−2, t), d(t−3, t) },   d = difference of colour grids
 *
 * After a cut every picture differs from every one before it, so the minimum stays high; a flash of one or two frames
 * has an equal picture on its other side, so it drops out.
 */
export function colourChange(widthPx: number, heightPx: number): ColourChange {
  const grids = colourGrids(widthPx, heightPx);
  // Picture i is described in place i mod KEPT, so the newest six are always there.
  const recent = Array.from({ length: KEPT }, (): ColourGrid => new Uint32Array(grids.length));
  const change = growable();
  let frames = 0;

  const between = (earlier: number, later: number): number =>
    earlier < 0 || later >= frames
      ? FULL_CHANGE
      : grids.difference(recent[earlier % KEPT] as ColourGrid, recent[later % KEPT] as ColourGrid);
  const settle = (t: number): void => {
    let least = t === 0 ? 0 : between(t - 1, t);
    for (let k = 1; k <= FLASH && least > 0; k++) {
      least = Math.min(least, between(t - 1, t + k), between(t - 1 - k, t));
    }
    change.push(least);
  };

  return {
    push(picture) {
      grids.describe(picture, recent[frames % KEPT] as ColourGrid);
      frames++;
      if (frames > FLASH) settle(frames - 1 - FLASH);
    },
    end() {
      for (let t = Math.max(0, frames - FLASH); t < frames; t++) settle(t);
      return change.values();
    },
  };
}
