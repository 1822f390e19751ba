import {
  addLowerProduct,
  cholesky,
  columnSquares,
  derive,
  innerGram,
  innerProduct,
  type Matrix,
  mirrorLower,
  multiply,
  outerGram,
  pickRows,
  rowBlocks,
  rowSquares,
  scaled,
  semidefiniteFactor,
  solveCholesky,
  solveLower,
  takeRows,
  type TallMatrix,
  transpose,
  zeros,
  dot,
  HELD_ROWS,
  inMemory,
  matrixOf,
  rowOf,
} from '../base/index.js';
import type { Problem } from '../topic/index.js';
import type { Balance } from './penalty.js';
import { besidePinned, NOTHING_LEFT, whitening } from './pinned.js';
import {
  contextEnergyOf,
  nothingToMeet,
  sharedBound,
  type Constants,
  type Half,
  type Reduced,
  type Rows,
  type Solved,
} from './reduced.js';
import type { CvsKnobs } from './types.js';

/**
 * The r × r form (docs/method.md). F (n × r) holds the shots in an orthonormal basis of their span, so G = FFᵀ. Both halves
 * have the shape  B = c·F·K,  Z = (sG + diag L)⁻¹B = c·L⁻¹F·H⁻¹K,  H = I + s·FᵀL⁻¹F:
 *   own      c = w(1−λd),   KKᵀ = FᵀF   (F·R⁻ᵀ for F where the others are discounted, RRᵀ = I + θM̃)
 *   shared   c = w̃(α−λd),   KKᵀ = M̃
 * An iteration costs O(nr² + r³): linear in the number of shots. Neither B nor Z is ever computed as a whole.
 */
export function reduceToFeatures(
  problem: Problem<TallMatrix>,
  rows: Rows,
  knobs: CvsKnobs,
): (balance: Balance) => Reduced {
  const { features, context, ownWeight } = problem;
  const [alpha, lambdaD] = [knobs.contextWeight, knobs.diversity];
  const { F, basis, kept } = spanOf(features, knobs.rank);
  const P = innerGram(F);
  const Mt = context === null ? zeros(F.cols, F.cols) : inBasis(context.matrix, basis);
  for (let at = 0; at < Mt.data.length && ownWeight !== 0; at++) Mt.data[at]! -= ownWeight * P.data[at]!;
  mirrorLower(Mt);
  const [K, Kt] = [semidefiniteFactor(P), semidefiniteFactor(Mt)];
  const ownEnergy = sumOf(rowSquares(features));
  const energy = contextEnergyOf(problem, ownEnergy);
  const lost = ownEnergy - sumOf(rowSquares(F));
  const lambdaZero = normsOf(F, K).reduce((longest, norm) => Math.max(longest, norm), 0);
  return ({ own, shared, discount }) => {
    const theta = energy > 0 ? discount / energy : 0;
    const Fo = theta === 0 ? F : discounted(F, Mt, theta);
    const Ko = theta === 0 ? K : semidefiniteFactor(innerGram(Fo));
    const seen = sumOf(rowSquares(Fo));
    return {
      form: 'features',
      candidates: rows.candidates,
      own: halfOf(Fo, own, own === 0 ? zeros(F.cols, 0) : Ko, own * (1 - lambdaD), rows, {
        atZero: (own / 2) * (lost + seen),
        dualTrace: own * (1 - lambdaD) ** 2 * seen,
      }),
      shared: halfOf(F, shared * alpha, shared === 0 ? zeros(F.cols, 0) : Kt, shared * (alpha - lambdaD), rows, {
        atZero: ((shared * alpha) / 2) * energy,
        dualTrace: sharedBound(problem, knobs, true, shared * innerProduct(Kt, Kt)),
      }),
      alpha,
      hasContext: problem.context !== null && shared > 0,
      lambdaZero,
      kept,
    };
  };
}

/** F·R⁻ᵀ with RRᵀ = I + θM̃: the shots as the own half sees them, F(I + θM̃)⁻¹Fᵀ among themselves (balance.ts). */
function discounted(F: TallMatrix, Mt: Matrix, theta: number): TallMatrix {
  const A = scaled(Mt, theta);
  for (let k = 0; k < A.rows; k++) A.data[k * A.cols + k]! += 1;
  const R = cholesky(A);
  return derive(F, (rows) => transpose(solveLower(R, transpose(rows))));
}

/** A half given by F, K and c. */
function halfOf(F: TallMatrix, scale: number, K: Matrix, factor: number, rows: Rows, constants: Constants): Half {
  const half =
    rows.candidates.length === F.rows ? { F, K, ...constants } : onCandidates(F, scale, K, factor, rows, constants);
  return {
    pinned: () => zeros(rows.pinned.length, K.cols),
    ...half,
    scale,
    targetNorms: normsOf(half.F, half.K).map((norm) => Math.abs(factor) * norm),
    targets: (shots) => scaleInPlace(multiply(takeRows(half.F, shots), half.K), factor),
    solve: (L) => pushThrough(half.F, scale, L, half.K, factor),
    gramAmong: (shots) => scaled(outerGram(takeRows(half.F, shots)), scale),
    gradient: (shots, Z) => gradient(half.F, scale, shots, Z, half.K, factor),
  };
}

