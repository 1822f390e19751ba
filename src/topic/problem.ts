import { type Matrix, NumericError, requireFinite } from '../base/index.js';
import { mergeMoments, momentOf } from './moment.js';
import type { Moment, Neighbor, Problem } from './types.js';

/**
 * The problem of ranking a video's shots (rows of `features`) against the moment of the other videos.
 * A topic's own moment can be given whole: `ownWeight` says with which weight these shots are counted in it.
 */
export function problemOf(
  features: Matrix,
  context: Moment | null,
  { ownWeight = 0, neighbors }: { ownWeight?: number; neighbors?: readonly Neighbor[] } = {},
): Problem {
  requireFinite(features, 'the features');
  if (context !== null && context.dim !== features.cols) {
    throw new NumericError(
      'dim-mismatch',
      `Expected features of length ${context.dim} as in the topic, found ${features.cols}. Use one model for a whole topic.`,
    );
  }
  for (const neighbor of neighbors ?? []) {
    requireFinite(neighbor.features, "a neighbour's features");
    if (neighbor.features.cols !== features.cols) {
      throw new NumericError(
        'dim-mismatch',
        `Expected neighbours' features of length ${features.cols}, found ${neighbor.features.cols}.`,
      );
    }
  }
  // Taking the only shots out of a context leaves no context at all, not a matrix of roundings.
  const alone = context === null || context.shotCount === 0 || (ownWeight > 0 && context.shotCount <= features.rows);
  return {
    features,
    context: alone ? null : context,
    ownWeight: alone ? 0 : ownWeight,
    ...(neighbors === undefined ? {} : { neighbors }),
  };
}

/**
 * One problem for each video of a topic, given by their features, with as much of the other videos as a method wants to
 * know: nothing, their second moment, or their single shots.
 */
export function problemsOfTopic(videos: readonly Matrix[], others: 'none' | 'moment' | 'shots'): Problem[] {
  const topic = others === 'moment' ? mergeMoments(videos.map((features) => momentOf(features))) : null;
  const neighbors = videos.map((features): Neighbor => ({ features }));
  return videos.map((features, place) =>
    problemOf(features, topic, {
      ownWeight: topic ? 1 : 0,
      ...(others === 'shots' ? { neighbors: neighbors.toSpliced(place, 1) } : {}),
    }),
  );
}
