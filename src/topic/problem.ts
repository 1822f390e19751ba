import { type Matrix, NumericError, requireFinite } from '../base/index.js';
import { mergeMoments, momentOf, removeMoment } from './moment.js';
import type { Moment, Neighbor, Problem, Votes } from './types.js';

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
 * know: nothing, their second moment, or their single shots. Without `votes` every video counts once.
 */
export function problemsOfTopic(
  videos: readonly Matrix[],
  others: 'none' | 'moment' | 'shots',
  votes: Votes = { common: videos.map(() => 1) },
): Problem[] {
  const topic = others === 'moment' ? mergeMoments(voices(videos, votes.common)) : null;
  return videos.map((features, place) => {
    const weights = weightsFor(place, votes);
    if (others === 'shots') {
      const neighbors = videos.map((shots, v): Neighbor => ({ features: shots, weight: weights[v]! }));
      return problemOf(features, null, { neighbors: neighbors.filter(({ weight }) => weight !== 0) });
    }
    return topic === null ? problemOf(features, null) : problemInside(topic, place, weights, { videos, votes });
  });
}

/** The weight of every video in the eyes of one of them; its own is 0. */
export function weightsFor(video: number, { common, special }: Votes): number[] {
  return (special?.[video] ?? common).map((weight, other) => (other === video ? 0 : weight));
}

/** The topic's moment is taken as it is, or without the few that do not count for this video, or made anew. */
function problemInside(
  topic: Moment,
  video: number,
  weights: readonly number[],
  { videos, votes: { common } }: { videos: readonly Matrix[]; votes: Votes },
): Problem {
  const features = videos[video]!;
  const changed = [...weights.keys()].filter((other) => other !== video && weights[other] !== common[other]);
  if (changed.every((other) => weights[other] === 0) && 2 * changed.length < videos.length) {
    const context = changed.reduce((rest, other) => removeMoment(rest, momentOf(videos[other]!, common[other])), topic);
    return problemOf(features, context, { ownWeight: common[video]! });
  }
  return problemOf(features, mergeMoments(voices(videos, weights), features.cols));
}

/** The moments of the videos that count at all, one at a time. */
function* voices(videos: readonly Matrix[], weights: readonly number[]): Generator<Moment> {
  for (const [place, weight] of weights.entries()) if (weight > 0) yield momentOf(videos[place]!, weight);
}
