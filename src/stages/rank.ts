import { inOrder, mapLimited, type TallMatrix } from '../base/index.js';
import type { Evidence, EvidenceKnobs } from '../evidence/index.js';
import type { Run } from '../run.js';
import {
  balanceOf,
  cvsDefaults,
  knobsOf,
  methods,
  solveAll,
  type MethodChoice,
  type Ranking,
} from '../select/index.js';
import { beginProblem, poseInTopic, withWishes, type Others, type Problem } from '../topic/index.js';
import type { VideoWishes } from '../wishes/index.js';
import { allot, extentOf } from './allot.js';
import { counterpartsIn } from './counterparts.js';
import { cutVideo, type RankedVideo } from './cut-video.js';
import type { AnalysedVideo } from './analyse-videos.js';
import { hasBackground, viewsOfVideo, weigher, type EvidenceOptions, type Weigh } from './evidence.js';
import { mostCompared } from './limits.js';
import { note } from './note.js';
import type { RelatedTopic } from './relate.js';
import { NO_RUN_WISHES, tellLostWishes, wishesOf, type RunWishes } from './run-wishes.js';
import { vectorsOf, type Room, type VectorOptions, type Vectors } from './shot-vectors.js';
import { READ_AHEAD, supportersAmong, supportersIn, type Supported, type Surroundings } from './supporters.js';

/** Topics smaller than this are solved before a thread would have started. */
export const WORTH_THREADS = 6;

/** Problems of more shots than this are solved in a thread, so that a run can still be stopped. */
export const WORTH_A_THREAD = 400;

/** Videos whose raw vectors are read at the same time. */
const WEIGHED_AT_ONCE = 8;

/** How evidence is made, as far as the options of ranking decide it. */
type Weighing = Pick<EvidenceKnobs, 'likenessWeight'>;

/** The vectors of a topic and its problems, which stay the same whatever the options of ranking. */
export type Posed = {
  readonly vectors: Vectors;
  /** The problem of each video by its place, with what a method has to know about the others, and its evidence if any. */
  problems(others: Others, weighing: Weighing | null): Promise<Pose>;
};

/** A problem, and the evidence in it by terms; `null` if the method does without. */
type PosedVideo = { readonly problem: Problem<TallMatrix>; readonly evidence: Evidence | null };
type Pose = (place: number) => PosedVideo;

/** Poses the problem of every video against the others; `keeps` holds them for a topic that is ranked again and again. */
export function poseProblems(
  { videos, votes }: RelatedTopic,
  run: Room & { readonly options: VectorOptions & EvidenceOptions },
  { keeps = false }: { keeps?: boolean } = {},
): Posed {
  const vectors = vectorsOf(videos, run.options, run);
  const hold = keeps ? oncePerPlace : <T>(make: (place: number) => T) => make;
  const plain = new Map<Others, (place: number) => Problem<TallMatrix>>();
  let weighers: readonly Weigh[] | null = null;
  let latest: { readonly key: string; readonly pose: Pose } | null = null;
  return {
    vectors,
    async problems(others, weighing) {
      if (!plain.has(others)) plain.set(others, hold(poseInTopic(await vectors.features(), others, votes)));
      const problemOf = plain.get(others)!;
      if (weighing === null) return (place) => ({ problem: problemOf(place), evidence: null });
      const hashes = new Set(videos.map(({ sha256 }) => sha256));
      const made = (weighers ??= await mapLimited(videos, WEIGHED_AT_ONCE, async (video, place) =>
        weigher(video, (await vectors.of(place)).looks, run.options, hashes),
      ));
      const key = JSON.stringify([others, weighing]);
      if (latest?.key !== key) {
        latest = { key, pose: hold((place) => withEvidence(problemOf(place), made[place]!, weighing)) };
      }
      return latest.pose;
    },
  };
}

function withEvidence(problem: Problem<TallMatrix>, weigh: Weigh, weighing: Weighing): PosedVideo {
  const evidence = weigh(problem, weighing);
  return { problem: { ...problem, evidence: evidence.total }, evidence };
}

function oncePerPlace<T>(make: (place: number) => T): (place: number) => T {
  const made = new Map<number, T>();
  return (place) => {
    if (!made.has(place)) made.set(place, make(place));
    return made.get(place)!;
  };
}

/** Ranks the shots of each video against the topic, cuts the ranking to the length, and finds who supports each shot. */
export async function rankShotsOfTopic(
  { videos, votes }: RelatedTopic,
  run: Run,
  given: RunWishes = NO_RUN_WISHES,
  posed: Posed = poseProblems({ videos, votes }, run),
): Promise<RankedVideo[]> {
  const features = await posed.vectors.features();
  tellLostWishes(videos, given, run);
  const wishes = await Promise.all(videos.map((video) => wishesOf(video, given)));
  run.tell({ type: 'stage-started', stage: 'select', total: videos.length });
  tellLimits(videos, run);
  const choice = choose(run, videos.length);
  const pose = await posed.problems(methods[choice.method].others, weighingOf(choice));
  const evidence: (Evidence | null)[] = [];
  let done = 0;
  const rankings = await (run.solve ?? solveAll)(inTurn(wishes, pose, evidence), choice, {
    workers: videos.length < WORTH_THREADS ? 0 : run.jobs,
    signal: run.signal,
    onSolved: (place) => {
      const fraction = ++done / videos.length;
      run.tell({ type: 'progress', stage: 'select', fraction, item: videos[place]?.name ?? null, frames: 0 });
    },
  });
  const solved = rankings.map((ranking, place) => {
    const shots = { features: features[place]!, pinned: wishes[place]!.pinned, ...asPrice(evidence[place]!) };
    return { shots, ranking, choice };
  });
  const supportersOf = supportersIn(solved, { videos, votes }, run);
  const shownIn = await counterpartsIn(videos, run, posed.vectors);
  const allotted = allot(videos.map((video) => ({ ...video, extent: extentOf(video) })), given, run); // prettier-ignore
  const ranked: RankedVideo[] = [];
  for (const [place, video] of videos.entries()) {
    // A turn of the event loop: other requests to this process do not wait for a whole topic.
    await new Promise(setImmediate);
    const { looks } = await posed.vectors.of(place);
    const views = await viewsOfVideo(video, looks, run.options);
    const ranking = { ...rankings[place]!, evidence: evidence[place]!, views };
    const backing = { supportOf: supportersOf(place), shownOf: shownIn(place) };
    ranked.push(await cutVideo({ ...video, ...allotted[place] }, ranking, backing, wishes[place]!, run));
  }
  run.tell({ type: 'stage-done', stage: 'select' });
  return ranked;
}

