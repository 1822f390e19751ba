import {
  leadingEigenvectors,
  type Matrix,
  mirrorLower,
  multiply,
  outerGram,
  random,
  type Random,
  rowOf,
  rowSquares,
  semidefiniteFactor,
  squaredDistance,
  takeRows,
  transpose,
  zeros,
} from '../../base/index.js';
import type { Problem } from '../../topic/index.js';
import { AT_ONCE, type Ending, ownRanking, rank, refuseKnob, twinsOf } from '../ranking.js';
import type { Ranking, Selector, Step } from '../types.js';

/** The knobs of the methods that cluster. */
export type ClusterKnobs = {
  /** How many clusters, where there are as many different shots. The paper has 20. */
  readonly clusters?: number;
  /** Seed of the random starts. */
  readonly seed?: number;
};

/** Points in clusters, numbered from 0, none of them empty; and how they were found. */
export type Clusters = Ending & { readonly clusterOf: Int32Array };

/** The knobs with their defaults. */
export function clusterKnobs({ clusters = 20, seed = 1 }: ClusterKnobs): Required<ClusterKnobs> {
  if (!(Number.isInteger(clusters) && clusters > 0)) refuseKnob('clusters', 'a whole number above 0', clusters);
  return { clusters, seed };
}

/**
 * Clusters of shots that do not depend on the film's order: `cluster` gets the shots sorted by their vectors, so that
 * neither its random draws nor its roundings know which shot came first.
 */
function clusterByContent(features: Matrix, cluster: (sorted: Matrix) => Clusters): Clusters {
  const order = contentOrder(features);
  const found = cluster(takeRows(features, order));
  const clusterOf = new Int32Array(features.rows);
  order.forEach((shot, place) => (clusterOf[shot] = found.clusterOf[place]!));
  return { ...found, clusterOf };
}

/** Shots sorted by their vectors, first entry first. */
export function contentOrder(features: Matrix): number[] {
  const rows = Array.from({ length: features.rows }, (_, shot) => rowOf(features, shot));
  return Array.from(rows.keys()).sort((i, j) => {
    const [left, right] = [rows[i]!, rows[j]!];
    const differs = left.findIndex((value, k) => value !== right[k]);
    return differs < 0 ? i - j : left[differs]! - right[differs]!;
  });
}

/** The points relative to their mean: distances stay, and products lose no digits to a common offset. */
export function centred(points: Matrix, weights?: Float64Array): Matrix {
  const mean = centroidsOf(points, new Int32Array(points.rows), weights).data;
  return { ...points, data: points.data.map((value, at) => value - mean[at % points.cols]!) };
}

/** The mean of each cluster's points, one row a cluster. */
export function centroidsOf(points: Matrix, clusterOf: Int32Array, weights?: Float64Array): Matrix {
  const count = clusterOf.reduce((most, cluster) => Math.max(most, cluster + 1), 1);
  const C = zeros(count, points.cols);
  const masses = new Float64Array(count);
  for (let i = 0; i < points.rows; i++) {
    const [cluster, weight] = [clusterOf[i]!, weights?.[i] ?? 1];
    const [from, to] = [i * points.cols, cluster * points.cols];
    masses[cluster]! += weight;
    for (let k = 0; k < points.cols; k++) C.data[to + k]! += weight * points.data[from + k]!;
  }
  for (let at = 0; at < C.data.length; at++) C.data[at]! /= masses[Math.floor(at / points.cols)]! || 1;
  return C;
}

/** Squared distance of every point from its cluster's centroid. */
export function gapsOf(points: Matrix, clusterOf: Int32Array, centroids: Matrix): Float64Array {
  return Float64Array.from(clusterOf, (cluster, i) => squaredDistance(rowOf(points, i), rowOf(centroids, cluster)));
}

/**
 * From the largest cluster down, the shot nearest its centroid; its score is the cluster's share of all shots. The other
 * shots score zero and follow in rounds: the second nearest of each cluster, larger clusters first, then the third. A
 * pinned shot counts as nearest and so represents its cluster; a vetoed one never does.
 */
export function rankByRounds(problem: Problem, { clusterOf, trace, certificate }: Clusters): Ranking {
  const { features, vetoed = [] } = problem;
  const scores = new Float64Array(features.rows);
  const nearness = new Float64Array(features.rows);
  const members = membersByNearness(problem, clusterOf).sort((one, other) => other.length - one.length);
  for (const shots of members) if (!vetoed.includes(shots[0]!)) scores[shots[0]!] = shots.length / features.rows;
  let level = features.rows;
  for (let round = 1; round < (members[0]?.length ?? 0); round++) {
    let size = Infinity;
    for (const shots of members) {
      if (shots.length <= round) break;
      // Clusters of one size tie, as their representatives do.
      if (shots.length < size) [size, level] = [shots.length, level - 1];
      nearness[shots[round]!] = level;
    }
  }
  return ownRanking(scores, nearness, problem, { trace, certificate });
}

