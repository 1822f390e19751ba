import { type Matrix, multiply, rowOf, rowSquares, transpose } from '../base/index.js';
import type { Neighbor, Problem } from '../topic/index.js';
import { type Biclique, takeBicliques } from './bicliques.js';
import { neighborsOf } from './neighbors.js';
import { rank } from './ranking.js';
import { refuseKnob } from './refuse-knob.js';
import type { Ranking, Selector, Step, Support } from './types.js';

/** The knobs of video co-summarisation. */
export type CosumKnobs = {
  /** ε: two shots at least this similar are joined by an edge. */
  readonly threshold: number;
  /** λ: the edge weight a shot must bring to a biclique to be worth its place. */
  readonly sparsity: number;
  /** What is subtracted from every vector before cosines are computed: the mean of the topic's shots, or nothing. */
  readonly centering: 'topic' | 'none';
  /** At most this many bicliques are counted for each other video. */
  readonly maxBicliques: number;
  /** The search for each biclique starts from this many shots, those with the most edge weight. */
  readonly starts: number;
};

/** The knobs that are not given have these values. */
export const cosumDefaults: CosumKnobs = {
  threshold: 0.3,
  sparsity: 0.3,
  centering: 'none',
  maxBicliques: 20,
  starts: 2,
};

/**
 * Video co-summarisation (Chu, Song and Jaimes, CVPR 2015): ranks shots by how much they co-occur with shots of the other
 * videos, one video at a time; what counts are blocks of shots that all look alike across the two. Deterministic.
 */
export function cosum(knobs: Partial<CosumKnobs> = {}): Selector {
  const complete = checkKnobs({ ...cosumDefaults, ...knobs });
  return { name: 'cosum', select: (problem, onIteration) => solve(problem, complete, onIteration) };
}

function solve(problem: Problem, knobs: CosumKnobs, onIteration?: (step: Step) => void | 'stop'): Ranking {
  const neighbors = neighborsOf(problem, 'cosum');
  const center = knobs.centering === 'topic' ? topicMean(problem.features, neighbors) : null;
  const own = directionsOf(problem.features, center);
  const [scores, nearness] = [new Float64Array(own.rows), new Float64Array(own.rows)];
  const support: Support[][] = Array.from(scores, () => []);
  const trace: Step[] = [];
  let [collected, stopped] = [0, false];
  for (const [neighbor, { features, weight = 1 }] of neighbors.entries()) {
    if (weight === 0) continue;
    const C = multiply(own, transpose(directionsOf(features, center)));
    addStrongest(nearness, C, weight);
    for (let at = 0; at < C.data.length; at++) if (C.data[at]! < knobs.threshold) C.data[at] = 0;
    const matches = Array.from(scores, (): Match => ({ sum: 0, shot: -1, edge: 0 }));
    for (const biclique of takeBicliques(C, knobs)) {
      collected += weight * countEdges(C, biclique, matches);
      const step = { iteration: trace.length + 1, objective: -collected, residual: 1 - neighbor / neighbors.length };
      trace.push(step);
      stopped = onIteration?.(step) === 'stop';
      if (stopped) break;
    }
    matches.forEach(({ sum, shot, edge }, i) => {
      if (sum === 0) return;
      scores[i]! += weight * sum;
      support[i]!.push({ neighbor, share: weight * sum, shot, weight: edge });
    });
    if (stopped) break;
  }
  return {
    ...rank(scores, nearness, problem),
    scores,
    own: new Float64Array(scores.length),
    shared: scores.slice(),
    support: support.map((parts, i) => parts.map((part) => ({ ...part, share: part.share / scores[i]! }))),
    trace,
    certificate: { iterations: trace.length, converged: !stopped, residual: stopped ? trace.at(-1)!.residual : 0 },
  };
}

/** What a shot has in the bicliques of one pair of videos: the weight of its edges, and the strongest of them. */
type Match = { sum: number; shot: number; edge: number };

/** Adds the edges of a biclique to the matches of its shots; returns their weight. */
function countEdges(C: Matrix, { rows, columns }: Biclique, matches: Match[]): number {
  let total = 0;
  for (const i of rows) {
    const match = matches[i]!;
    for (const j of columns) {
      const c = C.data[i * C.cols + j]!;
      match.sum += c;
      total += c;
      if (c > match.edge) [match.shot, match.edge] = [j, c];
    }
  }
  return total;
}

/** Adds each shot's strongest similarity to the shots of one neighbour; below zero nothing is near. */
function addStrongest(nearness: Float64Array, C: Matrix, weight: number): void {
  for (let i = 0, at = 0; i < C.rows; i++) {
    let strongest = 0;
    for (let j = 0; j < C.cols; j++, at++) strongest = Math.max(strongest, C.data[at]!);
    nearness[i]! += weight * strongest;
  }
}

/** The mean over the shots of all videos, a neighbour's by its weight. */
function topicMean(features: Matrix, neighbors: readonly Neighbor[]): Float64Array {
  const mean = new Float64Array(features.cols);
  let count = 0;
  for (const { features: shots, weight = 1 } of [{ features }, ...neighbors]) {
    for (let at = 0; at < shots.data.length; at++) mean[at % shots.cols]! += weight * shots.data[at]!;
    count += weight * shots.rows;
  }
  return mean.map((sum) => (count > 0 ? sum / count : 0));
}

/** A row this near to the centre, relative to its own length, counts as the centre: the rest is roundings. */
const AT_CENTER = 1e-9;

/** Rows less the centre, scaled to length one; a row at the centre is zero, similar to nothing. */
function directionsOf(features: Matrix, center: Float64Array | null): Matrix {
  const directions: Matrix = { ...features, data: features.data.slice() };
  if (center) for (let at = 0; at < features.data.length; at++) directions.data[at]! -= center[at % features.cols]!;
  const [before, after] = [rowSquares(features), rowSquares(directions)];
  for (let i = 0; i < features.rows; i++) {
    const length = Math.sqrt(after[i]!);
    const scale = length > AT_CENTER * Math.sqrt(before[i]!) ? 1 / length : 0;
    rowOf(directions, i).forEach((value, k, row) => (row[k] = value * scale));
  }
  return directions;
}

function checkKnobs(knobs: CosumKnobs): CosumKnobs {
  if (!(knobs.threshold > 0 && knobs.threshold <= 1))
    refuseKnob('threshold', 'above zero and at most one', knobs.threshold);
  if (!(knobs.sparsity >= 0 && knobs.sparsity < Infinity)) refuseKnob('sparsity', 'zero or more', knobs.sparsity);
  for (const name of ['maxBicliques', 'starts'] as const) {
    if (!(Number.isInteger(knobs[name]) && knobs[name] > 0)) refuseKnob(name, 'a positive whole number', knobs[name]);
  }
  return knobs;
}