/** The problems of videos with these wishes, each posed when it is asked for; `evidence` collects that of each. */
function* inTurn(
  wishes: readonly VideoWishes[],
  pose: Pose,
  evidence: (Evidence | null)[],
): Generator<Problem<TallMatrix>> {
  for (const [place, { pinned, vetoed }] of wishes.entries()) {
    const posed = pose(place);
    evidence[place] = posed.evidence;
    yield withWishes(posed.problem, pinned, vetoed);
  }
}

/**
 * How the evidence of a method is made; `null` if it uses none. Likeness to the other videos counts by 2w̃ − 1, with w̃ the
 * weight of their half of the problem: for a shot from s = ½ of `shared` up, against it at 0.
 */
export function weighingOf(choice: MethodChoice): Weighing | null {
  const { evidence, shared } = { ...cvsDefaults, ...knobsOf(choice) };
  return choice.method.startsWith('cvs') && evidence > 0 ? { likenessWeight: 2 * balanceOf(shared).shared - 1 } : null;
}

function asPrice(evidence: Evidence | null): { evidence?: Float64Array } {
  return evidence ? { evidence: evidence.total } : {};
}

/** Notes what a topic of one video, of very many, or of a network without a background leaves out. */
export function tellLimits(videos: readonly Pick<AnalysedVideo, 'name' | 'extractor'>[], run: Run): void {
  const isWeighed = weighingOf(choose(run, videos.length)) !== null;
  if (videos.length > 1 && isWeighed && !hasBackground(videos[0]!.extractor, run.options)) {
    note(
      run,
      'no-background',
      `There is no background of unrelated footage for the features "${videos[0]!.extractor.name}": likeness to the other videos is left out of the evidence. Make one with "throughline background" and name it with --background.`,
    );
  }
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
      `The topic has ${videos.length} videos, more than the ${most} up to which the supporters of a shot are worked out: none are named.`,
    );
  }
}

/**
 * Ranks one video as `rankShotsOfTopic` ranks each, and tells who supports some of its shots. At most `READ_AHEAD` of the
 * other videos are in memory at a time, except with methods that compare every shot with every other.
 */
export async function rankVideo(
  place: number,
  topic: Surroundings & { weigh(options: EvidenceOptions): Promise<Weigh> },
  wishes: { readonly pinned: readonly number[]; readonly vetoed: readonly number[] },
  run: Run,
): Promise<{
  ranking: Ranking & { readonly evidence: Evidence | null };
  supportersOf(shots: readonly number[]): Promise<Supported[]>;
}> {
  const choice = choose(run, countOf(topic));
  const begun = beginProblem(place, await topic.featuresOf(place), methods[choice.method].others, topic);
  for await (const features of inOrder(begun.asks, READ_AHEAD, topic.featuresOf)) begun.take(features);
  const weighing = weighingOf(choice);
  const { problem: plain, evidence } = weighing
    ? withEvidence(begun.end(), await topic.weigh(run.options), weighing)
    : { problem: begun.end(), evidence: null };
  const problem = withWishes(plain, wishes.pinned, wishes.vetoed);
  const workers = problem.features.rows > WORTH_A_THREAD ? 1 : 0;
  const [ranking] = await (run.solve ?? solveAll)([problem], choice, { workers, signal: run.signal });
  return {
    ranking: { ...ranking!, evidence },
    supportersOf: (shots) => supportersAmong(shots, place, topic, { shots: problem, ranking: ranking!, choice }, run),
  };
}

function countOf({ votes }: Surroundings): number {
  return 'count' in votes ? votes.count : votes.common.length;
}

/** What the method of a run has to know about the other videos in a topic of `videoCount`. */
export function othersWanted(run: Pick<Run, 'options'>, videoCount: number): Others {
  return methods[choose(run, videoCount).method].others;
}

/**
 * The method asked for and its knobs. cvs without others (a context weight of zero, or a single video) looks at the video
 * alone: with nothing to rebuild in the others, its shared half need not have a minimum.
 */
function choose({ options }: Pick<Run, 'options'>, videoCount: number): MethodChoice {
  const { method, seed, contextWeight, shared, diversity, sparsity, evidence } = options;
  const isAlone = videoCount === 1 || contextWeight === 0;
  // Left out unless given: a method may have a default of its own.
  const own = { ...(sparsity === undefined ? {} : { sparsity }), ...(evidence === undefined ? {} : { evidence }) };
  const knobs = { contextWeight, shared, diversity, ...own };
  if (isAlone && (method === 'cvs' || method === 'cvs-paper'))
    return { method: 'cvs-neighborhood', seed, knobs: knobsOf({ method, knobs }) };
  return { method, seed, knobs };
}
