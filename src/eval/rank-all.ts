import type { Matrix } from '../base/index.js';
import type { EvidenceKnobs } from '../evidence/index.js';
import { type MethodChoice, methods, solveAll } from '../select/index.js';
import { type Weigh, weighingOf } from '../stages/index.js';
import { rankShots } from '../summary/index.js';
import { type Problem, problemsOfTopic, type Votes } from '../topic/index.js';
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
      onSolved: (place) => onRanked?.(name, inOrder[place]!.video.id),
    });
    answers[name] = new Map(
      inOrder.map(({ video }, place) => {
        const { order, scores } = rankings[place]!;
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
    for (const [place, problem] of problems.entries()) {
      const [weigh, weighing] = [videos[place]!.weigh, weighingOf(choice)];
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
