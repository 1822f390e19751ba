import { type Matrix, NumericError, requireFinite } from '../base/index.js';
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
