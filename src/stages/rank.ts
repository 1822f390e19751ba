import { inOrder, type Matrix } from '../base/index.js';
import type { Run } from '../run.js';
import {
  explain,
  explainInParts,
  isCvsRanking,
  methods,
  solveAll,
  type CvsKnobs,
  type MethodChoice,
  type Part,
  type Ranking,
} from '../select/index.js';
import type { Support } from '../summary/index.js';
import {
  beginProblem,
  problemsOfTopic,
  weightsFor,
  withWishes,
  type Others,
  type Problem,
  type TopicFacts,
} from '../topic/index.js';
import { cutVideo, tellLostWishes, wishesOf, type RankedVideo, type RunWishes } from './cut-video.js';
import { mostCompared } from './limits.js';
import { note } from './note.js';
import type { RelatedTopic } from './relate.js';
import { vectorsOf, type Vectors } from './shot-vectors.js';

/** Supporters named for each chosen shot; those behind are too weak to mean much. */
const SUPPORTERS = 5;

/** Topics smaller than this are solved before a thread would have started. */
export const WORTH_THREADS = 6;

/** Problems of more shots than this are solved in a thread, so that a run can still be stopped. */
export const WORTH_A_THREAD = 400;

/** Videos read before their turn comes: a store may answer late. */
const READ_AHEAD = 16;

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
    const others = othersOf(place, features, { videos, votes }, run);
    const supportOf = supporters(problems[place]!, rankings[place]!, choice.knobs ?? {}, others);
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
  const most = mostCompared(run);
  if (videos.length > most) {
    note(
      run,
      'no-supporters',
      `The topic has ${videos.length} videos: which of them stand behind a shot is worked out for up to ${most}.`,
    );
  }
}

/** A topic around one of its videos. Videos are read when asked for, and need not be here in whole. */
type Surroundings = TopicFacts & {
  featuresOf(video: number): Promise<Matrix>;
  idOf(video: number): string;
};

/** A shot, and who supports it, strongest first. */
type Supported = { readonly shot: number; readonly by: readonly Support[] };

/**
 * Ranks one video as `rankShotsOfTopic` does each of them, and says who supports some of its shots. Of the other videos no
 * more than `READ_AHEAD` are in memory at a time, but for methods that compare shot with shot.
 */
export async function rankVideo(
  place: number,
  topic: Surroundings,
  wishes: { readonly pinned: readonly number[]; readonly vetoed: readonly number[] },
  run: Run,
): Promise<{ ranking: Ranking; supportersOf(shots: readonly number[]): Promise<Supported[]> }> {
  const choice = choose(run, countOf(topic));
  const begun = beginProblem(place, await topic.featuresOf(place), methods[choice.method].others, topic);
  for await (const features of inOrder(begun.asks, READ_AHEAD, topic.featuresOf)) begun.take(features);
  const problem = withWishes(begun.end(), wishes.pinned, wishes.vetoed);
  const how = {
    workers: problem.features.rows > WORTH_A_THREAD ? 1 : 0,
    ...(run.signal ? { signal: run.signal } : {}),
  };
  const [ranking] = await (run.solve ?? solveAll)([problem], choice, how);
  return {
    ranking: ranking!,
    supportersOf: (shots) => supportersAmong(shots, place, topic, { problem, ranking: ranking!, choice, run }),
  };
}

type Solved = {
  readonly problem: Problem;
  readonly ranking: Ranking;
  readonly choice: MethodChoice;
  readonly run: Run;
};

/** Who supports each of some shots. The other videos are looked at one after the other, and a few numbers kept of each. */
async function supportersAmong(
  shots: readonly number[],
  place: number,
  topic: Surroundings,
  { problem, ranking, choice, run }: Solved,
): Promise<Supported[]> {
  const { votes, featuresOf, idOf } = topic;
  const nobody = shots.map((shot) => ({ shot, by: [] }));
  if ('count' in votes || votes.common.length > mostCompared(run)) return nobody;
  const weights = weightsFor(place, votes);
  const others = [...weights.keys()].filter((other) => weights[other] !== 0);
  const nameStrongest = (shot: number, found: readonly Found[]): Supported => ({
    shot,
    by: strongest(found, (neighbor) => idOf(others[neighbor]!)),
  });
  if (!isCvsRanking(ranking)) return shots.map((shot) => nameStrongest(shot, ranking.support?.[shot] ?? []));
  if (!shots.some((shot) => ranking.shared[shot]! > 0)) return nobody;
  const { partsOf, shareOut } = explainInParts(problem, ranking, choice.knobs ?? {});
  const rows = shots.map((shot) => ({ shot, partOf: partsOf(shot), parts: [] as Part[] }));
  let seen = 0;
  for await (const features of inOrder(others, READ_AHEAD, featuresOf)) {
    const source = { features, weight: weights[others[seen++]!]! };
    for (const { partOf, parts } of rows) parts.push(partOf(source));
  }
  return rows.map(({ shot, parts }) => nameStrongest(shot, shareOut(parts)));
}

function countOf({ votes }: TopicFacts): number {
  return 'count' in votes ? votes.count : votes.common.length;
}

/** What a run wants to know of the other videos of a topic of so many. */
export function othersWanted(run: Pick<Run, 'options'>, videoCount: number): Others {
  return methods[choose(run, videoCount).method].others;
}

type Other = { readonly id: string; readonly features: Matrix; readonly weight: number };

/** The videos that may stand behind a shot; `null` where there are too many to look. */
function othersOf(
  place: number,
  features: readonly Matrix[],
  { videos, votes }: RelatedTopic,
  run: Run,
): Other[] | null {
  if (votes.common.length > mostCompared(run)) return null;
  return weightsFor(place, votes).flatMap((weight, other) =>
    weight === 0 ? [] : [{ id: videos[other]!.id, features: features[other]!, weight }],
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
  return (shot) => strongest((why ??= explainOnce())(shot, others), (neighbor) => others[neighbor]!.id);
}

type Found = ReturnType<ReturnType<typeof explain>>[number];

/** The few that count, by their names. */
function strongest(found: readonly Found[], idOf: (neighbor: number) => string): Support[] {
  return found
    .flatMap(({ neighbor, share, shot }) =>
      share > 0 && shot !== null ? [{ video: idOf(neighbor), share, shot }] : [],
    )
    .sort((a, b) => b.share - a.share)
    .slice(0, SUPPORTERS);
}
