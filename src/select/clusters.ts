import { type Matrix, rowOf, squaredDistance, takeRows, zeros } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { type Ending, ownRanking, rank } from './ranking.js';
import { refuseKnob } from './refuse-knob.js';
import type { Ranking } from './types.js';

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
export function clusterByContent(features: Matrix, cluster: (sorted: Matrix) => Clusters): Clusters {
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
