import {
  rowOf,
  type Matrix,
  multiply,
  takeRows,
  transpose,
  zeros,
  cholesky,
  solveCholesky,
  takeColumns,
} from '../../base/index.js';
import type { Problem } from '../../topic/index.js';
import { ownRanking, refuseKnob } from '../ranking.js';
import type { Ranking, Selector, Step } from '../types.js';

/** The knobs of LiveLight, with their letters in the paper. */
export type LivelightKnobs = {
  /** ε0: a shot is novel when the dictionary leaves more than this share of its squared length over. */
  readonly threshold: number;
  /** The most atoms the dictionary may have. */
  readonly atoms: number;
  /** λ: the price of using atoms, for shots of length one. */
  readonly sparsity: number;
};

/** The knobs that are not given have these values: ε0 and the number of atoms as published, λ as in the examples of SPAMS. */
export const livelightDefaults: LivelightKnobs = { threshold: 0.15, atoms: 200, sparsity: 0.15 };

/**
 * LiveLight (Zhao and Xing, CVPR 2014): goes through the video once, in the order of the film, with a dictionary of what
 * was seen. A shot that the dictionary cannot rebuild is novel: it is kept, and learnt. Looks at the video alone.
 *   min_a ½‖x − Dᵀa‖² + λ‖a‖₁     x: the shot at length one; D: one atom a row
 * The paper has many descriptors a shot and a group for each atom, the atom's weights in all of them; with one
 * descriptor a shot a group is a single weight, and Σ_j ‖(a_1j … a_nj)‖₂ is ‖a‖₁.
 */
export function livelight(knobs: Partial<LivelightKnobs> = {}): Selector {
  const complete = checkKnobs({ ...livelightDefaults, ...knobs });
  return { name: 'livelight', select: (problem, onIteration) => watch(problem, complete, onIteration) };
}

/**
 * One step a shot: `objective` is the mean over the shots seen, `residual` the share of shots still to come. Pinned shots
 * are seen and learnt before the film begins; vetoed ones are seen but not kept, so that another shot may be novel for them.
 */
function watch(problem: Problem, knobs: LivelightKnobs, onIteration?: (step: Step) => void | 'stop'): Ranking {
  const { features, pinned = [], vetoed = [] } = problem;
  const { rows: shots, cols: dim } = features;
  const dictionary = newDictionary(dim, Math.min(knobs.atoms, shots), knobs.sparsity);
  const [scores, errors] = [new Float64Array(shots), new Float64Array(shots)];
  const trace: Step[] = [];
  let cost = 0;
  for (const [seen, shot] of viewingOrder(shots, pinned).entries()) {
    const x = atLengthOne(rowOf(features, shot));
    if (x !== null) {
      const { code, error } = dictionary.codeOf(x);
      cost += error / 2 + knobs.sparsity * code.reduce((sum, weight) => sum + Math.abs(weight), 0);
      errors[shot] = error;
      // The first shot begins the dictionary, whatever the threshold; so do pinned ones.
      const isNovel = error > knobs.threshold || code.length === 0 || seen < pinned.length;
      if (isNovel && !vetoed.includes(shot)) {
        scores[shot] = error;
        dictionary.learn(x, code);
      }
    }
    const step = { iteration: seen + 1, objective: cost / (seen + 1), residual: 1 - (seen + 1) / shots };
    trace.push(step);
    if (onIteration?.(step) === 'stop') break;
  }
  const residual = trace.at(-1)?.residual ?? 0;
  const certificate = { iterations: trace.length, converged: residual === 0, residual };
  return ownRanking(scores, errors, problem, { trace, certificate });
}

/** Pinned shots, then the others, each in the order of the film. */
function viewingOrder(shots: number, pinned: readonly number[]): number[] {
  const isPinned = new Set(pinned);
  const all = Array.from({ length: shots }, (_, shot) => shot);
  return [...all.filter((shot) => isPinned.has(shot)), ...all.filter((shot) => !isPinned.has(shot))];
}

/** A shot without content has nothing that could be novel. */
function atLengthOne(x: Float64Array): Float64Array | null {
  const length = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? x.map((value) => value / length) : null;
}

function checkKnobs(knobs: LivelightKnobs): LivelightKnobs {
  const { threshold, atoms, sparsity } = knobs;
  if (!(threshold >= 0 && threshold < Infinity)) refuseKnob('threshold', 'zero or more', threshold);
  if (!(Number.isInteger(atoms) && atoms > 0)) refuseKnob('atoms', 'a positive whole number', atoms);
  if (!(sparsity > 0 && sparsity < 1)) refuseKnob('sparsity', 'between 0 and 1', sparsity);
  return knobs;
}

/** A dictionary that learns from the shots it is given. Atoms are rows of length one at most. */
type Dictionary = {
  /** The atoms so far. */
  atoms(): Matrix;
  /** The sparse code of x, which has length one, over the atoms so far. */
  codeOf(x: Float64Array): Coded;
  /** Takes in a shot with its code. */
  learn(x: Float64Array, code: Float64Array): void;
};

/**
 * Online dictionary learning (Mairal, Bach, Ponce and Sapiro 2010, algorithms 1 and 2): the atoms minimise, over all that
 * was learnt,  Σ ½‖x − Dᵀa‖² = ½tr DᵀAD − tr DᵀB + const,  A = Σ aaᵀ,  B = Σ axᵀ  (D, B: one atom a row).
 * While there are fewer than `limit` atoms, a shot to learn becomes the next one.
 */
