import { leadingEigenvectors, type Matrix, mirrorLower, outerGram, rowOf, transpose } from '../../base/index.js';
import {
  centred,
  type ClusterKnobs,
  clusterByContent,
  clusterKnobs,
  type Clusters,
  rankByRounds,
  partition,
} from './clusters.js';
import { twinsOf } from '../ranking.js';
import type { Selector, Step } from '../types.js';

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
