import { rowOf } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { newDictionary } from './dictionary.js';
import { ownRanking } from './ranking.js';
import { refuseKnob } from './refuse-knob.js';
import type { Ranking, Selector, Step } from './types.js';

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
