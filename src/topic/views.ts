import { dot, meanOfRows, rowBlocks, rowOf, type TallMatrix } from '../base/index.js';

/** Shots whose distance is at most this share of the distance between unrelated shots show the same view (bench/coverage/views.ts). */
export const NEARNESS = 0.7;
/** Shots this similar show the same view, whatever unrelated shots are like. */
const SURELY_ALIKE = 0.97;
/** More views than this are not told apart: every further shot then shows its own. */
const MAX_VIEWS = 2000;

/** The similarity from which two shots show the same view:  1 − x·y ≤ NEARNESS² (1 − usual),  usual: x·y of unrelated shots. */
export function sameViewFrom(usual: number): number {
  return Math.min(SURELY_ALIKE, 1 - NEARNESS ** 2 * (1 - usual));
}

/** The mean of x·y over all pairs of rows: ‖mean row‖². */
export function usualLikeness(rows: TallMatrix): number {
  const mean = meanOfRows(rows);
  return dot(mean, mean);
}

/**
 * The view that each shot of a video shows, as a number from 0: in film order, a shot shows the view of the most similar
 * first shot of a view if they are at least `alike`, else a new one. Rows have length one.
 */
export function viewsOf(looks: TallMatrix, alike: number): number[] {
  const firsts: Float64Array[] = [];
  const views: number[] = [];
  let count = 0;
  for (const { block } of rowBlocks(looks)) {
    for (let i = 0; i < block.rows; i++) {
      const row = rowOf(block, i);
      let [best, nearest] = [-1, -Infinity];
      for (const [view, first] of firsts.entries()) {
        const likeness = dot(row, first);
        if (likeness > nearest) [best, nearest] = [view, likeness];
      }
      if (nearest >= alike) views.push(best);
      else {
        if (firsts.length < MAX_VIEWS) firsts.push(row.slice());
        views.push(count++);
      }
    }
  }
  return views;
}
