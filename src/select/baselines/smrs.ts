import { type Matrix, outerGram, rowSquares } from '../../base/index.js';
import type { Problem } from '../../topic/index.js';
import { centred } from './clusters.js';
import { ownRanking, rank, refuseKnob, twinsOf } from '../ranking.js';
import { newtonRounds, pointAt, type SmrsProblem } from './smrs-newton.js';
import type { Ranking, Selector, Step } from '../types.js';

/** The knobs of sparse modelling representative selection, with their letters in the paper. */
export type SmrsKnobs = {
  /** 1/γ: λ as a share of λ0. Larger chooses fewer shots. */
  readonly sparsity: number;
  /** 1ᵀZ = 1ᵀ: shots are rebuilt as affine combinations, so that nothing depends on where the features' origin lies. */
  readonly affine: boolean;
  /** Relative KKT residual at which a result counts as optimal. */
  readonly tolerance: number;
  /** Rounds of Newton's method. */
  readonly maxIterations: number;
  /** Only representatives as the authors' code chooses them have a score; `false` scores every shot by its row norm. */
  readonly prune: boolean;
};

/** The knobs that are not given have these values: γ = 5, as published. */
export const smrsDefaults: SmrsKnobs = {
  sparsity: 0.2,
  affine: true,
  tolerance: 1e-8,
  maxIterations: 5000,
  prune: true,
};

/** Representatives are the shots with the longest rows, as many as hold this share of all row norms (`thrS`). */
const HELD = 0.99;

/** Of the distances from one representative to all, the nearest that hold less than the rest count as too near (`thrP`). */
const FAR = 0.95;

/** Shots that differ by less than this share of the longest feature vector are all alike: a few thousand roundings. */
const ALIKE = 1e-12;

/**
 * Sparse modelling representative selection (Elhamifar, Sapiro and Vidal, CVPR 2012): ranks shots by the norms of their
 * rows of Z, the sparsest matrix by which the video rebuilds itself, and puts those that are too near a better one behind
 * the others, as the authors' code does. Looks at the video alone. Deterministic.
 */
export function smrs(knobs: Partial<SmrsKnobs> = {}): Selector {
  const complete = checkKnobs({ ...smrsDefaults, ...knobs });
  return { name: 'smrs', select: (problem, onIteration) => solve(problem, complete, onIteration) };
}

function solve(given: Problem, knobs: SmrsKnobs, onIteration?: (step: Step) => void | 'stop'): Ranking {
  const { features } = given;
  const shots = features.rows;
  const X = knobs.affine ? centred(features) : features;
  if (longestRow(X) <= ALIKE * longestRow(features)) {
    // All shots are the same: Z = 11ᵀ/n, or Z = 0 without the constraint on sums.
    return ownRanking(new Float64Array(shots).fill(knobs.affine ? 1 / Math.sqrt(shots) : 0), undefined, given);
  }
  const G = outerGram(X);
  const problem: SmrsProblem = { G, lambda: knobs.sparsity * longestRow(G), affine: knobs.affine };
  const twins = twinsOf(features);
  const improve = newtonRounds(problem, twins);
  const trace: Step[] = [];
  let point = pointAt(problem, startOf(problem));
  for (let iteration = 1; ; iteration++) {
    const step = { iteration, objective: point.objective, residual: point.residual };
    trace.push(step);
    const isStopped = onIteration?.(step) === 'stop';
    const converged = point.residual <= knobs.tolerance;
    const next = converged || isStopped || iteration >= knobs.maxIterations ? null : improve(point);
    if (next === null) {
      const certificate = { iterations: iteration, converged, residual: point.residual };
      const norms = shareAmongTwins(point.norms, twins);
      const { scores, nearness } = knobs.prune
        ? pruned(norms, point.pull, G, given)
        : { scores: norms, nearness: point.pull };
      return ownRanking(scores, nearness, given, { trace, certificate });
    }
    point = next;
  }
}

