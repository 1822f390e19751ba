import {
  leadingEigenvectors,
  type Matrix,
  multiply,
  NumericError,
  outerGram,
  rowOf,
  takeRows,
  transpose,
  unitRows,
  zeros,
} from '../../base/index.js';
import type { Neighbor, Problem } from '../../topic/index.js';
import { rank } from '../ranking.js';
import type { Selector, Step, Support } from '../types.js';
import { type ClusterKnobs, clusterKnobs, type Clusters, contentOrder, partition } from './clusters.js';

/** Singular values of A_n are at most 1; below this they are roundings of zero, and their vectors say nothing. */
const SMALLEST_SINGULAR = 1e-6;

/** Similarities are kept while all of them are no more than these (128 MB), and else made again for each of three uses. */
const KEPT_SIMILARITIES = 2 ** 24;

/** Another video's shots, seen from this video. */
type Side = {
  readonly count: number;
  readonly weight: number;
  /** Where its shots begin among all points that are clustered: this video's shots, then the others'. */
  readonly first: number;
  /** Its columns of A. */
  readonly similarities: () => Matrix;
};

/**
 * Shots by what they have in common with the other videos' shots of their co-cluster (the paper's CoC): the video's shots
 * and all the others' are the two sides of one graph, which is cut so that a cluster holds shots of both sides. Memory is
 * n × n numbers and n × n_v for one neighbour at a time; n × ñ only where that is small.
 */
export function cocluster(knobs: ClusterKnobs = {}): Selector {
  const chosen = clusterKnobs(knobs);
  return {
    name: 'cocluster',
    select(problem, onIteration) {
      const { features } = problem;
      // Draws and roundings must not know which shot came first: all work is on the shots sorted by content.
      const order = contentOrder(features);
      const X = unitRows(takeRows(features, order));
      const sides = sidesOf(X, neighborsOf(problem, 'cocluster'));
      const { clusterOf, trace, certificate } = coclusters(X.rows, sides, chosen, onIteration);
      const common = commonGround(X, sides, clusterOf);
      const [scores, nearness] = [new Float64Array(X.rows), new Float64Array(X.rows)];
      const support: Support[][] = [];
      order.forEach((shot, place) => {
        scores[shot] = common.shared[place]!;
        nearness[shot] = common.ties[place]!;
        support[shot] = common.support[place]!;
      });
      const own = new Float64Array(X.rows);
      return { ...rank(scores, nearness, problem), scores, own, shared: scores.slice(), support, trace, certificate };
    },
  };
}

function sidesOf(X: Matrix, neighbors: readonly Neighbor[]): Side[] {
  const total = neighbors.reduce((sum, { features }) => sum + features.rows, 0);
  const isKept = X.rows * total <= KEPT_SIMILARITIES;
  let end = X.rows;
  return neighbors.map(({ features, weight = 1 }) => {
    const first = end;
    end += features.rows;
    const kept = isKept ? similarities(X, features) : null;
    const counted = weight > 0 ? weight : 0;
    return { count: features.rows, weight: counted, first, similarities: () => kept ?? similarities(X, features) };
  });
}

/**
 * Dhillon 2001, multipartitioning:  A_n = D₁^−½AD₂^−½, D₁ and D₂ the row and column sums of A;  u, v the singular vectors
 * 2 … l+1, l = ⌈log₂k⌉;  rows of [D₁^−½U; D₂^−½V] go through k-means. U comes from A_nA_nᵀ, V from U:
 * D₂^−½v = D₂⁻¹Aᵀ(D₁^−½u)/σ.  Shots of either side that are tied to nothing get no cluster: −1.
 */
function coclusters(
  n: number,
  sides: readonly Side[],
  { clusters, seed }: Required<ClusterKnobs>,
  onIteration?: (step: Step) => void | 'stop',
): Clusters {
  const { M, degrees } = moment(n, sides);
  const { values, vectors, converged } = leadingEigenvectors(M, Math.ceil(Math.log2(clusters)), 0);
  const singular = values.map((value) => Math.sqrt(Math.max(0, value))).filter((sigma) => sigma > SMALLEST_SINGULAR);
  const l = singular.length;
  const total = sides.reduce((sum, { count }) => sum + count, n);
  const [Z, weights] = [zeros(total, l), new Float64Array(total)];
  for (let i = 0; i < n; i++) {
    weights[i] = degrees[i]! > 0 ? 1 : 0;
    for (let k = 0; k < l; k++) Z.data[i * l + k] = vectors.data[k * n + i]! / (Math.sqrt(degrees[i]!) || 1);
  }
  const ZU: Matrix = { rows: n, cols: l, data: Z.data.slice(0, n * l) };
  for (const { weight, first, similarities } of sides) {
    const A = similarities();
    const AtZU = multiply(transpose(A), ZU);
    columnSums(A).forEach((sum, j) => {
      if (sum > 0) weights[first + j] = weight;
      for (let k = 0; k < l; k++) Z.data[(first + j) * l + k] = AtZU.data[j * l + k]! / ((sum || 1) * singular[k]!);
    });
  }
  const tied = [...weights.keys()].filter((point) => weights[point]! > 0);
  const found = partition(
    takeRows(Z, tied),
    // l vectors tell at most 2^l clusters apart.
    { clusters: Math.min(clusters, 2 ** l), seed, weights: Float64Array.from(tied, (point) => weights[point]!) },
    onIteration,
  );
  const clusterOf = new Int32Array(total).fill(-1);
  tied.forEach((point, place) => (clusterOf[point] = found.clusterOf[place]!));
  const certificate = { ...found.certificate, converged: found.certificate.converged && converged };
  return { clusterOf, trace: found.trace, certificate };
}