/** Shots of each cluster, nearest its centroid first; equally near ones in film order, pinned ones before, vetoed behind. */
function membersByNearness({ features, pinned, vetoed }: Problem, clusterOf: Int32Array): number[][] {
  const centroids = centroidsOf(features, clusterOf);
  const gaps = gapsOf(features, clusterOf, centroids);
  const farthest = gaps.reduce((most, gap) => Math.max(most, gap), 0);
  const members = Array.from({ length: centroids.rows }, (): number[] => []);
  // Twice the farthest keeps all keys of similar size, so that `rank` sees the two shots of a cluster of two as a tie.
  const keys = gaps.map((gap) => 2 * farthest - gap);
  for (const shot of rank(keys, undefined, { pinned, vetoed }).order) members[clusterOf[shot]!]!.push(shot);
  return members.filter((shots) => shots.length > 0);
}

/** The shots nearest the centroids of the largest k-means clusters (the paper's CK). The other videos play no part. */
export function kmeans(knobs: ClusterKnobs = {}): Selector {
  const chosen = clusterKnobs(knobs);
  return {
    name: 'kmeans',
    select: (problem, onIteration) =>
      rankByRounds(
        problem,
        clusterByContent(problem.features, (sorted) => partition(sorted, chosen, onIteration)),
      ),
  };
}

/*
 * k-means: minimise Σ w_i ‖x_i − c(i)‖² over partitions of the points, c(i) the mean of the cluster x_i is in.
 * Seeded as in Arthur & Vassilvitskii 2007 (k-means++), then improved point by point (Hartigan 1975), which also leaves
 * partitions that Lloyd's steps are stuck in. Not ml-kmeans: it stops at an absolute distance whatever the features' scale,
 * may return empty clusters, and is slow at the length of ours.
 */

/** Starts from fresh centres, the best kept. On 25 videos of TVSum ten end 0.5 % above the best of eighty, one alone 3 %. */
const STARTS = 10;

/** Sweeps over all points from one start, at most. */
const MAX_SWEEPS = 300;

/** A start is left when a sweep moves no more than this share of the points; only the best goes on to the end. */
const FEW = 1e-2;

/** Squared distances below this share of the largest squared length are taken for roundings. */
const SAME = 1e-12;

/** Where one start led. */
type Run = { readonly clusterOf: Int32Array; readonly inertia: number; readonly converged: boolean };

/** The points as they are worked on. */
type Cloud = {
  readonly X: Matrix;
  readonly squares: Float64Array;
  readonly weights: Float64Array;
  /** Squared distance that counts as none. */
  readonly none: number;
};

/**
 * The points in at most `clusters` clusters, none of them empty: fewer only where fewer points differ. A weight of w counts
 * a point as if it were there w times. `onIteration` sees one step a start, with the lowest sum so far as the objective.
 */
export function partition(
  points: Matrix,
  { clusters, seed, weights }: { clusters: number; seed: number; weights?: Float64Array },
  onIteration?: (step: Step) => void | 'stop',
): Clusters {
  if (points.rows === 0) return { clusterOf: new Int32Array(0), ...AT_ONCE };
  const cloud = cloudOf(points, weights ?? new Float64Array(points.rows).fill(1));
  const numbers = random(seed);
  const trace: Step[] = [];
  let best: Run | null = null;
  let reported: void | 'stop' = undefined;
  while (trace.length < STARTS && reported !== 'stop') {
    const iteration = trace.length + 1;
    const run = descend(cloud, drawClusters(cloud, clusters, numbers), FEW * points.rows);
    // The same partition found again may differ in the last digits; the first one stays.
    if (best === null || run.inertia < best.inertia * (1 - SAME)) best = run;
    if (iteration === STARTS) best = descend(cloud, best.clusterOf, 0);
    const step = { iteration, objective: best.inertia, residual: 1 - iteration / STARTS };
    trace.push(step);
    reported = onIteration?.(step);
  }
  const residual = trace.at(-1)!.residual;
  const certificate = { iterations: trace.length, converged: residual === 0 && best!.converged, residual };
  return { clusterOf: best!.clusterOf, trace, certificate };
}