/**
 * Scores of the representatives that are kept, and for the other shots an order: representatives that were removed, then
 * shots with shorter rows, each by row norm, then shots without a row by `pull`. Pinned shots come first here too, and
 * vetoed ones represent nothing.
 */
function pruned(
  norms: Float64Array,
  pull: Float64Array,
  G: Matrix,
  wishes: Pick<Problem, 'pinned' | 'vetoed'>,
): { scores: Float64Array; nearness: Float64Array } {
  const { pinned = [], vetoed = [] } = wishes;
  const isOut = new Set(vetoed);
  const ranked = rank(norms, pull, { pinned }).order.filter((shot) => norms[shot]! > 0 && !isOut.has(shot));
  const total = ranked.reduce((sum, shot) => sum + norms[shot]!, 0);
  let [count, held] = [0, 0];
  while (count < ranked.length && held <= HELD * total) held += norms[ranked[count++]!]!;
  const representatives = ranked.slice(0, count);
  const removed = new Set<number>();
  representatives.forEach((shot, at) => {
    if (removed.has(shot)) return;
    const near = tooNear(shot, representatives, G);
    for (const other of representatives.slice(at + 1)) if (near.has(other)) removed.add(other);
  });
  const kept = new Set(representatives.filter((shot) => !removed.has(shot)));
  const longest = norms.reduce((most, norm) => Math.max(most, norm), 0);
  return {
    scores: norms.map((norm, shot) => (kept.has(shot) ? norm : 0)),
    // A pull is at most 1 where there is no row.
    nearness: norms.map((norm, shot) => (norm === 0 ? pull[shot]! : (removed.has(shot) ? 4 : 2) + norm / longest)),
  };
}

/** The shots at which the sum of the distances from `shot`, the farthest first, passes `FAR` of all, and the nearer ones. */
function tooNear(shot: number, shots: readonly number[], G: Matrix): Set<number> {
  const square = (i: number, j: number): number => G.data[i * G.cols + j]!;
  const distances = new Map(
    shots.map((other) => {
      const apart = square(shot, shot) + square(other, other) - 2 * square(shot, other);
      return [other, Math.sqrt(Math.max(0, apart))];
    }),
  );
  const total = [...distances.values()].reduce((sum, distance) => sum + distance, 0);
  const farthestFirst = shots.toSorted((i, j) => distances.get(j)! - distances.get(i)!);
  let [count, sum] = [0, 0];
  while (count < shots.length && sum <= FAR * total) sum += distances.get(farthestFirst[count++]!)!;
  return new Set(farthestFirst.slice(Math.max(0, count - 1)));
}

/** All shots rebuilt from the one nearest their mean; without the constraint on sums, nothing rebuilt. */
function startOf({ G, affine }: SmrsProblem): Float64Array {
  const t = new Float64Array(G.rows);
  let nearest = 0;
  for (let i = 1; i < G.rows; i++) if (G.data[i * (G.rows + 1)]! < G.data[nearest * (G.rows + 1)]!) nearest = i;
  if (affine) t[nearest] = Math.sqrt(G.rows);
  return t;
}

/** Identical shots each take an equal part of their rows: same sums, same norms in total. */
function shareAmongTwins(norms: Float64Array, twins: Int32Array): Float64Array {
  const [total, count] = [new Float64Array(norms.length), new Float64Array(norms.length)];
  twins.forEach((first, i) => {
    total[first]! += norms[i]!;
    count[first]!++;
  });
  return norms.map((_, i) => total[twins[i]!]! / count[twins[i]!]!);
}

/** The norm of the longest row. For G it is the paper's λ0 = max_i ‖x_iᵀX‖, with X centred if `affine`. */
function longestRow(A: Matrix): number {
  return Math.sqrt(rowSquares(A).reduce((most, square) => Math.max(most, square), 0));
}

function checkKnobs(knobs: SmrsKnobs): SmrsKnobs {
  for (const name of ['sparsity', 'tolerance', 'maxIterations'] as const) {
    if (!(knobs[name] > 0 && knobs[name] < Infinity)) refuseKnob(name, 'above zero', knobs[name]);
  }
  return knobs;
}
