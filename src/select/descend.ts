import { type Matrix, multiply } from '../base/index.js';
import { andersonLeap } from './half-quadratic.js';
import { type Penalty, sizeOf } from './penalty.js';

/** Sweeps between two attempts to leap ahead; also the number of differences a leap is made from. */
const LEAP_EVERY = 6;

/**
 * Eq. 5 on a few rows: G and G̃ among them, as each half weighs them, and what they must meet, [B | B̃] side by side, B in
 * the first `split` columns.
 */
export type FewRows = { readonly G: Matrix; readonly Gt: Matrix; readonly T: Matrix; readonly split: number };

/**
 * Minimises eq. 5 over the given rows by block coordinate descent, improving Y = [Z | Z̃] in place.
 * Each step puts the best row (row-update.ts) in place of the old one, so the objective never rises. After every few
 * sweeps the path so far is extrapolated (Anderson; Bertrand and Massias 2021), and the leap kept if it lies lower.
 * Stops when a sweep moves no gradient by more than `tolerance` times its row's penalty. Returns the number of sweeps.
 */
export function descend(rows: FewRows, penalty: Penalty, Y: Matrix, tolerance: number, maxSweeps: number): number {
  const path: Float64Array[] = [Float64Array.from(Y.data)];
  for (let sweep = 1; ; sweep++) {
    const moved = sweepOnce(rows, penalty, Y);
    if (moved <= tolerance * sizeOf(penalty) || sweep >= maxSweeps) return sweep;
    path.push(Float64Array.from(Y.data));
    if (path.length > LEAP_EVERY) {
      const leap = andersonLeap(path.slice(0, -1), path.slice(1));
      if (leap !== null && objective(rows, penalty, { ...Y, data: leap }) < objective(rows, penalty, Y))
        Y.data.set(leap);
      path.length = 0;
      path.push(Float64Array.from(Y.data));
    }
  }
}

/** One pass over the rows. Returns the largest change of a row, as a change of its gradient over its price. */
function sweepOnce({ G, Gt, T, split }: FewRows, penalty: Penalty, Y: Matrix): number {
  const width = Y.cols;
  const c = new Float64Array(width);
  let most = 0;
  for (let i = 0; i < G.rows; i++) {
    const [curvature, curvatureShared] = [G.data[i * G.cols + i]!, Gt.data[i * G.cols + i]!];
    c.fill(0);
    addOthers(G, Y, i, c, 0, split);
    addOthers(Gt, Y, i, c, split, width);
    let [norm, normShared] = [0, 0];
    for (let j = 0; j < width; j++) {
      c[j] = T.data[i * width + j]! - c[j]!;
      if (j < split) norm += c[j]! * c[j]!;
      else normShared += c[j]! * c[j]!;
    }
    const price = penalty.prices[i]!;
    // A row that pays w times the penalty is w times the best row for c/w: the factors that take c to it are the same.
    const best = bestRow(Math.sqrt(norm) / price, Math.sqrt(normShared) / price, curvature, curvatureShared, penalty);
    if (best === null) continue;
    let change = 0;
    for (let j = 0; j < width; j++) {
      const value = best[j < split ? 0 : 1] * c[j]!;
      change += (value - Y.data[i * width + j]!) ** 2;
      Y.data[i * width + j] = value;
    }
    most = Math.max(most, (Math.max(curvature, curvatureShared) * Math.sqrt(change)) / price);
  }
  return most;
}

