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
import {
  problemInTopic,
  problemsOfTopic,
  weightsFor,
  withWishes,
  type Others,
  type Problem,
  type Topic,
} from '../topic/index.js';
import { cutVideo, tellLostWishes, wishesOf, type RankedVideo, type RunWishes } from './cut-video.js';
import { COMPARED_VIDEOS } from './limits.js';
import { note } from './note.js';
import type { RelatedTopic } from './relate.js';
import { vectorsOf, type Vectors } from './shot-vectors.js';

/** Supporters named for each chosen shot; those behind are too weak to mean much. */
const SUPPORTERS = 5;

/** Topics smaller than this are solved before a thread would have started. */
export const WORTH_THREADS = 6;

/** Problems of more shots than this are solved in a thread, so that a run can still be stopped. */
export const WORTH_A_THREAD = 400;

/** The vectors of a topic and the problems they pose, which stay the same whatever is asked of them. */
export type Posed = {
  readonly vectors: Vectors;
  /** One problem a video, with as much of the others as a method wants to know; made when first asked for. */
  problems(others: Others): readonly Problem[];
};

/** Poses the problem of every video against the others; each kind of problem is made when first asked for. */
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
  tellLostWishes(videos, given, run);
  const wishes = await Promise.all(videos.map((video) => wishesOf(video, given)));
  run.tell({ type: 'stage-started', stage: 'select', total: videos.length });
  tellSize(videos, run);
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
    const topic = { votes, featuresOf: (at: number) => features[at]!, idOf: (at: number) => videos[at]!.id };
    const supportOf = supporters(problems[place]!, rankings[place]!, choice.knobs ?? {}, othersOf(place, topic));
    ranked.push(await cutVideo(video, rankings[place]!, supportOf, wishes[place]!, run));
  }
  run.tell({ type: 'stage-done', stage: 'select' });
  return ranked;
}

/** What a reader should know of a topic of one video, or of very many. */
export function tellSize(videos: readonly { readonly name: string }[], run: Run): void {
  if (videos.length === 1) {
    note(
      run,
      'alone',
      `"${videos[0]?.name}" is the only video, so there is no topic to compare it with: its shots were judged by the video alone.`,
    );
  }
  if (videos.length > COMPARED_VIDEOS) {
    note(
      run,
      'no-supporters',
      `The topic has ${videos.length} videos: which of them stand behind a shot is worked out for up to ${COMPARED_VIDEOS}.`,
    );
  }
}

/** A topic around one of its videos, which need not be here in whole: what the method asks for is enough. */
type Surroundings = Topic & { idOf(video: number): string };

/** Ranks one video as `rankShotsOfTopic` does each of them, and says who supports a shot. */
export async function rankVideo(
  place: number,
  topic: Surroundings,
  wishes: { readonly pinned: readonly number[]; readonly vetoed: readonly number[] },
  run: Run,
): Promise<{ ranking: Ranking; supportOf: (shot: number) => Support[] }> {
  const choice = choose(run, topic.votes.common.length);
  const posed = problemInTopic(place, methods[choice.method].others, topic);
  const problem = withWishes(posed, wishes.pinned, wishes.vetoed);
  const how = {
    workers: problem.features.rows > WORTH_A_THREAD ? 1 : 0,
    ...(run.signal ? { signal: run.signal } : {}),
  };
  const [ranking] = await (run.solve ?? solveAll)([problem], choice, how);
  return {
    ranking: ranking!,
    supportOf: supporters(problem, ranking!, choice.knobs ?? {}, othersOf(place, topic)),
  };
}

/** What a run wants to know of the other videos of a topic of so many. */
export function othersWanted(run: Pick<Run, 'options'>, videoCount: number): Others {
  return methods[choose(run, videoCount).method].others;
}

type Other = { readonly id: string; readonly features: Matrix; readonly weight: number };

/** The videos that may stand behind a shot; `null` where there are too many to look. */
function othersOf(place: number, { votes, featuresOf, idOf }: Omit<Surroundings, 'moment'>): Other[] | null {
  if (votes.common.length > COMPARED_VIDEOS) return null;
  return weightsFor(place, votes).flatMap((weight, other) =>
    weight === 0 ? [] : [{ id: idOf(other), features: featuresOf(other), weight }],
  );
}

/**
 * The method asked for and its knobs. For cvs, a context weight of zero means that the others are not there: they could
 * not be rebuilt, only avoided without end. So it does for a video without others.
 */
function choose({ options }: Pick<Run, 'options'>, videoCount: number): MethodChoice {
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
  others: readonly Other[] | null,
): (shot: number) => Support[] {
  if (others === null) return () => [];
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
