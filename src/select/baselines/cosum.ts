import { type Matrix, multiply, rowOf, rowSquares, transpose } from '../../base/index.js';
import type { Neighbor, Problem } from '../../topic/index.js';
import { neighborsOf } from './cocluster.js';
import { rank, refuseKnob } from '../ranking.js';
import type { Ranking, Selector, Step, Support } from '../types.js';

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

/*
 * Bicliques of a weighted bipartite graph (Chu, Song and Jaimes, CVPR 2015). C_ij > 0 weighs an edge, C_ij = 0 is no edge.
 *   maximise  f(u, v) = uᵀCv − λ(1ᵀu + 1ᵀv)    with  0 ≤ u, v ≤ 1  and  u_i + v_j ≤ 1 where C_ij = 0
 * For a v of zeros and ones f is linear in each u_i by itself, so the best u has a closed form, and v for u likewise:
 *   u_i = 1 where C_ij > 0 for every j with v_j = 1 and (Cv)_i > λ,    u_i = 0 elsewhere
 * f never falls from update to update; where both repeat, no set of shots of one side can enter or leave with gain.
 */

/** Shots of one video (rows) that all match the same shots of another (columns), both in rising order. */
export type Biclique = {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  /** f of the block. */
  readonly objective: number;
};

export type BicliqueKnobs = {
  /** λ: the edge weight that a shot must bring to be worth its place. */
  readonly sparsity: number;
  /** At most this many bicliques are taken out of one graph. */
  readonly maxBicliques: number;
  /** Each search starts from this many rows, those with the most edge weight. */
  readonly starts: number;
};

/**
 * Bicliques with f > 0, the best found first; each loses its edges in C when the next one is asked for.
 * When none of the strongest rows leads to one, the others are tried, so the end means that no row does.
 */
export function* takeBicliques(
  C: Matrix,
  { sparsity, maxBicliques, starts }: BicliqueKnobs,
): Generator<Biclique, void> {
  const Ct = transpose(C);
  for (let taken = 0; taken < maxBicliques; taken++) {
    let best: Biclique | null = null;
    for (const [place, row] of rowsByWeight(C).entries()) {
      if (place >= starts && best !== null) break;
      const found = settle(C, Ct, grow(C, Ct, row, sparsity), sparsity);
      if (found.objective > (best?.objective ?? 0)) best = found;
    }
    if (best === null) return;
    yield best;
    for (const i of best.rows) {
      for (const j of best.columns) C.data[i * C.cols + j] = Ct.data[j * C.rows + i] = 0;
    }
  }
}

/** Block coordinate ascent: the columns that answer the rows, the rows that answer those, until the rows repeat. */
export function settle(C: Matrix, Ct: Matrix, start: readonly number[], lambda: number): Biclique {
  for (let rows = start; ;) {
    const columns = answer(Ct, rows, lambda);
    const next = answer(C, columns, lambda);
    if (next.length === rows.length && next.every((row, at) => row === rows[at])) {
      return { rows, columns, objective: objectiveOf(C, rows, columns, lambda) };
    }
    rows = next;
  }
}

/** The closed form: the rows with an edge to every column chosen and more than λ of weight there. With Cᵀ, the columns. */
export function answer({ rows: n, cols: m, data }: Matrix, chosen: readonly number[], lambda: number): number[] {
  const answering: number[] = [];
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let k = 0; k < chosen.length && sum >= 0; k++) {
      const c = data[i * m + chosen[k]!]!;
      sum = c > 0 ? sum + c : -1;
    }
    if (sum > lambda) answering.push(i);
  }
  return answering;
}

/** f(u, v) for the shots named. */
export function objectiveOf(C: Matrix, rows: readonly number[], columns: readonly number[], lambda: number): number {
  let sum = 0;
  for (const i of rows) for (const j of columns) sum += C.data[i * C.cols + j]!;
  return sum - lambda * (rows.length + columns.length);
}

/**
 * Where the updates start. From one row alone they would stop at the block of its own edges, so columns are given up for
 * rows, step by step: the row with the most of the columns left (then the most weight on them) is let in, the columns it
 * lacks go, and all rows that have every column left join. The rows with the best f on the way are the start.
 * A column goes once and a row joins once: rows × columns in all.
 */
function grow({ rows: n, cols: m, data }: Matrix, Ct: Matrix, start: number, lambda: number): number[] {
  const columns = new Int32Array(m);
  const [shared, overlap] = [new Int32Array(n), new Float64Array(n)];
  const count = (j: number, sign: 1 | -1): void => {
    for (let i = 0, at = j * n; i < n; i++, at++) {
      const c = Ct.data[at]!;
      if (c === 0) continue;
      shared[i]! += sign;
      overlap[i]! += sign * c;
    }
  };
  let left = 0;
  for (let j = 0; j < m; j++) {
    if (data[start * m + j] === 0) continue;
    columns[left++] = j;
    count(j, 1);
  }

  const rows: number[] = [];
  let [best, size] = [-Infinity, 0];
  for (let next = start; next >= 0;) {
    let kept = 0;
    for (let k = 0; k < left; k++) {
      const j = columns[k]!;
      if (data[next * m + j]! > 0) columns[kept++] = j;
      else count(j, -1);
    }
    left = kept;
    next = -1;
    let [inside, reach] = [0, 0];
    for (let i = 0; i < n; i++) {
      if (shared[i] === left) {
        rows.push(i);
        // Below zero from now on, whatever columns go later: the row has joined.
        shared[i] = -1;
      }
      reach += overlap[i]!;
      if (shared[i]! < 0) inside += overlap[i]!;
      else if (shared[i]! > 0 && (next < 0 || comesFirst(i, next))) next = i;
    }
    const objective = inside - lambda * (rows.length + left);
    if (objective > best) [best, size] = [objective, rows.length];
    // No later step can gather more than the weight that is left on the columns.
    if (reach - lambda * rows.length <= best) break;
  }
  return rows.slice(0, size).sort((i, j) => i - j);

  function comesFirst(i: number, j: number): boolean {
    return shared[i]! > shared[j]! || (shared[i] === shared[j] && overlap[i]! > overlap[j]!);
  }
}

/** The rows with edges, by the weight of their edges, largest first. */
function rowsByWeight(C: Matrix): number[] {
  const weights = new Float64Array(C.rows);
  for (let i = 0, at = 0; i < C.rows; i++) for (let j = 0; j < C.cols; j++, at++) weights[i]! += C.data[at]!;
  return Array.from(weights.keys())
    .filter((i) => weights[i]! > 0)
    .sort((i, j) => weights[j]! - weights[i]! || i - j);
}
