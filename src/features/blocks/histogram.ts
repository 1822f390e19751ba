import type { FeatureMatrix } from '../types.js';

/** Adds `amount` at `position` of a row of bins, shared between the two bins it lies between. */
export function addSoftly(bins: Float64Array, position: number, amount = 1): void {
  const clamped = Math.min(Math.max(position, 0), bins.length - 1);
  const low = Math.floor(clamped);
  bins[low]! += amount * (low + 1 - clamped);
  if (clamped > low) bins[low + 1]! += amount * (clamped - low);
}

/**
 * √(p/m), one after the other, of m distributions p (any sums above zero): a row of length one. The inner product of two such
 * rows is the mean of their Bhattacharyya coefficients Σ √(p·q): 1 for equal distributions, 0 for disjoint ones.
 */
export function rootRow(distributions: readonly Float64Array[]): Float32Array {
  return Float32Array.from(
    distributions.flatMap((bins) => {
      const sum = bins.reduce((total, value) => total + value, 0);
      return Array.from(bins, (value) => Math.sqrt(value / sum / distributions.length));
    }),
  );
}

/** A matrix of these rows. */
export function stackRows(rows: readonly Float32Array[], dim: number): FeatureMatrix {
  const data = new Float32Array(rows.length * dim);
  rows.forEach((row, shot) => data.set(row, shot * dim));
  return { shotCount: rows.length, dim, data };
}
