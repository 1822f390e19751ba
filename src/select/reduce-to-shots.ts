import {
  cholesky,
  type Matrix,
  multiply,
  outerGram,
  rowSquares,
  semidefiniteFactor,
  solveCholesky,
  zeros,
} from '../base/index.js';
import type { Problem } from '../topic/index.js';
import type { Reduced } from './reduced.js';
import { ownSimilarity, sharedTargets } from './similarity.js';
import type { CvsKnobs } from './types.js';

/** The n × n form (docs/method.md): an iteration costs O(n³), whatever the length of a feature vector. */
export function reduceToShots(problem: Problem, knobs: CvsKnobs, G: Matrix = outerGram(problem.features)): Reduced {
  const [alpha, lambdaD] = [knobs.contextWeight, knobs.diversity];
  const D = ownSimilarity(G, knobs);
  const B = zeros(G.rows, G.cols);
  for (let at = 0; at < B.data.length; at++) B.data[at] = G.data[at]! - lambdaD * D.data[at]!;
  const Bt = problem.context === null ? zeros(G.rows, 0) : semidefiniteFactor(sharedTargets(problem, G, knobs));
  return {
    form: 'shots',
    shotCount: G.rows,
    B,
    Bt,
    alpha,
    ...energies(problem, trace(G), knobs),
    lambdaZero: Math.sqrt(rowSquares(G).reduce((most, square) => Math.max(most, square), 0)),
    kept: 1,
    solveOwn: (L) => solveShifted(G, 1, L, B),
    solveShared: (Lt) => solveShifted(G, alpha, Lt, Bt),
    gramAmong: (shots) => block(G, shots, shots),
    gradientOwn: (shots, Z) => gradient(G, 1, shots, Z, B),
    gradientShared: (shots, Zt) => gradient(G, alpha, shots, Zt, Bt),
  };
}

/** The constants of the objective and of its dual (reduced.ts), from ‖X‖² and the moment of the others. */
export function energies(
  { context, ownWeight }: Problem,
  ownEnergy: number,
  { contextWeight: alpha, diversity: lambdaD, similarity }: CvsKnobs,
): Pick<Reduced, 'hasContext' | 'objectiveAtZero' | 'dualTraces'> {
  const contextEnergy = context === null ? 0 : trace(context.matrix) - ownWeight * ownEnergy;
  const inSpan = lambdaD === 0 || (similarity === 'inner' && (alpha > 0 || context === null));
  return {
    hasContext: context !== null,
    objectiveAtZero: ownEnergy / 2 + (alpha / 2) * contextEnergy,
    dualTraces: inSpan
      ? {
          own: (1 - lambdaD) ** 2 * ownEnergy,
          shared: alpha > 0 ? ((alpha - lambdaD) ** 2 / alpha) * contextEnergy : 0,
        }
      : null,
  };
}

/** (scale·G + diag L)⁻¹ B */
function solveShifted(G: Matrix, scale: number, L: Float64Array, B: Matrix): Matrix {
  const A = zeros(G.rows, G.cols);
  for (let at = 0; at < A.data.length; at++) A.data[at] = scale * G.data[at]!;
  for (let i = 0; i < G.rows; i++) A.data[i * G.cols + i]! += L[i]!;
  return solveCholesky(cholesky(A), B);
}

/** scale·G·Z − B with Z zero outside the rows named. */
function gradient(G: Matrix, scale: number, shots: readonly number[], Z: Matrix, B: Matrix): Matrix {
  const g = multiply(block(G, null, shots), Z);
  for (let at = 0; at < g.data.length; at++) g.data[at] = scale * g.data[at]! - B.data[at]!;
  return g;
}

/** The entries of A in the rows named (`null` = all) and the columns named. */
function block(A: Matrix, rows: readonly number[] | null, cols: readonly number[]): Matrix {
  const taken = zeros(rows === null ? A.rows : rows.length, cols.length);
  for (let i = 0; i < taken.rows; i++) {
    const from = (rows === null ? i : rows[i]!) * A.cols;
    for (let j = 0; j < cols.length; j++) taken.data[i * cols.length + j] = A.data[from + cols[j]!]!;
  }
  return taken;
}

function trace(A: Matrix): number {
  let sum = 0;
  for (let i = 0; i < A.rows; i++) sum += A.data[i * A.cols + i]!;
  return sum;
}
