import { type ClusterKnobs, clusterByContent, clusterKnobs, rankByRounds } from './clusters.js';
import { partition } from './partition.js';
import type { Selector } from './types.js';

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
