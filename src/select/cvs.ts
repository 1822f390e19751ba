import type { Problem } from '../topic/index.js';
import { activeSet } from './active-set.js';
import { acceleratedHalfQuadratic, halfQuadratic } from './half-quadratic.js';
import { dualityGap } from './gap.js';
import { enteringLambda } from './penalty.js';
import { rank } from './ranking.js';
import { reduce, type Reduced } from './reduced.js';
import { refuseKnob } from './refuse-knob.js';
import { twinsOf } from './twins.js';
import type { CvsKnobs, CvsRanking, Ranking, Selector, Step } from './types.js';

/** The knobs as they stand when nothing is said. */
export const cvsDefaults: CvsKnobs = {
  contextWeight: 0.5,
  diversity: 0.01,
  sparsity: 0.5,
  sparsityScale: 'lambdaMax',
  consensus: 1,
  smoothing: 2,
  smoothingScale: 'relative',
  tolerance: 1e-4,
  maxIterations: 500,
  similarity: 'inner',
  bandwidth: null,
  solver: 'auto',
  form: 'auto',
  rank: null,
};

/**
 * Collaborative video summarisation (Panda and Roy-Chowdhury, CVPR 2017): ranks shots by what they do for
 * reconstructing their own video and the other videos of the topic. Deterministic; no random start.
 */
export function cvs(knobs: Partial<CvsKnobs> = {}): Selector<CvsRanking> {
  const complete = checkKnobs({ ...cvsDefaults, ...knobs });
  return { name: 'cvs', select: (problem, onIteration) => solve(problem, complete, onIteration) };
}

/**
 * A video alone is solved less smoothed: at the topic's setting its unusual shots would outrank the typical ones
 * (docs/decisions/0003-sparsity-and-smoothing.md).
 */
const ALONE: Partial<CvsKnobs> = { smoothing: 0.3, sparsity: 0.3 };

/** cvs without the other videos, the paper's ablation: no Z̃, whatever the problem knows of them. */
export function cvsAlone(knobs: Partial<CvsKnobs> = {}): Selector<CvsRanking> {
  const { select } = cvs({ ...ALONE, ...knobs });
  return {
    name: 'cvs-neighborhood',
    select: ({ features }, onIteration) => select({ features, context: null, ownWeight: 0 }, onIteration),
  };
}

/** Whether a ranking came from cvs, so that it can be explained. */
export function isCvsRanking(ranking: Ranking): ranking is CvsRanking {
  return 'lambda' in ranking.certificate;
}

function solve(problem: Problem, knobs: CvsKnobs, onIteration?: (step: Step) => void | 'stop'): CvsRanking {
  const reduced = reduce(problem, knobs);
  const lambdaMax = lambdaMaxOf(reduced, knobs.consensus);
  const lambda = knobs.sparsity * { lambdaMax, lambdaZero: reduced.lambdaZero, absolute: 1 }[knobs.sparsityScale];
  if (lambdaMax === 0) return nothingToChoose(reduced, lambda);
  const penalty = { lambda, beta: knobs.consensus * lambda };
  const epsilon = knobs.smoothingScale === 'absolute' ? knobs.smoothing : (knobs.smoothing * evenRowOf(reduced)) ** 2;
  const course = { epsilon, tolerance: knobs.tolerance, maxIterations: knobs.maxIterations };
  const solver = epsilon === 0 ? 'activeSet' : knobs.solver === 'auto' ? 'accelerated' : 'halfQuadratic';
  const outcome = {
    activeSet: () => activeSet(reduced, penalty, course, twinsOf(problem.features), onIteration),
    accelerated: () => acceleratedHalfQuadratic(reduced, penalty, course, onIteration),
    halfQuadratic: () => halfQuadratic(reduced, penalty, course, onIteration),
  }[solver]();
  const own = outcome.a.map(Math.sqrt);
  const shared = outcome.b.map(Math.sqrt);
  const scores = outcome.a.map((square, i) => Math.sqrt(square + outcome.b[i]!));
  return {
    ...rank(scores, outcome.nearness ?? undefined),
    scores,
    own,
    shared,
    trace: outcome.trace,
    certificate: {
      iterations: outcome.trace.length,
      converged: outcome.converged,
      residual: outcome.residual,
      gap: dualityGap(reduced, outcome, penalty, epsilon),
      active: scores.reduce((count, score) => count + (score > 0 ? 1 : 0), 0),
      lambdaMax,
      lambdaZero: reduced.lambdaZero,
      lambda,
      epsilon,
      solver,
      form: reduced.form,
      kept: reduced.kept,
    },
  };
}

