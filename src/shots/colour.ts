import { boundaryCosts, chooseStarts } from './boundaries.js';
import { boundsOf, type ShotBounds } from './bounds.js';
import { colourChange } from './colour-change.js';
import type { Segmenter } from './types.js';

/** Size of the pictures; shots have `minFrames` (default 32) to `maxFrames` (default 96). */
export type ColourKnobs = { readonly widthPx: number; readonly heightPx: number } & Partial<ShotBounds>;

/**
 * Shots from the change of colour between neighbouring pictures, with all boundaries chosen together:
 * `colourChange` says how much changes where, `boundaryCosts` what a boundary there costs, `chooseStarts` which to have.
 */
export function colour(knobs: ColourKnobs): Segmenter {
  const bounds = boundsOf(knobs);
  const change = colourChange(knobs.widthPx, knobs.heightPx);
  return {
    name: 'colour',
    version: `colour.1/${bounds.minFrames}-${bounds.maxFrames}`,
    push: (picture) => change.push(picture),
    end: () => chooseStarts(boundaryCosts(change.end()), bounds),
  };
}
