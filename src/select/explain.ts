import {
  cholesky,
  dot,
  identity,
  inMemory,
  type Matrix,
  multiply,
  NumericError,
  outerGram,
  pickRows,
  rowBlocks,
  rowOf,
  rowSquares,
  scaled,
  solveCholesky,
  takeRows,
  type TallMatrix,
  zeros,
} from '../base/index.js';
import type { Moment, Neighbor, Problem } from '../topic/index.js';
import { balanceOf, pricesOf, rowWeights, scalePenalty } from './penalty.js';
import { cvsDefaults } from './cvs.js';
import { systemOf } from './reduce-to-features.js';
import { bandwidthOf, targetsOf } from './similarity.js';
import type { CvsKnobs, CvsRanking, Support } from './types.js';

/** In place of no penalty for pinned shots, which may be identical: above the roundings, too small to change a result. */
const RIDGE = 1e-10;

/** A neighbour, by its shots or by its moment; without its shots, none of them can be named. */
export type Source = Neighbor<TallMatrix> | Moment;

/**
 * Why a shot is in the summary: row i of Z̃ = (s̃G + diag L̃)⁻¹B̃ (L̃ is 0 for pinned shots), split by neighbour. The system
 * is factored once and each shot asked for costs one solve, so nothing is computed for shots nobody looks at.
 *   y = (s̃G + diag L̃)⁻¹ e_i,    z̃_i = yᵀB̃;     inner product:  z̃_ij = (α−λd)·(Xy)·x̃_j,   share of v ∝ (Xy)ᵀ M_v (Xy)
 */
export function explain(
  problem: Pick<Problem<TallMatrix>, 'features' | 'pinned' | 'evidence'>,
  ranking: CvsRanking,
  knobs: Partial<CvsKnobs> = {},
): (shotIndex: number, sources: readonly (Neighbor<TallMatrix> | Moment)[]) => Support[] {
  const { partsOf, shareOut } = explainInParts(problem, ranking, knobs);
  return (shotIndex, sources) => shareOut(sources.map(partsOf(shotIndex)));
}

/** A neighbour's part in a shot: ‖·‖² of its columns in the shot's row of Z̃, and its shot that is represented most. */
export type Part = { readonly energy: number; readonly shot: number | null; readonly weight: number | null };

/** As `explain`, one neighbour at a time, so that they need not all be in memory: a part for each, then the shares of all. */
export function explainInParts(
  problem: Parameters<typeof explain>[0],
  ranking: CvsRanking,
  knobs: Partial<CvsKnobs> = {},
): { partsOf(shotIndex: number): (source: Source) => Part; shareOut(parts: readonly Part[]): Support[] } {
  const { features, pinned } = problem;
  const all = withBandwidth(features, { ...cvsDefaults, ...knobs });
  const balance = balanceOf(all.shared);
  // None if the problem had no other videos: then all of Z̃ is zero.
  const shots = [...ranking.shared.keys()].filter((i) => ranking.shared[i]! > 0);
  const X = shots.length === features.rows ? features : pickRows(features, shots);
  const { lambda, epsilon } = ranking.certificate;
  const squares = (norms: Float64Array): Float64Array => Float64Array.from(shots, (i) => norms[i]! ** 2);
  const unit = { ...balance, joint: all.consensus, prices: pricesOf(problem, all.evidence, shots) };
  const penalty = scalePenalty(unit, lambda);
  const [, Lt] = rowWeights(squares(ranking.own), squares(ranking.shared), epsilon, penalty);
  const scale = balance.shared * all.contextWeight;
  const isPinned = new Set(pinned);
  // No entry of a Gram matrix is larger than the largest of its diagonal.
  const ridge = RIDGE * scale * rowSquares(X).reduce((most, square) => Math.max(most, square), 0);
  const L = Float64Array.from(shots, (shot, i) => (isPinned.has(shot) ? ridge : Lt[i]!));
  // z̃_ij = (α−λd)·(Xy)·x̃_j if similarity is an inner product: then w = Xy is all that is needed.
  const isLinear = all.similarity === 'inner' || all.diversity === 0;
  const weightsOf = isLinear && X.rows > X.cols ? throughFeatures(X, scale, L) : throughShots(inMemory(X), scale, L);

  const partsOf = (shotIndex: number): ((source: Source) => Part) => {
    const row = shots.indexOf(shotIndex);
    if (row < 0) return () => ({ energy: 0, shot: null, weight: null });
    const { y, w } = weightsOf(row);
    const entriesOf = ({ features, weight = 1 }: Neighbor<TallMatrix>): Float64Array => {
      if (!isLinear)
        return rowOf(multiply(y!, targetsOf(inMemory(X), { features: inMemory(features), weight }, all)), 0);
      const factor = Math.sqrt(weight) * (all.contextWeight - all.diversity);
      const entries = new Float64Array(features.rows);
      for (const { first, block } of rowBlocks(features)) {
        for (let j = 0; j < block.rows; j++) entries[first + j] = factor * dot(rowOf(block, j), w.data);
      }
      return entries;
    };
    return (source) => ('matrix' in source ? fromMoment(source, w, all) : fromShots(entriesOf(source)));
  };
  const shareOut = (parts: readonly Part[]): Support[] => {
    const total = parts.reduce((sum, part) => sum + part.energy, 0);
    return parts.map(({ energy, shot, weight }, neighbor) => ({
      neighbor,
      share: total > 0 ? energy / total : 0,
      shot,
      weight: weight === null ? null : balance.shared * weight,
    }));
  };
  return { partsOf, shareOut };
}

