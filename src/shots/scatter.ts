import { colourGrids, type ColourGrid } from './colour-grid.js';

/** For each sample, the scatter of the run of ℓ samples that ends with it, at place ℓ − 1. */
export type ScatterRow = Float64Array;

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
