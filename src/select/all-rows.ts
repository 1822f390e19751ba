import { type Matrix, rowSquares, type TallMatrix, zeros } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { rowsAt } from './active-set.js';
import { type Penalty, rowWeights } from './penalty.js';
import type { Reduced } from './reduced.js';
import type { Norms } from './types.js';

/**
 * Squared row norms of Z and Z̃ for all shots: the candidates' as solved, the pinned shots' that go with them (pinned.ts),
 * zero for the vetoed.
 */
export function squaresOfAll(
  { features, pinned = [] }: Problem<TallMatrix>,
  reduced: Reduced,
  { a, b }: Norms,
  penalty: Penalty,
  epsilon: number,
): Norms {
  const { own, shared, candidates } = reduced;
  const [all, allShared] = [amongAll(a, candidates, features.rows), amongAll(b, candidates, features.rows)];
  if (pinned.length > 0) {
    const [Z, Zt] = epsilon > 0 ? smoothRows(reduced, a, b, epsilon, penalty) : exactRows(reduced, a, b, penalty);
    const [squares, squaresShared] = [rowSquares(own.pinned(Z)), rowSquares(shared.pinned(Zt))];
    pinned.forEach((shot, k) => ([all[shot], allShared[shot]] = [squares[k]!, squaresShared[k]!]));
  }
  return { a: all, b: allShared };
}

/** Values of the candidates among those of all shots; zero elsewhere. */
export function amongAll(values: Float64Array, candidates: readonly number[], shots: number): Float64Array {
  const all = new Float64Array(shots);
  candidates.forEach((shot, i) => (all[shot] = values[i]!));
  return all;
}

function smoothRows(
  { own, shared }: Reduced,
  a: Float64Array,
  b: Float64Array,
  epsilon: number,
  penalty: Penalty,
): [Iterable<Matrix>, Iterable<Matrix>] {
  const [L, Lt] = rowWeights(a, b, epsilon, penalty);
  return [own.solve(L).rows(), shared.solve(Lt).rows()];
}

function exactRows(reduced: Reduced, a: Float64Array, b: Float64Array, penalty: Penalty): [Matrix[], Matrix[]] {
  const rows = [...a.keys()].filter((i) => a[i]! + b[i]! > 0);
  const { Z, Zt } = rowsAt(reduced, penalty, { rows, a, b });
  const whole = (part: Matrix): Matrix => {
    const all = zeros(a.length, part.cols);
    rows.forEach((row, i) => all.data.set(part.data.subarray(i * part.cols, (i + 1) * part.cols), row * part.cols));
    return all;
  };
  return [[whole(Z)], [whole(Zt)]];
}
