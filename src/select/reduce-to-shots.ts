import {
  cholesky,
  columnSquares,
  identity,
  innerProduct,
  type Matrix,
  multiply,
  outerGram,
  rowSquares,
  scaled,
  semidefiniteFactor,
  solveCholesky,
  solveLower,
  takeColumns,
  takeRows,
  trace,
  transpose,
  zeros,
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
import { ownSimilarity, sharedTargets, spreadOf } from './similarity.js';
import type { CvsKnobs } from './types.js';

/** The n × n form (docs/method.md): an iteration costs O(n³), whatever the length of a feature vector. */
export function reduceToShots(
  problem: Problem,
  rows: Rows,
  knobs: CvsKnobs,
  G: Matrix = outerGram(problem.features),
): (balance: Balance) => Reduced {
  const [alpha, lambdaD] = [knobs.contextWeight, knobs.diversity];
  let S: Matrix | null = null;
  const spread = (): Matrix => (S ??= spreadOf(problem, G));
  const Bt = problem.context === null ? zeros(G.rows, 0) : semidefiniteFactor(sharedTargets(problem, G, spread, knobs));
  const energy = contextEnergyOf(problem, trace(G));
  const lambdaZero = Math.sqrt(rowSquares(G).reduce((most, square) => Math.max(most, square), 0));
  const inSpan = lambdaD === 0 || knobs.similarity === 'inner';
  return ({ own, shared, discount }) => {
    const theta = energy > 0 ? discount / energy : 0;
    const Go = theta === 0 ? G : discounted(G, spread(), theta);
    return {
      form: 'shots',
      candidates: rows.candidates,
      own: halfOf(Go, own, ownTargets(Go, own, knobs), rows, {
        atZero: (own / 2) * trace(Go),
        dualTrace: inSpan ? own * (1 - lambdaD) ** 2 * trace(Go) : null,
      }),
      shared: halfOf(G, shared * alpha, shared === 0 ? zeros(G.rows, 0) : scaled(Bt, shared), rows, {
        atZero: ((shared * alpha) / 2) * energy,
        dualTrace: sharedBound(problem, knobs, inSpan, shared * energy),
      }),
      alpha,
      hasContext: problem.context !== null && shared > 0,
      lambdaZero,
      kept: 1,
    };
  };
}

/** w(G − λd D) */
function ownTargets(G: Matrix, weight: number, knobs: CvsKnobs): Matrix {
  if (weight === 0) return zeros(G.rows, 0);
  const D = ownSimilarity(G, knobs);
  const B = zeros(G.rows, G.cols);
  for (let at = 0; at < B.data.length; at++) B.data[at] = weight * (G.data[at]! - knobs.diversity * D.data[at]!);
  return B;
}

/** XᵀT²X = G(G + θS)⁺G with S = XᵀM̃X: T² within the span of the shots, where it is (I + θM̃)⁻¹ (balance.ts). */
function discounted(G: Matrix, S: Matrix, theta: number): Matrix {
  const sum = zeros(G.rows, G.cols);
  for (let at = 0; at < sum.data.length; at++) sum.data[at] = G.data[at]! + theta * S.data[at]!;
  return outerGram(transpose(multiply(whitening(sum, 1e-13), G)));
}

/** A half given by G and B. */
function halfOf(G: Matrix, scale: number, B: Matrix, rows: Rows, constants: Constants): Half {
  const half = rows.candidates.length === G.rows ? { G, B, ...constants } : onCandidates(G, scale, B, rows, constants);
  return {
    pinned: () => zeros(rows.pinned.length, B.cols),
    ...half,
    scale,
    targetNorms: rowSquares(half.B).map(Math.sqrt),
    targets: (shots) => takeRows(half.B, shots),
    solve: (L) => solveShifted(half.G, scale, L, half.B),
    gramAmong: (shots) => scaled(among(half.G, shots), scale),
    gradient: (shots, Z) => gradient(half.G, scale, shots, Z, half.B),
  };
}

/** G and B on the candidates, with what the pinned shots rebuild taken out (pinned.ts). */
function onCandidates(
  G: Matrix,
  scale: number,
  B: Matrix,
  { pinned, candidates }: Rows,
  constants: Constants,
): Constants & Partial<Pick<Half, 'pinned'>> & { G: Matrix; B: Matrix } {
  const [Gc, Bc] = [among(G, candidates), takeRows(B, candidates)];
  if (pinned.length === 0 || scale === 0) return { G: Gc, B: Bc, ...constants };
  const W = whitening(among(G, pinned));
  const [V, Y] = [multiply(W, takeColumns(takeRows(G, pinned), candidates)), multiply(W, takeRows(B, pinned))];
  const Vt = transpose(V);
  const [VtV, VtY] = [outerGram(Vt), multiply(Vt, Y)];
  const isLeft = candidates.map(
    (shot, i) => 1 - VtV.data[i * VtV.cols + i]! / G.data[shot * G.cols + shot]! > NOTHING_LEFT,
  );
  candidates.forEach((_, i) => {
    for (let j = 0; j < Gc.cols; j++) {
      const at = i * Gc.cols + j;
      Gc.data[at] = isLeft[i] && isLeft[j] ? Gc.data[at]! - VtV.data[at]! : 0;
    }
    for (let at = i * Bc.cols; at < (i + 1) * Bc.cols; at++) Bc.data[at] = isLeft[i] ? Bc.data[at]! - VtY.data[at]! : 0;
  });
  return { G: Gc, B: Bc, ...besidePinned(W, Vt, Y, scale, constants) };
}

/** (scale·G + diag L)⁻¹ B */
function solveShifted(G: Matrix, scale: number, L: Float64Array, B: Matrix): Solved {
  if (B.cols === 0) return nothingToMeet(G.rows);
  const A = scaled(G, scale);
  for (let i = 0; i < G.rows; i++) A.data[i * G.cols + i]! += L[i]!;
  const R = cholesky(A);
  const Z = solveCholesky(R, B);
  return {
    linear: innerProduct(B, Z),
    rows: () => [Z],
    // sG(sG + diag L)⁻¹ = I − diag(L)·R⁻ᵀR⁻¹
    leverages: () => columnSquares(solveLower(R, identity(G.rows))).map((square, i) => 1 - L[i]! * square),
  };
}

/** scale·G·Z − B with Z zero outside the rows named. */
function gradient(G: Matrix, scale: number, shots: readonly number[], Z: Matrix, B: Matrix): Matrix {
  const g = multiply(takeColumns(G, shots), Z);
  for (let at = 0; at < g.data.length; at++) g.data[at] = scale * g.data[at]! - B.data[at]!;
  return g;
}

/** The entries of G between the shots named. */
function among(G: Matrix, shots: readonly number[]): Matrix {
  return takeColumns(takeRows(G, shots), shots);
}
