import { type Matrix, NumericError } from '../base/index.js';
import { mergeMoments, momentOf, removeMoment, sumInRuns } from './moment.js';
import type { Moment, Neighbor, Problem, Votes } from './types.js';
import { requireContext, requireUsable } from './usable.js';

/**
 * The problem of ranking a video's shots (rows of `features`) against the moment of the other videos.
 * A topic's own moment can be given whole: `ownWeight` says with which weight these shots are counted in it.
 */
export function problemOf(
  features: Matrix,
  context: Moment | null,
  { ownWeight = 0, neighbors }: { ownWeight?: number; neighbors?: readonly Neighbor[] } = {},
): Problem {
  requireUsable(features, 'the features');
  if (context !== null && context.dim !== features.cols) {
    throw new NumericError(
      'dim-mismatch',
      `Expected features of length ${context.dim} as in the topic, found ${features.cols}. Use one model for a whole topic.`,
    );
  }
  if (context !== null) requireContext(context);
  for (const neighbor of neighbors ?? []) {
    requireUsable(neighbor.features, "a neighbour's features");
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

/** What a method wants to know of the other videos: nothing, their second moment, or their single shots. */
export type Others = 'none' | 'moment' | 'shots';

/** A topic as seen from one of its videos. */
export type Topic = {
  /** Of all its videos with their common weights (`momentOfTopic`); needed where a method wants the moment. */
  readonly moment: Moment | null;
  readonly votes: Votes;
  /** The shots of a video. Asked for its own, and for others only where single ones matter. */
  featuresOf(video: number): Matrix;
};

/** The moment of a topic, each video with its common weight. */
export function momentOfTopic(videos: readonly Matrix[], { common }: Votes): Moment {
  return sumInRuns(voices((video) => videos[video]!, common));
}

/** One problem for each video of a topic, given by their features. Without `votes` every video counts once. */
export function problemsOfTopic(
  videos: readonly Matrix[],
  others: Others,
  votes: Votes = { common: videos.map(() => 1) },
): Problem[] {
  const moment = others === 'moment' ? momentOfTopic(videos, votes) : null;
  const topic: Topic = { moment, votes, featuresOf: (video) => videos[video]! };
  return videos.map((_, video) => problemInTopic(video, others, topic));
}

/** The problem of one video of a topic, with as much of the other videos as a method wants to know. */
export function problemInTopic(video: number, others: Others, topic: Topic): Problem {
  const features = topic.featuresOf(video);
  if (others === 'none') return problemOf(features, null);
  if (others === 'moment') return problemInside(video, topic);
  const neighbors = weightsFor(video, topic.votes).flatMap((weight, other): Neighbor[] =>
    weight === 0 ? [] : [{ features: topic.featuresOf(other), weight }],
  );
  return problemOf(features, null, { neighbors });
}

/** The weight of every video in the eyes of one of them; its own is 0. */
export function weightsFor(video: number, { common, special }: Votes): number[] {
  return (special?.[video] ?? common).map((weight, other) => (other === video ? 0 : weight));
}

/** The topic's moment is taken as it is, or without the few that do not count for this video, or made anew. */
function problemInside(video: number, { moment, votes, featuresOf }: Topic): Problem {
  const features = featuresOf(video);
  const { common, special } = votes;
  const ownWeight = common[video]!;
  if (!special?.[video]) return problemOf(features, moment, { ownWeight });
  const weights = weightsFor(video, votes);
  const changed = [...weights.keys()].filter((other) => other !== video && weights[other] !== common[other]);
  if (changed.every((other) => weights[other] === 0) && 2 * changed.length < common.length) {
    const context = changed.reduce((rest, other) => removeMoment(rest, momentOf(featuresOf(other), common[other])), moment!); // prettier-ignore
    return problemOf(features, context, { ownWeight });
  }
  return problemOf(features, mergeMoments(voices(featuresOf, weights), features.cols));
}

/** The moments of the videos that count at all, one at a time. */
function* voices(featuresOf: Topic['featuresOf'], weights: readonly number[]): Generator<Moment> {
  for (const [video, weight] of weights.entries()) if (weight > 0) yield momentOf(featuresOf(video), weight);
}
