import { meanOfRows, NumericError, type TallMatrix } from '../base/index.js';
import { addOnto, emptyMoment, momentOf, momentsOfRuns, removeMoment, sumInRuns } from './moment.js';
import { type Moment, type Neighbor, type Problem, type Votes, requireContext, requireUsable } from './types.js';

/**
 * The problem of ranking a video's shots (rows of `features`) against the moment of the other videos.
 * A topic's own moment can be given whole: `ownWeight` says with which weight these shots are counted in it.
 */
export function problemOf<M extends TallMatrix>(
  features: M,
  context: Moment | null,
  { ownWeight = 0, neighbors }: { ownWeight?: number; neighbors?: readonly Neighbor<M>[] } = {},
): Problem<M> {
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

/** The mean of the other videos' mean vectors, each with its weight; `null` if the problem knows of no other videos. */
export function meanOfOthers({ features, context, ownWeight }: Problem<TallMatrix>): Float64Array | null {
  if (context === null || !(context.weight - ownWeight > 0)) return null;
  const own = meanOfRows(features);
  return context.means.map((sum, k) => (sum - ownWeight * own[k]!) / (context.weight - ownWeight));
}

/** What a method needs to know about the other videos: nothing, their second moment, or their single shots. */
export type Others = 'none' | 'moment' | 'shots';

/** A topic as seen from one of its videos. */
export type Topic<M extends TallMatrix> = TopicFacts & {
  /** The shots of a video. Called for the video itself, and for others only if single shots matter. */
  featuresOf(video: number): M;
};

/** What is known about a topic as a whole. */
export type TopicFacts = {
  /** The moment of all its videos with their common weights (`momentOfTopic`), for methods that need it. */
  readonly moment: Moment | null;
  /** How much the videos count for each other; their number alone, if each counts once. */
  readonly votes: Votes | { readonly count: number };
};

/** The moment of a topic, each video with its common weight. */
export function momentOfTopic(videos: readonly TallMatrix[], { common }: Votes): Moment {
  return sumInRuns(momentsOfRuns(videos, common));
}

/** One problem for each video of a topic, given by their features. Without `votes` every video counts once. */
export function problemsOfTopic<M extends TallMatrix>(
  videos: readonly M[],
  others: Others,
  votes: Votes = { common: videos.map(() => 1) },
): Problem<M>[] {
  const problemOfVideo = poseInTopic(videos, others, votes);
  return videos.map((_, video) => problemOfVideo(video));
}

/** The same, one video at a time: a video that weighs the others in its own way has a moment of its own, of dim² numbers. */
export function poseInTopic<M extends TallMatrix>(
  videos: readonly M[],
  others: Others,
  votes: Votes,
): (video: number) => Problem<M> {
  const moment = others === 'moment' ? momentOfTopic(videos, votes) : null;
  const topic: Topic<M> = { moment, votes, featuresOf: (video) => videos[video]! };
  return (video) => problemInTopic(video, others, topic);
}

/** The problem of one video of a topic, with as much of the other videos as a method needs. */
export function problemInTopic<M extends TallMatrix>(video: number, others: Others, topic: Topic<M>): Problem<M> {
  const started = beginProblem(video, topic.featuresOf(video), others, topic);
  for (const other of started.asks) started.take(topic.featuresOf(other));
  return started.end();
}

/** An unfinished problem. It must be given the shots of the videos it asks for, one after the other, in that order. */
export type PartialProblem<M extends TallMatrix> = {
  readonly asks: readonly number[];
  take(features: M): void;
  end(): Problem<M>;
};

/** The same as `problemInTopic`, if the other videos are not all in memory. */
export function beginProblem<M extends TallMatrix>(
  video: number,
  features: M,
  others: Others,
  topic: TopicFacts,
): PartialProblem<M> {
  if (others === 'none') return { asks: [], take: () => undefined, end: () => problemOf(features, null) };
  if (others === 'moment') return beginWithMoment(video, features, topic);
  const weights = weightsFor(video, votesOf(topic));
  const asks = [...weights.keys()].filter((other) => weights[other] !== 0);
  const neighbors: Neighbor<M>[] = [];
  return {
    asks,
    take: (theirs) => void neighbors.push({ features: theirs, weight: weights[asks[neighbors.length]!]! }),
    end: () => problemOf(features, null, { neighbors }),
  };
}

/** How much every video counts for one of them; the video itself counts 0. */
export function weightsFor(video: number, { common, special }: Votes): number[] {
  return (special?.[video] ?? common).map((weight, other) => (other === video ? 0 : weight));
}

function votesOf({ votes }: TopicFacts): Votes {
  return 'count' in votes ? { common: new Array<number>(votes.count).fill(1) } : votes;
}

/** The topic's moment as it is, or without the few videos that do not count for this one, or computed again. */
function beginWithMoment<M extends TallMatrix>(
  video: number,
  features: M,
  { moment, votes }: TopicFacts,
): PartialProblem<M> {
  const ownWeight = 'count' in votes ? 1 : votes.common[video]!;
  if ('count' in votes || !votes.special?.[video]) {
    return { asks: [], take: () => undefined, end: () => problemOf(features, moment, { ownWeight }) };
  }
  const { common } = votes;
  const weights = weightsFor(video, votes);
  const changed = [...weights.keys()].filter((other) => other !== video && weights[other] !== common[other]);
  const isTakenOut = changed.every((other) => weights[other] === 0) && 2 * changed.length < common.length;
  const asks = isTakenOut ? changed : [...weights.keys()].filter((other) => weights[other]! > 0);
  let context = isTakenOut ? moment! : emptyMoment(features.cols);
  let taken = 0;
  return {
    asks,
    take: (theirs) => {
      const other = asks[taken++]!;
      context = isTakenOut
        ? removeMoment(context, momentOf(theirs, common[other]))
        : addOnto(context, momentOf(theirs, weights[other]));
    },
    end: () => problemOf(features, context, { ownWeight: isTakenOut ? ownWeight : 0 }),
  };
}

/** The problem with pinned and vetoed shots, by their index; throws if a shot is both, or does not exist. */
export function withWishes<M extends TallMatrix>(
  problem: Problem<M>,
  pinned: readonly number[],
  vetoed: readonly number[],
): Problem<M> {
  const shots = problem.features.rows;
  const [first, last] = [new Set(pinned), new Set(vetoed)];
  for (const shot of [...first, ...last]) {
    if (Number.isInteger(shot) && shot >= 0 && shot < shots) continue;
    throw new NumericError('bad-wish', `Expected wishes about shots 0 to ${shots - 1}, found ${shot}.`);
  }
  const both = [...first].find((shot) => last.has(shot));
  if (both !== undefined)
    throw new NumericError('bad-wish', `Expected a shot to be pinned or vetoed, found shot ${both} to be both.`);
  const { pinned: _, vetoed: __, ...plain } = problem;
  const sorted = (given: Set<number>): number[] => [...given].sort((a, b) => a - b);
  return {
    ...plain,
    ...(first.size > 0 ? { pinned: sorted(first) } : {}),
    ...(last.size > 0 ? { vetoed: sorted(last) } : {}),
  };
}
