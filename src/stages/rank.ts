import type { Matrix } from '../base/index.js';
import type { Run } from '../run.js';
import {
  explain,
  isCvsRanking,
  methods,
  solveAll,
  type CvsKnobs,
  type MethodChoice,
  type Ranking,
} from '../select/index.js';
import type { Support } from '../summary/index.js';
import { problemsOfTopic, weightsFor, withWishes, type Problem } from '../topic/index.js';
import { note } from './analyse-videos.js';
import { cutVideo, wishesOfVideos, type RankedVideo, type RunWishes } from './cut-video.js';
import type { RelatedTopic } from './relate.js';
import { vectorsOf, type Vectors } from './shot-vectors.js';

export type { RankedVideo } from './cut-video.js';

/** Supporters named for each chosen shot; those behind are too weak to mean much. */
const SUPPORTERS = 5;

/** Topics smaller than this are solved before a thread would have started. */
export const WORTH_THREADS = 6;

/** The vectors of a topic and the problems they pose, which stay the same whatever is asked of them. */
export type Posed = {
  readonly vectors: Vectors;
  /** One problem a video, with as much of the others as a method wants to know; made when first asked for. */
  problems(others: Others): readonly Problem[];
};

type Others = Parameters<typeof problemsOfTopic>[1];

export function poseProblems({ videos, votes }: RelatedTopic, options: Parameters<typeof vectorsOf>[1]): Posed {
  const vectors = vectorsOf(videos, options);
  const made = new Map<Others, readonly Problem[]>();
  return {
    vectors,
    problems(others) {
      const problems = made.get(others) ?? problemsOfTopic(vectors.features(), others, votes);
      made.set(others, problems);
      return problems;
    },
  };
}

/** Ranks each video's shots against the topic, cuts the ranking to the length, and says who supports each chosen shot. */
export async function rankShotsOfTopic(
  { videos, votes }: RelatedTopic,
  run: Run,
  given: RunWishes = { pin: [], veto: [], sequence: [], topicSequence: [] },
  posed: Posed = poseProblems({ videos, votes }, run.options),
): Promise<RankedVideo[]> {
  const features = posed.vectors.features();
  const wishes = await wishesOfVideos(videos, given, run);
  run.tell({ type: 'stage-started', stage: 'select', total: videos.length });
  if (videos.length === 1) {
    note(
      run,
      'alone',
      `"${videos[0]?.name}" is the only video, so there is no topic to compare it with: its shots were judged by the video alone.`,
    );
  }
  const choice = choose(run, videos.length);
  const problems = posed
    .problems(methods[choice.method].others)
    .map((problem, place) => withWishes(problem, wishes[place]!.pinned, wishes[place]!.vetoed));
  let solved = 0;
  const rankings = await (run.solve ?? solveAll)(problems, choice, {
    workers: videos.length < WORTH_THREADS ? 0 : run.jobs,
    ...(run.signal ? { signal: run.signal } : {}),
    onSolved: (place) => {
      const fraction = ++solved / videos.length;
      run.tell({ type: 'progress', stage: 'select', fraction, item: videos[place]?.name ?? null, frames: 0 });
    },
  });
  const ranked: RankedVideo[] = [];
  for (const [place, video] of videos.entries()) {
    // A turn of the event loop: whoever else is served here does not wait for a whole topic.
    await new Promise(setImmediate);
    const others = weightsFor(place, votes).flatMap((weight, index) =>
      weight === 0 ? [] : [{ id: videos[index]!.id, features: features[index]!, weight }],
    );
    const supportOf = supporters(problems[place]!, rankings[place]!, choice.knobs ?? {}, others);
    ranked.push(await cutVideo(video, rankings[place]!, supportOf, wishes[place]!, run));
  }
  run.tell({ type: 'stage-done', stage: 'select' });
  return ranked;
}

/**
 * The method asked for and its knobs. For cvs, a context weight of zero means that the others are not there: they could
 * not be rebuilt, only avoided without end. So it does for a video without others.
 */
function choose({ options }: Run, videoCount: number): MethodChoice {
  const { method, seed, contextWeight, shared, diversity, sparsity } = options;
  const isAlone = videoCount === 1 || contextWeight === 0;
  return {
    method: method === 'cvs' && isAlone ? 'cvs-neighborhood' : method,
    seed,
    knobs: { contextWeight, shared, diversity, ...(sparsity === undefined ? {} : { sparsity }) },
  };
}

/** Who supports a shot, strongest first. */
function supporters(
  problem: Problem,
  ranking: Ranking,
  knobs: Partial<CvsKnobs>,
  others: readonly { id: string; features: Matrix; weight: number }[],
): (shot: number) => Support[] {
  let why: ReturnType<typeof explain> | null = null;
  const explainOnce = (): ReturnType<typeof explain> =>
    isCvsRanking(ranking) ? explain(problem, ranking, knobs) : (shot) => [...(ranking.support?.[shot] ?? [])];
  return (shot) =>
    (why ??= explainOnce())(shot, others)
      .flatMap(({ neighbor, share, shot: counterpart }) =>
        share > 0 && counterpart !== null ? [{ video: others[neighbor]!.id, share, shot: counterpart }] : [],
      )
      .sort((a, b) => b.share - a.share)
      .slice(0, SUPPORTERS);
}