function cloudOf(points: Matrix, weights: Float64Array): Cloud {
  const whole = centred(points, weights);
  // Inner products alone decide: X·Xᵀ = P·Pᵀ, and few points of many coordinates need far fewer in P.
  const X = 2 * whole.rows <= whole.cols ? semidefiniteFactor(outerGram(whole)) : whole;
  const squares = rowSquares(X);
  return { X, squares, weights, none: SAME * squares.reduce((most, square) => Math.max(most, square), 0) };
}

/** The first clusters: centres drawn by squared distance from those before, the best of a few draws; points to the nearest. */
function drawClusters(cloud: Cloud, clusters: number, numbers: Random): Int32Array {
  const { X, weights, none } = cloud;
  // As many draws a centre as the authors' own greedy variant takes.
  const draws = 2 + Math.floor(Math.log(clusters));
  const clusterOf = new Int32Array(X.rows);
  let gaps = gapsFrom(cloud, [drawBy(weights, numbers)])[0]!;
  for (let cluster = 1; cluster < Math.min(clusters, X.rows); cluster++) {
    const chances = gaps.map((gap, i) => (gap > none ? weights[i]! * gap : 0));
    if (!chances.some((chance) => chance > 0)) break;
    const drawn = gapsFrom(
      cloud,
      Array.from({ length: draws }, () => drawBy(chances, numbers)),
    );
    const left = drawn.map((from) => from.reduce((sum, gap, i) => sum + weights[i]! * Math.min(gap, gaps[i]!), 0));
    const nearer = drawn[left.indexOf(Math.min(...left))]!;
    gaps = gaps.map((gap, i) => {
      if (nearer[i]! < gap) clusterOf[i] = cluster;
      return Math.min(gap, nearer[i]!);
    });
  }
  return clusterOf;
}

/** An index, each as likely as its chance says. */
function drawBy(chances: Float64Array, { next }: Random): number {
  let left = next() * chances.reduce((sum, chance) => sum + chance, 0);
  let last = 0;
  for (let i = 0; i < chances.length; i++) {
    if (!(chances[i]! > 0)) continue;
    last = i;
    left -= chances[i]!;
    if (left < 0) break;
  }
  return last;
}

/** Squared distances of all points from each of the points named. Equal points are at exactly zero. */
function gapsFrom({ X, squares }: Cloud, named: readonly number[]): Float64Array[] {
  const XC = transpose(multiply(X, transpose(takeRows(X, named))));
  return named.map((point, k) => rowOf(XC, k).map((product, i) => squares[i]! - 2 * product + squares[point]!));
}

/**
 * Hartigan's steps: a point x of weight w goes from cluster a to b when that lowers the sum, both centres moving with it:
 *   m_a/(m_a − w)·‖x − c_a‖² > m_b/(m_b + w)·‖x − c_b‖²,   m the weight of a cluster.
 * A sweep looks with the centres it began with, in one product, and asks again with those of the moment before it moves.
 */
function descend({ X, squares, weights, none }: Cloud, start: Int32Array, few: number): Run {
  const clusterOf = start.slice();
  const sizes = new Int32Array(clusterOf.length);
  clusterOf.forEach((cluster) => sizes[cluster]!++);
  let moved = Infinity;
  for (let sweep = 0; sweep < MAX_SWEEPS && moved > few; sweep++) {
    // Fresh every time, so that the roundings of single moves do not add up.
    const C = centroidsOf(X, clusterOf, weights);
    const masses = new Float64Array(C.rows);
    clusterOf.forEach((cluster, i) => (masses[cluster]! += weights[i]!));
    const [XC, norms] = [multiply(X, transpose(C)), rowSquares(C)];
    moved = 0;
    for (let i = 0; i < X.rows; i++) {
      const [a, w] = [clusterOf[i]!, weights[i]!];
      if (sizes[a]! === 1) continue;
      let b = a;
      let least = Infinity;
      for (let k = 0; k < C.rows; k++) {
        const cost = (masses[k]! / (masses[k]! + w)) * (squares[i]! + norms[k]! - 2 * XC.data[i * C.rows + k]!);
        if (k !== a && cost < least) [b, least] = [k, cost];
      }
      const saved = (masses[a]! / (masses[a]! - w)) * (squares[i]! + norms[a]! - 2 * XC.data[i * C.rows + a]!);
      if (!(saved - least > none)) continue;
      const x = rowOf(X, i);
      const [ca, cb] = [rowOf(C, a), rowOf(C, b)];
      const [ma, mb] = [masses[a]!, masses[b]!];
      if (!((ma / (ma - w)) * squaredDistance(x, ca) - (mb / (mb + w)) * squaredDistance(x, cb) > none)) continue;
      for (let j = 0; j < x.length; j++) {
        ca[j]! -= (w / (ma - w)) * (x[j]! - ca[j]!);
        cb[j]! += (w / (mb + w)) * (x[j]! - cb[j]!);
      }
      masses[a] = ma - w;
      masses[b] = mb + w;
      sizes[a]!--;
      sizes[b]!++;
      clusterOf[i] = b;
      moved++;
    }
  }
  const gaps = gapsOf(X, clusterOf, centroidsOf(X, clusterOf, weights));
  return { clusterOf, inertia: gaps.reduce((sum, gap, i) => sum + weights[i]! * gap, 0), converged: moved === 0 };
}