/**
 * A_nA_nᵀ without its first eigenvector D₁^½1, which says nothing:  Σ_v w_v D₁^−½A_vD₂⁻¹A_vᵀD₁^−½ − D₁^½11ᵀD₁^½/1ᵀD₁1.
 * A weight of w multiplies the neighbour's columns, which is the same as w copies of it.
 */
function moment(n: number, sides: readonly Side[]): { M: Matrix; degrees: Float64Array } {
  const M = zeros(n, n);
  const degrees = new Float64Array(n);
  for (const { weight, similarities } of sides) {
    const A = similarities();
    const scales = columnSums(A).map((sum) => (sum > 0 ? Math.sqrt(weight / sum) : 0));
    for (let i = 0; i < n; i++) degrees[i]! += weight * sumOf(rowOf(A, i));
    const scaled: Matrix = { ...A, data: A.data.map((tie, at) => tie * scales[at % A.cols]!) };
    outerGram(scaled).data.forEach((value, at) => (M.data[at]! += value));
  }
  const total = sumOf(degrees);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const root = Math.sqrt(degrees[i]!) * Math.sqrt(degrees[j]!);
      M.data[i * n + j] = root > 0 ? M.data[i * n + j]! / root - root / total : 0;
    }
  }
  return { M, degrees };
}

/**
 * What each shot has in common with the others:  s_i = Σ_v w_v/(W n_v) Σ_j A_ij over the shots j of video v in i's cluster,
 * W the sum of all weights; `ties` is the same over all shots of v. Without other videos the ties are those to one's own.
 */
function commonGround(
  X: Matrix,
  sides: readonly Side[],
  clusterOf: Int32Array,
): { shared: Float64Array; ties: Float64Array; support: Support[][] } {
  const [shared, ties] = [new Float64Array(X.rows), new Float64Array(X.rows)];
  const found = Array.from(shared, (): Support[] => []);
  const total = sides.reduce((sum, { count, weight }) => sum + (count > 0 ? weight : 0), 0);
  if (!(total > 0)) similarities(X, X).data.forEach((tie, at) => (ties[Math.floor(at / X.rows)]! += tie / X.rows));
  sides.forEach(({ count, weight, first, similarities }, neighbor) => {
    const A = similarities();
    const each = weight > 0 ? weight / (total * count) : 0;
    for (let i = 0; i < X.rows; i++) {
      let [part, shot]: [number, number | null] = [0, null];
      const row = rowOf(A, i);
      row.forEach((tie, j) => {
        ties[i]! += each * tie;
        if (clusterOf[i]! < 0 || clusterOf[first + j] !== clusterOf[i] || !(tie > 0)) return;
        part += each * tie;
        if (shot === null || tie > row[shot]!) shot = j;
      });
      shared[i]! += part;
      found[i]!.push({ neighbor, share: part, shot, weight: shot === null ? null : row[shot]! });
    }
  });
  const support = found.map((parts, i) => parts.map((part) => ({ ...part, share: part.share / (shared[i]! || 1) })));
  return { shared, ties, support };
}

/** A: the cosine of each shot with each of the others, never below zero; 0 for a shot without content. */
function similarities(X: Matrix, others: Matrix): Matrix {
  const A = multiply(X, transpose(unitRows(others)));
  for (let at = 0; at < A.data.length; at++) A.data[at] = Math.max(0, A.data[at]!);
  return A;
}

function columnSums(A: Matrix): Float64Array {
  const sums = new Float64Array(A.cols);
  for (let i = 0; i < A.rows; i++) rowOf(A, i).forEach((value, j) => (sums[j]! += value));
  return sums;
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The other videos' shots, for a method that compares shot with shot; a moment alone is refused. */
export function neighborsOf({ context, neighbors }: Problem, method: string): readonly Neighbor[] {
  if (neighbors !== undefined || context === null) return neighbors ?? [];
  throw new NumericError(
    'needs-neighbors',
    `Method "${method}" compares shot with shot, and only the moment of the other videos was given. Give their features as neighbours.`,
  );
}
