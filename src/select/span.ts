import {
  dot,
  HELD_ROWS,
  inMemory,
  innerGram,
  type Matrix,
  matrixOf,
  multiply,
  rowOf,
  rowSquares,
  semidefiniteFactor,
  type TallMatrix,
  transpose,
} from '../base/index.js';

/** What is left of a shot below this share of the longest counts as nothing: a few hundred roundings. */
const NOTHING = 1e-13;

/** Squared lengths that are kept by subtraction are used down to this share of where they started, then computed again. */
const TRUSTED = 1e-10;

/** The shots in an orthonormal basis of their span. */
export type Span = {
  /** n × r. */
  readonly F: TallMatrix;
  /** r × d, orthonormal rows; `null` = the features' own axes, r = d. */
  readonly basis: Matrix | null;
  /** Share of the squared length of all shots that the basis holds; 1, up to roundings, unless cut at `limit`. */
  readonly kept: number;
};

/**
 * Gram-Schmidt with pivots: the shot that sticks out most from the basis so far gives the next direction.
 * Exact unless `limit` cuts it short. Features that fill most of their space, or are too many to hold, are left as they
 * are.
 */
export function spanOf(given: TallMatrix, limit: number | null): Span {
  if (limit === null && given.rows > HELD_ROWS) return { F: given, basis: null, kept: 1 };
  const features = inMemory(given);
  if (limit === null && features.rows > features.cols) {
    if (semidefiniteFactor(innerGram(features), 1e-12).cols > 0.8 * features.cols)
      return { F: features, basis: null, kept: 1 };
  }
  const total = rowSquares(features).reduce((sum, square) => sum + square, 0);
  const most = Math.min(features.rows, features.cols, limit ?? Infinity);
  const directions: Float64Array[] = [];
  const coordinates: Float64Array[] = [];
  let left = rowSquares(features);
  const longest = Math.sqrt(left.reduce((max, square) => Math.max(max, square), 0));
  let fresh = longest ** 2;
  while (directions.length < most) {
    let pivot = indexOfLargest(left);
    if (left[pivot]! <= TRUSTED * fresh) {
      left = rowSquares(remainder(features, directions, coordinates));
      pivot = indexOfLargest(left);
      fresh = left[pivot]!;
    }
    if (!(Math.sqrt(Math.max(0, left[pivot]!)) > NOTHING * longest)) break;
    const direction = orthogonal(rowOf(features, pivot), directions);
    const coordinate = new Float64Array(features.rows);
    for (let i = 0; i < features.rows; i++) {
      coordinate[i] = dot(rowOf(features, i), direction);
      left[i]! -= coordinate[i]! ** 2;
    }
    left[pivot] = 0;
    directions.push(direction);
    coordinates.push(coordinate);
  }
  const F = transpose(matrixOf(coordinates, features.rows));
  const held = rowSquares(F).reduce((sum, square) => sum + square, 0);
  return { F, basis: matrixOf(directions, features.cols), kept: total === 0 ? 1 : Math.min(1, held / total) };
}

/** The part of x outside the directions, at length one. Twice, because once loses digits when little is left. */
function orthogonal(x: Float64Array, directions: readonly Float64Array[]): Float64Array {
  const rest = Float64Array.from(x);
  for (let pass = 0; pass < 2; pass++) {
    for (const direction of directions) {
      const along = dot(rest, direction);
      for (let k = 0; k < rest.length; k++) rest[k]! -= along * direction[k]!;
    }
    const length = Math.sqrt(dot(rest, rest));
    for (let k = 0; k < rest.length; k++) rest[k]! /= length;
  }
  return rest;
}

function remainder(X: Matrix, directions: readonly Float64Array[], coordinates: readonly Float64Array[]): Matrix {
  const held = multiply(transpose(matrixOf(coordinates, X.rows)), matrixOf(directions, X.cols));
  for (let at = 0; at < held.data.length; at++) held.data[at] = X.data[at]! - held.data[at]!;
  return held;
}

function indexOfLargest(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}