/** c += Σ_{j≠i} G_ij·Y_j in the columns [from, to): what the other rows meet of what row i must. */
function addOthers(G: Matrix, Y: Matrix, i: number, c: Float64Array, from: number, to: number): void {
  const [width, count, y] = [Y.cols, G.rows, Y.data];
  let j = 0;
  // Four rows at a time keep the running sums in registers.
  for (; j + 4 <= count; j += 4) {
    const at = i * count + j;
    const g0 = j === i ? 0 : G.data[at]!;
    const g1 = j + 1 === i ? 0 : G.data[at + 1]!;
    const g2 = j + 2 === i ? 0 : G.data[at + 2]!;
    const g3 = j + 3 === i ? 0 : G.data[at + 3]!;
    const [y0, y1, y2, y3] = [j * width, (j + 1) * width, (j + 2) * width, (j + 3) * width];
    for (let k = from; k < to; k++) {
      c[k]! += g0 * y[y0 + k]! + g1 * y[y1 + k]! + g2 * y[y2 + k]! + g3 * y[y3 + k]!;
    }
  }
  for (; j < count; j++) {
    if (j === i) continue;
    const g = G.data[i * count + j]!;
    for (let k = from; k < to; k++) c[k]! += g * y[j * width + k]!;
  }
}

/** Eq. 5 on these rows, up to its constant. */
function objective({ G, Gt, T, split }: FewRows, penalty: Penalty, Y: Matrix): number {
  const [GY, GtY] = [multiply(G, Y), multiply(Gt, Y)];
  let sum = 0;
  for (let i = 0; i < Y.rows; i++) {
    let [own, shared] = [0, 0];
    for (let j = 0; j < Y.cols; j++) {
      const at = i * Y.cols + j;
      const value = Y.data[at]!;
      sum += value * (0.5 * (j < split ? GY : GtY).data[at]! - T.data[at]!);
      if (j < split) own += value * value;
      else shared += value * value;
    }
    const norms =
      penalty.own * Math.sqrt(own) + penalty.shared * Math.sqrt(shared) + penalty.joint * Math.sqrt(own + shared);
    sum += penalty.prices[i]! * norms;
  }
  return sum;
}

/**
 * The best row (u, v), all other rows held:
 *   min  ½ℓ‖u‖² − c·u + ½ℓ̃‖v‖² − c̃·v + λ‖u‖ + λ̃‖v‖ + β‖(u, v)‖
 * Its halves point along c and c̃, and with s = (‖c‖−λ)₊, s̃ = (‖c̃‖−λ̃)₊, ρ = ‖(u, v)‖ their lengths are
 *   ‖u‖ = sρ/(ℓρ+β),   ‖v‖ = s̃ρ/(ℓ̃ρ+β),   where ρ solves  s²/(ℓρ+β)² + s̃²/(ℓ̃ρ+β)² = 1;   zero if s² + s̃² ≤ β².
 * Returns the factors that take c to u and c̃ to v, or `null` if there is no best row (the function falls for ever).
 */
export function bestRow(
  norm: number,
  normShared: number,
  curvature: number,
  curvatureShared: number,
  { own, shared, joint: beta }: Pick<Penalty, 'own' | 'shared' | 'joint'>,
): readonly [number, number] | null {
  const s = Math.max(0, norm - own);
  const st = Math.max(0, normShared - shared);
  if (s * s + st * st <= beta * beta) return [0, 0];
  const endless = (s > 0 && curvature <= 0) || (st > 0 && curvatureShared <= 0);
  if (beta === 0) {
    if (endless) return null;
    return [s > 0 ? s / curvature / norm : 0, st > 0 ? st / curvatureShared / normShared : 0];
  }
  const flat = (curvature <= 0 ? s * s : 0) + (curvatureShared <= 0 ? st * st : 0);
  if (flat >= beta * beta) return null;
  // The left side falls and is convex, so Newton's steps from zero rise to the root and never pass it.
  let rho = 0;
  for (let step = 0; step < 100; step++) {
    const [left, right] = [curvature * rho + beta, curvatureShared * rho + beta];
    const [x, y] = [(s / left) ** 2, (st / right) ** 2];
    const slope = 2 * ((x * curvature) / left + (y * curvatureShared) / right);
    const change = (x + y - 1) / slope;
    rho += change;
    if (!(change > 1e-15 * rho)) break;
  }
  return [
    s > 0 ? (s * rho) / (curvature * rho + beta) / norm : 0,
    st > 0 ? (st * rho) / (curvatureShared * rho + beta) / normShared : 0,
  ];
}