/** A shot's own scale is its distance from the neighbour of this rank (Zelnik-Manor & Perona 2004, section 2). */
const SCALE_NEIGHBOR = 7;

/**
 * The shots nearest the centroids of the largest spectral clusters (the paper's CS): clusters follow chains of similar
 * shots and need not be round. The other videos play no part.
 */
export function spectral(knobs: ClusterKnobs = {}): Selector {
  const chosen = clusterKnobs(knobs);
  return {
    name: 'spectral',
    select: (problem, onIteration) =>
      rankByRounds(
        problem,
        clusterByContent(problem.features, (sorted) => spectralClusters(sorted, chosen, onIteration)),
      ),
  };
}

/**
 * Ng, Jordan, Weiss 2001:  W_ij = exp(−‖x_i − x_j‖²/σ_iσ_j), W_ii = 0;  L = D^−½WD^−½, D the row sums of W;
 * rows of L's k leading eigenvectors, brought to length one, go through k-means.
 */
function spectralClusters(
  features: Matrix,
  { clusters, seed }: Required<ClusterKnobs>,
  onIteration?: (step: Step) => void | 'stop',
): Clusters {
  const different = new Set(twinsOf(features)).size;
  const k = Math.min(clusters, different);
  const { vectors, converged } = leadingEigenvectors(normalised(similarityGraph(features)), k, -1);
  const rows = transpose(vectors);
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(rows, i);
    const length = Math.hypot(...row);
    if (length > 0) row.forEach((entry, j) => (row[j] = entry / length));
  }
  const { certificate, ...found } = partition(rows, { clusters: k, seed }, onIteration);
  return { ...found, certificate: { ...certificate, converged: certificate.converged && converged } };
}

/** W, in the memory of the inner products it is made from. */
function similarityGraph(features: Matrix): Matrix {
  const W = outerGram(centred(features));
  const n = W.rows;
  const squares = Float64Array.from({ length: n }, (_, i) => W.data[i * n + i]!);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) W.data[i * n + j] = Math.max(0, squares[i]! + squares[j]! - 2 * W.data[i * n + j]!);
  }
  const scales = Float64Array.from({ length: n }, (_, i) => Math.sqrt(scaleOf(rowOf(W, i))));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const gap = W.data[i * n + j]!;
      W.data[i * n + j] = gap === 0 ? 1 : Math.exp(-gap / (scales[i]! * scales[j]!));
    }
    W.data[i * n + i] = 0;
  }
  mirrorLower(W);
  return W;
}

/** Squared distance to the seventh nearest of the shots that differ from this one, or to the last where there are fewer. */
function scaleOf(gaps: Float64Array): number {
  const nearest: number[] = [];
  for (const gap of gaps) {
    if (gap === 0 || (nearest.length === SCALE_NEIGHBOR && gap >= nearest.at(-1)!)) continue;
    nearest.splice(nearest.findLastIndex((other) => other <= gap) + 1, 0, gap);
    nearest.length = Math.min(nearest.length, SCALE_NEIGHBOR);
  }
  return nearest.at(-1) ?? 0;
}

/** D^−½WD^−½ in W's own memory. A shot like no other is tied to itself, and so a cluster of its own. */
function normalised(W: Matrix): Matrix {
  const n = W.rows;
  const roots = Float64Array.from({ length: n }, (_, i) => Math.sqrt(rowOf(W, i).reduce((sum, tie) => sum + tie, 0)));
  for (let i = 0; i < n; i++) {
    if (roots[i] === 0) W.data[i * n + i] = 1;
    else for (let j = 0; j < n; j++) W.data[i * n + j]! /= roots[i]! * (roots[j]! || 1);
  }
  return W;
}
