import { HELD_ROWS, inMemory, requireFinite, type TallMatrix } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { activeSet, amongAll, squaresOfAll } from './active-set.js';
import { balanceOf, enteringScale, type Penalty, pricesOf, scalePenalty, penaltyOf } from './penalty.js';
import { acceleratedHalfQuadratic, halfQuadratic } from './half-quadratic.js';
import { rank, refuseKnob, twinsOf } from './ranking.js';
import { reduce } from './reduce.js';
import type { Half, Reduced } from './reduced.js';
import type { CvsKnobs, CvsRanking, Outcome, Ranking, Selector, Step } from './types.js';

/** The knobs that are not given have these values. */
export const cvsDefaults: CvsKnobs = {
  contextWeight: 0.5,
  shared: 0.5,
  diversity: 0.01,
  sparsity: 0.5,
  sparsityScale: 'lambdaMax',
  consensus: 1,
  evidence: 1,
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
export function cvs(knobs: Partial<CvsKnobs> = {}): Selector<CvsRanking, TallMatrix> {
  const complete = checkKnobs({ ...cvsDefaults, ...knobs });
  return {
    name: 'cvs',
    select: (problem, onIteration) => solver(problem, complete)(complete.shared, onIteration),
  };
}

/**
 * A video alone is solved less smoothed: at the topic's setting its unusual shots would outrank the typical ones
 * (docs/decisions/0003-sparsity-and-smoothing.md).
 */
const ALONE: Partial<CvsKnobs> = { smoothing: 0.3, sparsity: 0.3 };

/** cvs without the other videos, the paper's ablation: no Z̃, even if the problem knows the others. */
export function cvsAlone(knobs: Partial<CvsKnobs> = {}): Selector<CvsRanking, TallMatrix> {
  const { select } = cvs({ ...ALONE, ...knobs });
  return {
    name: 'cvs-neighborhood',
    select: (problem, onIteration) => select({ ...problem, context: null, ownWeight: 0 }, onIteration),
  };
}

/**
 * The rankings of one problem over the whole range of `shared`, for a slider: what the values have in common is computed
 * once. Each is what `cvs({ ...knobs, shared })` gives.
 */
export function cvsAcross(problem: Problem<TallMatrix>, knobs: Partial<CvsKnobs> = {}): (shared: number) => CvsRanking {
  const complete = checkKnobs({ ...cvsDefaults, ...knobs });
  const at = solver(problem, complete);
  return (shared) => at(checkKnobs({ ...complete, shared }).shared);
}

/** Whether a ranking came from cvs, so that it can be explained. */
export function isCvsRanking(ranking: Ranking): ranking is CvsRanking {
  return 'lambda' in ranking.certificate;
}

/** The ranking for one problem at any balance of own and shared; what the balances have in common is computed once. */
function solver(
  given: Problem<TallMatrix>,
  knobs: CvsKnobs,
): (shared: number, onIteration?: OnIteration) => CvsRanking {
  const problem = given.features.rows > HELD_ROWS ? given : { ...given, features: inMemory(given.features) };
  // A problem need not come from `problemOf`, and NaN could get lost on the way to the certificate.
  if (problem.context !== null) requireFinite(problem.context.matrix, 'the context');
  const reductions = new Map<boolean, ReturnType<typeof reduce>>();
  return (asked, onIteration) => {
    const shared = problem.context === null ? 0.5 : asked;
    const isPlain = shared >= 0.5 || knobs.similarity === 'inner';
    const reduceAt = reductions.get(isPlain) ?? reduce(problem, knobs, isPlain);
    reductions.set(isPlain, reduceAt);
    const balance = balanceOf(shared);
    const reduced = reduceAt(balance);
    const prices = pricesOf(problem, knobs.evidence, reduced.candidates);
    // Without other videos there is no Z̃ to agree with, and no joint term: in every scale, λs is the whole penalty.
    const joint = problem.context === null ? 0 : knobs.consensus;
    const unit = { own: balance.own, shared: balance.shared, joint, prices };
    return solve(problem, reduced, unit, knobs, onIteration);
  };
}

type OnIteration = (step: Step) => void | 'stop';

function solve(
  problem: Problem<TallMatrix>,
  reduced: Reduced,
  unit: Penalty,
  knobs: CvsKnobs,
  onIteration?: OnIteration,
): CvsRanking {
  const lambdaMax = lambdaMaxOf(reduced, unit);
  const lambda = knobs.sparsity * { lambdaMax, lambdaZero: reduced.lambdaZero, absolute: 1 }[knobs.sparsityScale];
  const penalty = scalePenalty(unit, lambda);
  const smoothing = knobs.smoothingScale === 'absolute' ? knobs.smoothing : (knobs.smoothing * evenRowOf(reduced)) ** 2;
  const epsilon = lambdaMax === 0 ? 0 : smoothing;
  const course = { epsilon, tolerance: knobs.tolerance, maxIterations: knobs.maxIterations };
  const solver =
    lambdaMax === 0 ? 'none' : epsilon === 0 ? 'activeSet' : knobs.solver === 'auto' ? 'accelerated' : 'halfQuadratic';
  const outcome = {
    none: () => nothingToChoose(reduced),
    activeSet: () => activeSet(reduced, penalty, course, twinsAmong(reduced, penalty, problem), onIteration),
    accelerated: () => acceleratedHalfQuadratic(reduced, penalty, course, onIteration),
    halfQuadratic: () => halfQuadratic(reduced, penalty, course, onIteration),
  }[solver]();
  const { a, b } = squaresOfAll(problem, reduced, outcome, penalty, epsilon);
  const scores = a.map((square, i) => Math.sqrt(square + b[i]!));
  const nearness = outcome.nearness && amongAll(outcome.nearness, reduced.candidates, a.length);
  const gap = solver === 'none' ? 0 : dualityGap(reduced, outcome, penalty, epsilon);
  // Where numbers overflowed or became NaN, the certificate proves nothing.
  const sizes = [outcome.residual, gap ?? 0, lambdaMax, reduced.own.atZero + reduced.shared.atZero];
  const isSound = sizes.every((size) => size >= 0 && size < Infinity);
  return {
    ...rank(scores, nearness ?? undefined, problem),
    scores,
    own: a.map(Math.sqrt),
    shared: b.map(Math.sqrt),
    trace: outcome.trace,
    certificate: {
      iterations: outcome.trace.length,
      converged: outcome.converged && isSound,
      residual: outcome.residual,
      gap,
      active: outcome.a.reduce((count, square, i) => count + (square + outcome.b[i]! > 0 ? 1 : 0), 0),
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

/** For each candidate, the first of the cheapest candidates identical to it, both by their row. */
function twinsAmong({ candidates }: Reduced, { prices }: Penalty, { features }: Problem<TallMatrix>): Int32Array {
  const twins = twinsOf(inMemory(features));
  const cheapest = new Map<number, number>();
  candidates.forEach((shot, i) => {
    const found = cheapest.get(twins[shot]!);
    if (found === undefined || prices[i]! < prices[found]!) cheapest.set(twins[shot]!, i);
  });
  return Int32Array.from(candidates, (shot) => cheapest.get(twins[shot]!)!);
}

/** The smallest λs at which Z = 0, Z̃ = 0 is optimal: there the gradients are −B and −B̃. */
function lambdaMaxOf({ own, shared, candidates }: Reduced, unit: Penalty): number {
  let most = 0;
  for (let i = 0; i < candidates.length; i++) {
    most = Math.max(most, enteringScale(i, own.targetNorms[i]!, shared.targetNorms[i]!, unit));
  }
  return most;
}

/**
 * The length of a row of [Z | Z̃] when all n shots share the load evenly: 1/n of what one shot alone would carry,
 * ‖(B_i/G_ii, B̃_i/αG̃_ii)‖ for the shot with the longest ‖(B_i, B̃_i/α)‖; halves that count less do so here too.
 */
function evenRowOf({ own, shared, alpha, candidates }: Reduced): number {
  const lengthOf = (i: number): [number, number] => [
    own.targetNorms[i]!,
    alpha > 0 ? shared.targetNorms[i]! / alpha : 0,
  ];
  let [best, longest] = [0, 0];
  for (let i = 0; i < candidates.length; i++) {
    const length = Math.hypot(...lengthOf(i));
    if (length > longest) [best, longest] = [i, length];
  }
  if (longest === 0) return 1;
  const [left, right] = lengthOf(best);
  const square = ({ gramAmong, scale }: Half): number => (scale > 0 ? gramAmong([best]).data[0]! / scale : 0);
  const carried = (length: number, half: Half): number => (length === 0 ? 0 : length / square(half));
  const even = Math.hypot(carried(left, own), carried(right, shared)) / candidates.length;
  return Number.isFinite(even) ? even : 1;
}

/** The outcome if no candidate can rebuild anything: zero is the optimum. */
function nothingToChoose({ candidates }: Reduced): Outcome {
  const none = (): Float64Array => new Float64Array(candidates.length);
  return {
    a: none(),
    b: none(),
    gradient: none(),
    gradientShared: none(),
    terms: { lin: 0, linShared: 0, quad: 0, quadShared: 0 },
    nearness: null,
    trace: [],
    residual: 0,
    converged: true,
  };
}

function checkKnobs(knobs: CvsKnobs): CvsKnobs {
  const positive = ['sparsity', 'tolerance', 'maxIterations'] as const;
  const notNegative = ['contextWeight', 'diversity', 'consensus', 'evidence', 'smoothing'] as const;
  for (const name of positive)
    if (!(knobs[name] > 0 && knobs[name] < Infinity)) refuseKnob(name, 'above zero', knobs[name]);
  for (const name of notNegative)
    if (!(knobs[name] >= 0 && knobs[name] < Infinity)) refuseKnob(name, 'zero or more', knobs[name]);
  if (!(knobs.shared >= 0 && knobs.shared <= 1)) refuseKnob('shared', 'from 0 to 1', knobs.shared);
  if (knobs.solver === 'halfQuadratic' && knobs.smoothing === 0)
    refuseKnob('smoothing', 'above zero for "halfQuadratic"', 0);
  if (knobs.rank !== null && knobs.form === 'shots') refuseKnob('rank', 'null in the n × n form', knobs.rank);
  if (knobs.bandwidth !== null && !(knobs.bandwidth > 0)) refuseKnob('bandwidth', 'above zero', knobs.bandwidth);
  if (knobs.rank !== null && !(Number.isInteger(knobs.rank) && knobs.rank > 0))
    refuseKnob('rank', 'a positive whole number', knobs.rank);
  return knobs;
}

/**
 * Duality gap P − D relative to F(0): no point lies lower than F − gap·F(0).
 * The dual point is the negative gradient, shrunk by t ≤ 1 until the penalty's conjugate is finite there:
 *   D(t) = F(0) − ½t²·quad − t(1−t)·lin − ½(1−t)²·tr BᵀG⁺B  (and the same for Z̃) + √ε·Σ rows.
 * `null` where t < 1 and B leaves the span of the features, so that nothing is known below t = 1.
 */
function dualityGap(reduced: Reduced, outcome: Outcome, penalty: Penalty, epsilon: number): number | null {
  const { lin, linShared, quad, quadShared } = outcome.terms;
  const [t, rows] = epsilon === 0 ? exactRows(outcome, penalty) : smoothedRows(outcome, penalty, epsilon);
  const [own, shared] = [reduced.own.dualTrace, reduced.shared.dualTrace];
  if (t < 1 && (own === null || shared === null)) return null;
  const rest = (own ?? 0) + (shared ?? 0);
  const primal = (quad + quadShared) / 2 - lin - linShared + penaltyOf(outcome.a, outcome.b, epsilon, penalty);
  const dual = -(t * t * (quad + quadShared)) / 2 - t * (1 - t) * (lin + linShared) - ((1 - t) ** 2 * rest) / 2 + rows;
  return Math.max(0, primal - dual) / (reduced.own.atZero + reduced.shared.atZero);
}

/** ε = 0: every row must lie in K (penalty.ts), and adds nothing there. */
function exactRows({ gradient, gradientShared }: Outcome, penalty: Penalty): [number, number] {
  let entering = 1;
  for (let i = 0; i < gradient.length; i++) {
    entering = Math.max(entering, enteringScale(i, gradient[i]!, gradientShared[i]!, penalty));
  }
  return [1 / entering, 0];
}

/**
 * ε > 0: −g_i is split over the three norms of row i in the proportion of their own slopes,
 *   −g_i = w_i(λσ + βτ_u),  −g̃_i = w_i(λ̃σ̃ + βτ_v),    each of σ, σ̃, τ = (τ_u, τ_v) within the unit ball,
 * and adds  −(w_iλ√ε·√(1−‖σ‖²))*  and so on, the conjugate of √(‖z‖²+ε).
 */
function smoothedRows(
  { a, b, gradient, gradientShared }: Outcome,
  { own: lambda, shared: lambdaShared, joint: beta, prices }: Penalty,
  epsilon: number,
): [number, number] {
  const parts = new Float64Array(3 * a.length);
  let longest = 1;
  for (let i = 0; i < a.length; i++) {
    const [root, rootShared, joint] = [
      Math.sqrt(a[i]! + epsilon),
      Math.sqrt(b[i]! + epsilon),
      Math.sqrt(a[i]! + b[i]! + epsilon),
    ];
    // A half that does not count has no gradient and no slope.
    const own = gradient[i]! && gradient[i]! / prices[i]! / (lambda / root + beta / joint);
    const shared = gradientShared[i]! && gradientShared[i]! / prices[i]! / (lambdaShared / rootShared + beta / joint);
    parts.set([own / root, shared / rootShared, Math.hypot(own, shared) / joint], 3 * i);
    longest = Math.max(longest, parts[3 * i]!, parts[3 * i + 1]!, parts[3 * i + 2]!);
  }
  let sum = 0;
  for (let at = 0; at < parts.length; at++) {
    const length = parts[at]! / longest;
    const weight = prices[Math.floor(at / 3)]! * [lambda, lambdaShared, beta][at % 3]!;
    sum += weight * Math.sqrt(Math.max(0, 1 - length * length));
  }
  return [1 / longest, Math.sqrt(epsilon) * sum];
}
