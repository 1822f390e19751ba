import {
  cholesky,
  type Matrix,
  multiply,
  outerGram,
  rowSquares,
  solveCholesky,
  transpose,
  zeros,
} from '../../src/base/index.js';

/**
 * Algorithm 1 as the paper writes it, X̃ in hand and Z̃ in full, but with the same fast products and factorisations
 * as our solver: what remains of a difference is the method, not the kernels.
 */
export function literalWithOurKernels(
  X: Matrix,
  Xt: Matrix,
  lambda: number,
  epsilon: number,
  iterations: number,
): Float64Array {
  const [alpha, lambdaD] = [0.5, 0.01];
  const G = outerGram(X);
  const B = { ...G, data: G.data.map((value) => (1 - lambdaD) * value) };
  const Bt = multiply(X, transpose(Xt));
  for (let at = 0; at < Bt.data.length; at++) Bt.data[at]! *= alpha - lambdaD;
  let a: Float64Array = new Float64Array(X.rows).fill(1);
  let b: Float64Array = new Float64Array(X.rows).fill(1);
  for (let t = 0; t < iterations; t++) {
    const [A, At] = [zeros(X.rows, X.rows), zeros(X.rows, X.rows)];
    for (let at = 0; at < A.data.length; at++) [A.data[at], At.data[at]] = [G.data[at]!, alpha * G.data[at]!];
    for (let i = 0; i < X.rows; i++) {
      const joint = lambda / Math.sqrt(a[i]! + b[i]! + epsilon);
      A.data[i * X.rows + i]! += lambda / Math.sqrt(a[i]! + epsilon) + joint;
      At.data[i * X.rows + i]! += lambda / Math.sqrt(b[i]! + epsilon) + joint;
    }
    a = rowSquares(solveCholesky(cholesky(A), B));
    b = rowSquares(solveCholesky(cholesky(At), Bt));
  }
  return a.map((square, i) => Math.sqrt(square + b[i]!));
}