/** F on the candidates, it and K without the pinned shots' span: F − FQᵀQ and K − QᵀQK (pinned.ts, where V = QFᵀ). */
function onCandidates(
  F: TallMatrix,
  scale: number,
  K: Matrix,
  factor: number,
  { pinned, candidates }: Rows,
  constants: Constants,
): Constants & Partial<Pick<Half, 'pinned'>> & { F: TallMatrix; K: Matrix } {
  const Fc = pickRows(F, candidates);
  if (pinned.length === 0 || scale === 0) return { F: Fc, K, ...constants };
  const Fp = takeRows(F, pinned);
  const W = whitening(outerGram(Fp));
  const Q = multiply(W, Fp);
  const [Qt, QK] = [transpose(Q), multiply(Q, K)];
  const Vt = product(Fc, Qt);
  return {
    F: derive(Fc, (block) => outside(Q, Qt, block)),
    K: minus(K, multiply(Qt, QK)),
    ...besidePinned(W, Vt, scaled(QK, factor), scale, constants),
  };
}

/** What is left of some rows outside the span of Q; nothing where only roundings are. */
function outside(Q: Matrix, Qt: Matrix, rows: Matrix): Matrix {
  const left = minus(rows, multiply(multiply(rows, Qt), Q));
  const [before, after] = [rowSquares(rows), rowSquares(left)];
  for (let i = 0; i < left.rows; i++) {
    if (!(after[i]! > NOTHING_LEFT * before[i]!)) left.data.fill(0, i * left.cols, (i + 1) * left.cols);
  }
  return left;
}

/**
 * Z = factor · L⁻¹ F H⁻¹K,  H = I + scale·Fᵀ L⁻¹ F = RRᵀ. Since scale·Fᵀ L⁻¹ F = H − I,
 *   ⟨B,Z⟩ = factor²·tr Kᵀ(Fᵀ L⁻¹ F)H⁻¹K = (factor²/scale)·(‖K‖² − ⟨K, H⁻¹K⟩),     leverage i = (scale/L_i)·‖R⁻¹f_i‖²
 */
function pushThrough(F: TallMatrix, scale: number, L: Float64Array, K: Matrix, factor: number): Solved {
  if (K.cols === 0) return nothingToMeet(F.rows);
  const R = cholesky(systemOf(F, scale, L));
  const S = solveCholesky(R, K);
  return {
    linear:
      scale > 0
        ? (factor ** 2 / scale) * (innerProduct(K, K) - innerProduct(K, S))
        : factor ** 2 * sumOf(normsOf(F, K).map((norm, i) => norm ** 2 / L[i]!)),
    *rows() {
      for (const { first, block } of rowBlocks(F)) {
        yield scaleInPlace(multiply(dividedRows(block, L, first), S), factor);
      }
    },
    leverages() {
      const leverages = new Float64Array(F.rows);
      for (const { first, block } of rowBlocks(F)) {
        leverages.set(columnSquares(solveLower(R, transpose(block))), first);
      }
      return leverages.map((square, i) => (scale * square) / L[i]!);
    },
  };
}

/** I + scale·Fᵀ L⁻¹ F; its lower triangle, which is all that `cholesky` reads. */
export function systemOf(F: TallMatrix, scale: number, L: Float64Array): Matrix {
  const H = zeros(F.cols, F.cols);
  for (const { first, block } of rowBlocks(F)) addLowerProduct(H, transpose(dividedRows(block, L, first)), block);
  scaleInPlace(H, scale);
  for (let k = 0; k < H.rows; k++) H.data[k * H.cols + k]! += 1;
  return H;
}

/** The rows of a block of F, each divided by its own entry of L. */
function dividedRows(block: Matrix, L: Float64Array, first: number): Matrix {
  const W = zeros(block.rows, block.cols);
  for (let i = 0; i < block.rows; i++) {
    const inverse = 1 / L[first + i]!;
    for (let at = i * block.cols; at < (i + 1) * block.cols; at++) W.data[at] = inverse * block.data[at]!;
  }
  return W;
}

/** The length of every row of F·K. */
function normsOf(F: TallMatrix, K: Matrix): Float64Array {
  const norms = new Float64Array(F.rows);
  for (const { first, block } of rowBlocks(F)) norms.set(rowSquares(multiply(block, K)).map(Math.sqrt), first);
  return norms;
}

function scaleInPlace(A: Matrix, factor: number): Matrix {
  for (let at = 0; at < A.data.length; at++) A.data[at] = factor * A.data[at]!;
  return A;
}

/** scale·G·Z − B = F (scale·Fᵀ Z − factor·K) with Z zero outside the rows named. */
function gradient(
  F: TallMatrix,
  scale: number,
  shots: readonly number[],
  Z: Matrix,
  K: Matrix,
  factor: number,
): Matrix {
  const E = multiply(transpose(takeRows(F, shots)), Z);
  for (let at = 0; at < E.data.length; at++) E.data[at] = scale * E.data[at]! - factor * K.data[at]!;
  return product(F, E);
}

/** F·A */
function product(F: TallMatrix, A: Matrix): Matrix {
  const FA = zeros(F.rows, A.cols);
  for (const { first, block } of rowBlocks(F)) FA.data.set(multiply(block, A).data, first * A.cols);
  return FA;
}

/** Uᵀ M U; `null` = the identity. */
function inBasis(M: Matrix, basis: Matrix | null): Matrix {
  if (basis === null) return { ...M, data: Float64Array.from(M.data) };
  return multiply(multiply(basis, M), transpose(basis));
}

function minus(A: Matrix, B: Matrix): Matrix {
  return { ...A, data: A.data.map((value, at) => value - B.data[at]!) };
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** What is left of a shot below this share of the longest counts as nothing: a few hundred roundings. */
const NOTHING = 1e-13;

/** Squared lengths that are kept by subtraction are used down to this share of where they started, then computed again. */
const TRUSTED = 1e-10;

/** The shots in an orthonormal basis of their span. */
type Span = {
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
function spanOf(given: TallMatrix, limit: number | null): Span {
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