/** y = (sG + diag L)⁻¹ e_i, `null` if it was not computed, and w = Xy; both as rows. */
type WeightsOf = (row: number) => { readonly y: Matrix | null; readonly w: Matrix };

/** From the n × n system itself. */
function throughShots(X: Matrix, scale: number, L: Float64Array): WeightsOf {
  const A = scaled(outerGram(X), scale);
  L.forEach((weight, i) => (A.data[i * A.cols + i]! += weight));
  const R = cholesky(A);
  return (row) => {
    const unit = zeros(X.rows, 1);
    unit.data[row] = 1;
    const y = { rows: 1, cols: X.rows, data: solveCholesky(R, unit).data };
    return { y, w: multiply(y, X) };
  };
}

/** From the r × r one, for videos of more shots than features:  w = H⁻¹ x_i / L_i,  H = I + s·XᵀL⁻¹X (X: shots as rows). */
function throughFeatures(X: TallMatrix, scale: number, L: Float64Array): WeightsOf {
  const inverse = solveCholesky(cholesky(systemOf(X, scale, L)), identity(X.cols));
  return (row) => {
    const x = { rows: 1, cols: X.cols, data: takeRows(X, [row]).data.map((value) => value / L[row]!) };
    return { y: null, w: multiply(x, inverse) };
  };
}

/** A bandwidth that is not given is that of the whole video, as in the solver. */
function withBandwidth(features: TallMatrix, knobs: CvsKnobs): CvsKnobs {
  if (knobs.similarity !== 'rbf') return knobs;
  return { ...knobs, bandwidth: bandwidthOf(rowSquares(features), outerGram(inMemory(features)), knobs) };
}

/** ‖z̃_i‖² over one neighbour's shots, and its largest entry there. */
function fromShots(entries: Float64Array): Part {
  let [shot, energy]: [number | null, number] = [null, 0];
  entries.forEach((entry, j) => {
    energy += entry * entry;
    if (shot === null || Math.abs(entry) > Math.abs(entries[shot]!)) shot = j;
  });
  return { energy, shot, weight: shot === null ? null : entries[shot]! };
}

function fromMoment({ matrix }: Moment, w: Matrix, knobs: CvsKnobs): Part {
  if (knobs.similarity !== 'inner' && knobs.diversity !== 0) {
    throw new NumericError(
      'needs-neighbors',
      `Similarity "${knobs.similarity}" needs the neighbours' features, found a moment.`,
    );
  }
  const Mw = multiply(w, matrix);
  let sum = 0;
  for (let k = 0; k < w.cols; k++) sum += w.data[k]! * Mw.data[k]!;
  const energy = (knobs.contextWeight - knobs.diversity) ** 2 * Math.max(0, sum);
  return { energy, shot: null, weight: null };
}