/** The smallest λs at which Z = 0, Z̃ = 0 is optimal: there the gradients are −B and −B̃. */
function lambdaMaxOf(reduced: Reduced, kappa: number): number {
  let most = 0;
  for (let i = 0; i < reduced.shotCount; i++) {
    most = Math.max(most, enteringLambda(rowNorm(reduced.B, i), rowNorm(reduced.Bt, i), kappa));
  }
  return most;
}

/**
 * The length of a row of [Z | Z̃] when all n shots share the load evenly: 1/n of what one shot alone would carry,
 * ‖(B_i, B̃_i/α)‖/G_ii for the shot with the longest. Rows grow and shrink with it, in small topics and in large ones.
 */
function evenRowOf(reduced: Reduced): number {
  let [best, longest] = [0, 0];
  for (let i = 0; i < reduced.shotCount; i++) {
    const shared = reduced.alpha > 0 ? rowNorm(reduced.Bt, i) / reduced.alpha : 0;
    const length = Math.hypot(rowNorm(reduced.B, i), shared);
    if (length > longest) [best, longest] = [i, length];
  }
  const square = reduced.gramAmong([best]).data[0]!;
  return square > 0 ? longest / square / reduced.shotCount : 1;
}

function rowNorm({ cols, data }: Reduced['B'], i: number): number {
  let sum = 0;
  for (let at = i * cols; at < (i + 1) * cols; at++) sum += data[at]! * data[at]!;
  return Math.sqrt(sum);
}

function nothingToChoose(reduced: Reduced, lambda: number): CvsRanking {
  const none = (): Float64Array => new Float64Array(reduced.shotCount);
  return {
    ...rank(none()),
    scores: none(),
    own: none(),
    shared: none(),
    trace: [],
    certificate: {
      iterations: 0,
      converged: true,
      residual: 0,
      gap: 0,
      active: 0,
      lambdaMax: 0,
      lambdaZero: reduced.lambdaZero,
      lambda,
      epsilon: 0,
      solver: 'none',
      form: reduced.form,
      kept: reduced.kept,
    },
  };
}

function checkKnobs(knobs: CvsKnobs): CvsKnobs {
  const positive = ['sparsity', 'tolerance', 'maxIterations'] as const;
  const notNegative = ['contextWeight', 'diversity', 'consensus', 'smoothing'] as const;
  for (const name of positive)
    if (!(knobs[name] > 0 && knobs[name] < Infinity)) refuseKnob(name, 'above zero', knobs[name]);
  for (const name of notNegative)
    if (!(knobs[name] >= 0 && knobs[name] < Infinity)) refuseKnob(name, 'zero or more', knobs[name]);
  if (knobs.solver === 'halfQuadratic' && knobs.smoothing === 0)
    refuseKnob('smoothing', 'above zero for "halfQuadratic"', 0);
  if (knobs.rank !== null && knobs.form === 'shots') refuseKnob('rank', 'null in the n × n form', knobs.rank);
  if (knobs.bandwidth !== null && !(knobs.bandwidth > 0)) refuseKnob('bandwidth', 'above zero', knobs.bandwidth);
  if (knobs.rank !== null && !(Number.isInteger(knobs.rank) && knobs.rank > 0))
    refuseKnob('rank', 'a positive whole number', knobs.rank);
  return knobs;
}