export function newDictionary(dim: number, limit: number, lambda: number): Dictionary {
  const [D, B] = [zeros(limit, dim), zeros(limit, dim)];
  const [A, G] = [zeros(limit, limit), zeros(limit, limit)];
  let size = 0;

  const remember = (x: Float64Array, code: Float64Array): void => {
    code.forEach((entry, j) => {
      if (entry === 0) return;
      for (let k = 0; k < code.length; k++) A.data[j * limit + k]! += entry * code[k]!;
      for (let k = 0; k < dim; k++) B.data[j * dim + k]! += entry * x[k]!;
    });
  };
  /** d_j ← d_j + (b_j − Σ_k A_jk d_k)/A_jj, brought back into the unit ball. */
  const improve = (j: number): void => {
    const fitted = multiply({ rows: 1, cols: limit, data: rowOf(A, j) }, D).data;
    const curvature = A.data[j * limit + j]!;
    const d = rowOf(D, j);
    for (let k = 0; k < dim; k++) d[k]! += (B.data[j * dim + k]! - fitted[k]!) / curvature;
    const length = Math.sqrt(d.reduce((sum, entry) => sum + entry * entry, 0));
    if (length > 1) for (let k = 0; k < dim; k++) d[k]! /= length;
  };
  const remeasure = (changed: readonly number[]): void => {
    const products = multiply(D, transpose(takeRows(D, changed)));
    changed.forEach((j, column) => {
      for (let k = 0; k < limit; k++) {
        G.data[k * limit + j] = products.data[k * changed.length + column]!;
        G.data[j * limit + k] = G.data[k * limit + j]!;
      }
    });
  };

  return {
    atoms: () => ({ rows: size, cols: dim, data: D.data.subarray(0, size * dim) }),
    codeOf: (x) => lasso(G, multiply(D, { rows: dim, cols: 1, data: x }).data.subarray(0, size), lambda),
    learn(x, code) {
      if (size < limit) {
        D.data.set(x, size * dim);
        // With x itself among the atoms its code is that atom alone: the rest λx is met by no atom with more than λ.
        const alone = new Float64Array(++size);
        alone[size - 1] = 1 - lambda;
        remember(x, alone);
        return remeasure([size - 1]);
      }
      // Only the atoms of this code have something new to fit.
      const used = [...code.keys()].filter((j) => code[j] !== 0);
      remember(x, code);
      used.forEach(improve);
      remeasure(used);
    },
  };
}

/** Sweeps between two attempts to finish at once. */
const SWEEPS = 10;

/** Attempts after which it gives up: then some atoms are nearly equal, and any code of them is as good. */
const MAX_ROUNDS = 100;

/** Added to the diagonal of G to finish: above its roundings, below the accuracy asked of a code. */
const RIDGE = 1e-12;

/** A code, and ‖x − Dᵀa‖² for it. */
type Coded = { readonly code: Float64Array; readonly error: number };

/**
 * minimise  ½‖x − Dᵀa‖² + λ‖a‖₁   for x of length one (D: one atom a row, of length one at most)
 * Only  G = DDᵀ  and  c = Dx  are needed; atoms are the first c.length rows of G. With  q = c − Ga,  a is optimal iff
 * q_j = λ·sign(a_j) where a_j ≠ 0 and |q_j| ≤ λ elsewhere. Coordinate descent finds the atoms and signs; once they are
 * right, a linear system gives a.
 */
export function lasso(G: Matrix, c: Float64Array, lambda: number): Coded {
  let at: Point = { a: new Float64Array(c.length), q: c.slice() };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (let sweep = 0; sweep < SWEEPS; sweep++) descend(G, at, lambda);
    const finished = finish(G, c, at, lambda);
    if (finished === null) continue;
    at = finished;
    break;
  }
  const { a, q } = at;
  // ‖x − Dᵀa‖² = 1 − 2a·c + aᵀGa = 1 − a·(c + q).
  let error = 1;
  for (let j = 0; j < a.length; j++) error -= a[j]! * (c[j]! + q[j]!);
  return { code: a, error: Math.max(0, error) };
}

type Point = { readonly a: Float64Array; readonly q: Float64Array };

/** One sweep: a_j ← S(q_j + G_jj·a_j, λ)/G_jj,  S(v, λ) = sign(v)·(|v| − λ)₊,  the best a_j for all others held. */
function descend(G: Matrix, { a, q }: Point, lambda: number): void {
  for (let j = 0; j < a.length; j++) {
    const curvature = G.data[j * G.cols + j]!;
    if (!(curvature > 0)) continue;
    const alone = q[j]! + curvature * a[j]!;
    const change = (Math.sign(alone) * Math.max(0, Math.abs(alone) - lambda)) / curvature - a[j]!;
    if (change === 0) continue;
    a[j]! += change;
    for (let k = 0; k < a.length; k++) q[k]! -= change * G.data[j * G.cols + k]!;
  }
}

/** The optimum, if it has the atoms and signs of `a`; else `null`. */
function finish(G: Matrix, c: Float64Array, { a }: Point, lambda: number): Point | null {
  const used = [...a.keys()].filter((j) => a[j] !== 0);
  const A = takeColumns(takeRows(G, used), used);
  for (let row = 0; row < A.rows; row++) A.data[row * A.cols + row]! += RIDGE;
  const b = Float64Array.from(used, (j) => c[j]! - lambda * Math.sign(a[j]!));
  const solved = solveCholesky(cholesky(A), { rows: used.length, cols: 1, data: b }).data;
  const found = new Float64Array(a.length);
  const q = Float64Array.from(c);
  used.forEach((j, row) => {
    found[j] = solved[row]!;
    for (let k = 0; k < q.length; k++) q[k]! -= found[j]! * G.data[j * G.cols + k]!;
  });
  const fits = found.every((weight, j) => Math.sign(weight) === Math.sign(a[j]!) && Math.abs(q[j]!) <= lambda + 1e-10);
  return fits ? { a: found, q } : null;
}
