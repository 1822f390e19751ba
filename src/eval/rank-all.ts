import { type Matrix, random } from '../base/index.js';
import { type EvidenceKnobs, type Problem, problemsOfTopic, type Votes, problemOf } from '../topic/index.js';
import { type MethodChoice, methods, solveAll, createSelector } from '../select/index.js';
import { type Weigh, weighingOf } from '../pipeline/index.js';
import { rankShots } from '../summary/index.js';
import type { Contender } from './jury.js';
import type { LabelledVideo } from './types.js';

/** A labelled video with a vector for each of its shots, and the evidence for them; `null` if there is none. */
export type DescribedVideo = { readonly video: LabelledVideo; readonly features: Matrix; readonly weigh: Weigh | null };

/** A method with its knobs, and how its evidence is made if not as in the product. */
export type RowChoice = MethodChoice & { readonly weighing?: Partial<EvidenceKnobs> };

/** How to compute, and who is informed. */
type Course = {
  readonly workers: number;
  readonly signal?: AbortSignal | undefined;
  /** Called after each video that a method has ranked. */
  readonly onRanked?: (method: string, videoId: string) => void;
  /** How much the videos of a topic, given by their features, count for each other; by default each counts once. */
  readonly votesOf?: (features: readonly Matrix[]) => Votes;
};

/** The ranking of each video by each method, by video id. Each topic is ranked by itself, like one run of the product. */
export async function rankAll<Name extends string>(
  described: readonly DescribedVideo[],
  choices: Readonly<Record<Name, RowChoice>>,
  { workers, signal, onRanked, votesOf }: Course,
): Promise<Record<Name, Map<string, Contender>>> {
  const topics = [...new Set(described.map(({ video }) => video.topic))].map((topic) =>
    described.filter(({ video }) => video.topic === topic),
  );
  const inOrder = topics.flat();
  const answers = {} as Record<Name, Map<string, Contender>>;
  for (const [name, choice] of Object.entries(choices) as [Name, RowChoice][]) {
    const rankings = await solveAll(problemsOf(topics, choice, votesOf), choice, {
      workers,
      signal,
      onSolved: (index) => onRanked?.(name, inOrder[index]!.video.id),
    });
    answers[name] = new Map(
      inOrder.map(({ video }, index) => {
        const { order, scores } = rankings[index]!;
        return [video.id, { order: rankShots({ order, scores }, video.shots.map(timed)), scores }];
      }),
    );
  }
  return answers;
}

/** Topic by topic, each made only when it is needed. */
function* problemsOf(
  topics: readonly (readonly DescribedVideo[])[],
  choice: RowChoice,
  votesOf: Course['votesOf'],
): Generator<Problem> {
  for (const videos of topics) {
    const features = videos.map((video) => video.features);
    const problems = problemsOfTopic(features, methods[choice.method].others, votesOf?.(features));
    for (const [index, problem] of problems.entries()) {
      const [weigh, weighing] = [videos[index]!.weigh, weighingOf(choice)];
      yield weigh && weighing
        ? { ...problem, evidence: weigh(problem, { ...weighing, ...choice.weighing }).total }
        : problem;
    }
  }
}

/** Frames as ticks, so that ties go to the shorter shot, as in the product. */
function timed({ startFrame, endFrame }: { startFrame: number; endFrame: number }): Parameters<typeof rankShots>[1][0] {
  return { range: { start: startFrame, end: endFrame, base: { num: 1, den: 1 } } };
}

/** An order of shots that looks at none of them: what a method must beat to have seen anything. */
export type Floor = {
  /** Drawn anew for every seed; the others are the same for all. */
  readonly isDrawn: boolean;
  contend(shotCount: number, seed: number): Contender;
};

/** The length of a run. */
const RUN = 5;

/** The floors of every table, in the order of its rows. */
export const FLOORS = {
  /** Every order equally likely. */
  random: { isDrawn: true, contend: (shotCount, seed) => ({ order: shuffledOrder(shotCount, seed) }) },
  /** Spread evenly over the film, as the method of that name. */
  uniform: {
    isDrawn: false,
    contend: (rows) => {
      const problem = problemOf({ rows, cols: 1, data: new Float64Array(rows) }, null);
      return { order: createSelector({ method: 'uniform' }).select(problem).order };
    },
  },
  /** The shot nearest to the middle of the film first; of two at the same distance, the earlier. */
  middle: {
    isDrawn: false,
    contend: (shotCount) => {
      const scores = Array.from({ length: shotCount }, (_, shot) => -Math.abs(shot - (shotCount - 1) / 2));
      return { order: [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b), scores };
    },
  },
  /** Five neighbours from a random place, then the others at random. */
  run: {
    isDrawn: true,
    contend: (shotCount, seed) => {
      const shuffled = shuffledOrder(shotCount, seed);
      const start = random(seed ^ RUN).below(Math.max(1, shotCount - RUN + 1));
      const isInRun = (shot: number): boolean => shot >= start && shot < start + RUN;
      return {
        order: [...shuffled.filter(isInRun).sort((a, b) => a - b), ...shuffled.filter((shot) => !isInRun(shot))],
      };
    },
  },
  /** In the order of the film. */
  first: { isDrawn: false, contend: (shotCount) => ({ order: Array.from({ length: shotCount }, (_, shot) => shot) }) },
} as const satisfies Readonly<Record<string, Floor>>;

/** Draws an order; all orders are equally likely. */
export function shuffledOrder(shotCount: number, seed: number): number[] {
  const { below } = random(seed);
  const order = Array.from({ length: shotCount }, (_, shot) => shot);
  for (let last = shotCount - 1; last > 0; last--) {
    const other = below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
