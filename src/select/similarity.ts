import {
  type Matrix,
  mirrorLower,
  multiply,
  NumericError,
  outerGram,
  rowOf,
  rowSquares,
  transpose,
  zeros,
} from '../base/index.js';
import type { Neighbor, Problem } from '../topic/index.js';
import type { CvsKnobs } from './types.js';

/*
 * D and D̃, the pair-wise similarities of the diversity term (paper, definition 1).
 *   inner   x·y            cosine   x·y / ‖x‖‖y‖   (0 for a zero vector)            rbf   exp(−‖x−y‖²/2σ²)
 */

/** D, from the inner products G of the shots with each other. */
export function ownSimilarity(G: Matrix, knobs: CvsKnobs): Matrix {
  if (knobs.similarity === 'inner') return G;
  const squares = Float64Array.from({ length: G.rows }, (_, i) => G.data[i * G.cols + i]!);
  return similarityOf(G, squares, squares, knobs, bandwidthOf(squares, G, knobs));
}

/**
 * S = B̃B̃ᵀ (n × n) with B̃ = αC − λd D̃, C = XᵀX̃.
 *   inner    S = (α−λd)² XᵀM̃X
 *   cosine   D̃ = N⁻¹C when the others have unit length, so S_ij = (α−λd/‖x_i‖)(α−λd/‖x_j‖)(XᵀM̃X)_ij
 *   else     B̃ shot by shot, from the neighbours themselves
 */
export function sharedTargets(problem: Problem, G: Matrix, spread: () => Matrix, knobs: CvsKnobs): Matrix {
  const [alpha, lambdaD] = [knobs.contextWeight, knobs.diversity];
  const fromMoment =
    lambdaD === 0 || knobs.similarity === 'inner' || (knobs.similarity === 'cosine' && problem.context!.unitRows);
  if (!fromMoment) return outerGram(targetsByShot(problem, G, knobs));
  const S = { ...spread(), data: Float64Array.from(spread().data) };
  const scale = Float64Array.from({ length: G.rows }, (_, i) => {
    const norm = knobs.similarity === 'cosine' ? Math.sqrt(G.data[i * G.cols + i]!) : 1;
    return norm === 0 ? 0 : alpha - lambdaD / norm;
  });
  for (let i = 0; i < S.rows; i++) {
    for (let j = 0; j < S.cols; j++) S.data[i * S.cols + j]! *= scale[i]! * scale[j]!;
  }
  return S;
}

/** XᵀM̃X, the shots seen through the context, with their own part w·GG taken out of it. */
export function spreadOf({ features, context, ownWeight }: Problem, G: Matrix): Matrix {
  const S = multiply(multiply(features, context!.matrix), transpose(features));
  if (ownWeight !== 0) {
    const GG = multiply(G, G);
    for (let at = 0; at < S.data.length; at++) S.data[at]! -= ownWeight * GG.data[at]!;
  }
  mirrorLower(S);
  return S;
}

/** B̃ (n × ñ), each neighbour's columns scaled by the root of its weight. */
function targetsByShot(problem: Problem, G: Matrix, knobs: CvsKnobs): Matrix {
  const { features, neighbors } = problem;
  if (neighbors === undefined) {
    throw new NumericError(
      'needs-neighbors',
      `Similarity "${knobs.similarity}" compares shot with shot, and only the moment of the other videos was given. ` +
        `Give their features as neighbours${knobs.similarity === 'cosine' ? ', features of unit length,' : ''} or use "inner".`,
    );
  }
  const sigma = bandwidthOf(rowSquares(features), G, knobs);
  const parts = neighbors.map((neighbor) => targetsOf(features, neighbor, { ...knobs, bandwidth: sigma }));
  const total = parts.reduce((sum, part) => sum + part.cols, 0);
  const Bt = zeros(features.rows, total);
  let first = 0;
  for (const part of parts) {
    for (let i = 0; i < part.rows; i++) Bt.data.set(rowOf(part, i), i * total + first);
    first += part.cols;
  }
  return Bt;
}

/** B̃ = αC − λd D̃ for one neighbour's shots, times the root of its weight. RBF needs a bandwidth here. */
export function targetsOf(features: Matrix, { features: others, weight = 1 }: Neighbor, knobs: CvsKnobs): Matrix {
  const C = multiply(features, transpose(others));
  const D = similarityOf(C, rowSquares(features), rowSquares(others), knobs, knobs.bandwidth ?? 1);
  const root = Math.sqrt(weight);
  for (let at = 0; at < C.data.length; at++) {
    C.data[at] = root * (knobs.contextWeight * C.data[at]! - knobs.diversity * D.data[at]!);
  }
  return C;
}

/** Similarities from inner products and squared lengths. */
function similarityOf(C: Matrix, left: Float64Array, right: Float64Array, knobs: CvsKnobs, sigma: number): Matrix {
  const D = zeros(C.rows, C.cols);
  for (let i = 0; i < C.rows; i++) {
    for (let j = 0; j < C.cols; j++) {
      const at = i * C.cols + j;
      if (knobs.similarity === 'inner') D.data[at] = C.data[at]!;
      else if (knobs.similarity === 'cosine') {
        const lengths = Math.sqrt(left[i]! * right[j]!);
        D.data[at] = lengths === 0 ? 0 : C.data[at]! / lengths;
      } else {
        const distance = Math.max(0, left[i]! + right[j]! - 2 * C.data[at]!);
        D.data[at] = distance === 0 ? 1 : Math.exp(-distance / (2 * sigma * sigma));
      }
    }
  }
  return D;
}

/** σ as given, or the root mean square distance of the shots: E‖x−y‖² = 2(E‖x‖² − ‖Ex‖²). */
export function bandwidthOf(squares: Float64Array, G: Matrix, knobs: CvsKnobs): number {
  if (knobs.bandwidth !== null) return knobs.bandwidth;
  const count = squares.length;
  const meanSquare = squares.reduce((sum, square) => sum + square, 0) / count;
  const squareOfMean = G.data.reduce((sum, value) => sum + value, 0) / (count * count);
  const spread = 2 * (meanSquare - squareOfMean);
  return spread > 1e-12 * meanSquare ? Math.sqrt(spread) : 1;
}
