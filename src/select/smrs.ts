import { type Matrix, outerGram, rowSquares } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { centred } from './clusters.js';
import { ownRanking } from './ranking.js';
import { refuseKnob } from './refuse-knob.js';
import { admmIterations } from './smrs-admm.js';
import { newtonRounds } from './smrs-newton.js';
import { pointAt, type SmrsProblem } from './smrs-point.js';
import { twinsOf } from './twins.js';
import type { Ranking, Selector, Step } from './types.js';

/** The knobs of sparse modelling representative selection, with their letters in the paper. */
export type SmrsKnobs = {
  /** 1/γ: λ as a share of λ0. Larger chooses fewer shots. */
  readonly sparsity: number;
  /** 1ᵀZ = 1ᵀ: shots are rebuilt as affine combinations, so that nothing depends on where the features' origin lies. */
  readonly affine: boolean;
  /** Relative KKT residual at which a result counts as optimal. */
  readonly tolerance: number;
  /** Rounds of 'newton', or iterations of 'admm'. */
  readonly maxIterations: number;
  /** 'admm' is the paper's iteration; 'newton' reaches the same optimum sooner. */
  readonly solver: 'newton' | 'admm';
};

/** The knobs that are not given have these values: γ = 5 and at most 5000 iterations, as published. */
export const smrsDefaults: SmrsKnobs = {
  sparsity: 0.2,
  affine: true,
  tolerance: 1e-8,
  maxIterations: 5000,
  solver: 'newton',
};

/** Shots that differ by less than this share of the longest feature vector are all alike: a few thousand roundings. */
const ALIKE = 1e-12;

/**
 * Sparse modelling representative selection (Elhamifar, Sapiro and Vidal, CVPR 2012): ranks shots by the norms of their
 * rows of Z, the sparsest matrix by which the video rebuilds itself. Looks at the video alone. Deterministic.
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
  const improve = knobs.solver === 'newton' ? newtonRounds(problem, twins) : admmIterations(problem);
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
      return ownRanking(shareAmongTwins(point.norms, twins), point.pull, given, { trace, certificate });
    }
    point = next;
  }
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
