import { inOrder, mapLimited, type TallMatrix, lengthInSeconds } from '../base/index.js';
import {
  type Evidence,
  type EvidenceKnobs,
  beginProblem,
  poseInTopic,
  withWishes,
  type Others,
  type Problem,
} from '../topic/index.js';
import type { Run } from './run.js';
import {
  balanceOf,
  cvsDefaults,
  knobsOf,
  methods,
  solveAll,
  type MethodChoice,
  type Ranking,
} from '../select/index.js';
import { type VideoWishes, allotLengths } from '../summary/index.js';
import {
  counterpartsIn,
  READ_AHEAD,
  supportersAmong,
  supportersIn,
  type Supported,
  type Surroundings,
} from './supporters.js';
import { cutVideo, type RankedVideo } from './cut-video.js';
import type { AnalysedVideo, OutlinedVideo } from './analyse-videos.js';
import { hasBackground, viewsOfVideo, weigher, type EvidenceOptions, type Weigh } from './evidence.js';
import { maxCompared, note, READABLE_S, TOLERANCE_S, VISIBLE_S } from './limits.js';
import type { RelatedTopic, Related } from './relate.js';
import { NO_RUN_WISHES, noteLostWishes, wishesOf, type RunWishes } from './admit.js';
import { vectorsOf, type Room, type VectorOptions, type Vectors } from './shot-vectors.js';

/** Topics smaller than this are solved before a thread would have started. */
export const WORTH_THREADS = 6;

/** Problems of more shots than this are solved in a thread, so that a run can still be stopped. */
export const WORTH_A_THREAD = 400;

/** Videos whose raw vectors are read at the same time. */
const WEIGHED_AT_ONCE = 8;

/** How evidence is made, as far as the options of ranking decide it. */
type Weighing = Pick<EvidenceKnobs, 'likenessWeight'>;

/** The vectors of a topic and its problems, which stay the same whatever the options of ranking. */
export type TopicProblems = {
  readonly vectors: Vectors;
  /** The problem of each video by its place, with what a method has to know about the others, and its evidence if any. */
  problems(others: Others, weighing: Weighing | null): Promise<Pose>;
};

/** A problem, and the evidence in it by terms; `null` if the method does without. */
type VideoProblem = { readonly problem: Problem<TallMatrix>; readonly evidence: Evidence | null };
type Pose = (place: number) => VideoProblem;

/** Poses the problem of every video against the others; `keeps` holds them for a topic that is ranked again and again. */
export function buildProblems(
  { videos, votes }: RelatedTopic,
  run: Room & { readonly options: VectorOptions & EvidenceOptions },
  { keeps = false }: { keeps?: boolean } = {},
): TopicProblems {
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

function withEvidence(problem: Problem<TallMatrix>, weigh: Weigh, weighing: Weighing): VideoProblem {
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
  posed: TopicProblems = buildProblems({ videos, votes }, run),
): Promise<RankedVideo[]> {
  const features = await posed.vectors.features();
  noteLostWishes(videos, given, run);
  const wishes = await Promise.all(videos.map((video) => wishesOf(video, given)));
  run.emit({ type: 'stage-started', stage: 'select', total: videos.length });
  noteLimits(videos, run);
  const choice = choose(run, videos.length);
  const pose = await posed.problems(methods[choice.method].others, weighingOf(choice));
  const evidence: (Evidence | null)[] = [];
  let done = 0;
  const rankings = await (run.solve ?? solveAll)(inTurn(wishes, pose, evidence), choice, {
    workers: videos.length < WORTH_THREADS ? 0 : run.jobs,
    signal: run.signal,
    onSolved: (place) => {
      const fraction = ++done / videos.length;
      run.emit({ type: 'progress', stage: 'select', fraction, item: videos[place]?.name ?? null, frames: 0 });
    },
  });
  const solved = rankings.map((ranking, place) => {
    const shots = { features: features[place]!, pinned: wishes[place]!.pinned, ...asPrice(evidence[place]!) };
    return { shots, ranking, choice };
  });
  const supportersOf = supportersIn(solved, { videos, votes }, run);
  const shownIn = await counterpartsIn(posed.vectors, videos, run);
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
  run.emit({ type: 'stage-done', stage: 'select' });
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
export function noteLimits(videos: readonly Pick<AnalysedVideo, 'name' | 'extractor'>[], run: Run): void {
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
  const most = maxCompared(run);
  if (videos.length > most) {
    note(
      run,
      'no-supporters',
      `The topic has ${videos.length} videos, more than the ${most} up to which the supporters of a shot are worked out: none are named.`,
    );
  }
}

/**
 * Ranks one video as `rankShotsOfTopic` ranks each, and names the supporters of some of its shots. At most `READ_AHEAD` of the
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
  const started = beginProblem(place, await topic.featuresOf(place), methods[choice.method].others, topic);
  for await (const features of inOrder(started.asks, READ_AHEAD, topic.featuresOf)) started.take(features);
  const weighing = weighingOf(choice);
  const { problem: plain, evidence } = weighing
    ? withEvidence(started.end(), await topic.weigh(run.options), weighing)
    : { problem: started.end(), evidence: null };
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

/** How long a video is, and the longest of its takes, in seconds. */
export type Extent = { readonly seconds: number; readonly longestTake: number };

/** The extent of an analysed video. */
export function extentOf({ analysis: { start, end, timeBase: base, takes } }: Pick<OutlinedVideo, 'analysis'>): Extent {
  const longestTake = takes.reduce((longest, { range }) => Math.max(longest, lengthInSeconds(range)), 0);
  return { seconds: lengthInSeconds({ start, end, base }), longestTake };
}

/**
 * Which length the film of each video has, if not that of the run: where a share is asked for and videos are so short that
 * theirs is no readable clip, they compete for what all of them may have together (decision 37). Originals come before
 * doubles, then what counts more, what is more like the others, what is longer. A note says how many have no film.
 */
export function allot(
  videos: readonly (Pick<Related, 'standing' | 'belonging'> & { readonly name: string; readonly extent: Extent })[],
  { pin }: Pick<RunWishes, 'pin'>,
  run: Run,
): Pick<Related, 'budget'>[] {
  const { budget, options, conceptBudget } = run;
  // Where clips play as they were found, none is widened to a readable length.
  if (budget.kind !== 'share' || options.cutAt === 'exact') return videos.map(() => ({}));
  const readable = Math.max(options.minClip ?? 0, Math.min(READABLE_S, options.maxClip ?? Infinity));
  const wished = new Set(pin.map(({ video }) => video));
  const contenders = videos.map(({ name, extent: { seconds, longestTake } }) => {
    const least = Math.min(seconds, Math.max(VISIBLE_S, Math.min(readable, longestTake)));
    return { seconds, least, isWished: wished.has(name) };
  });
  const weakness = ({ standing, belonging, extent }: (typeof videos)[number]): number[] => [
    standing?.doubleOf === undefined ? 0 : 1,
    -(standing?.weight ?? 1),
    belonging?.rank ?? 0,
    -extent.seconds,
  ];
  const weaknesses = videos.map(weakness);
  const order = [...videos.keys()].sort((a, b) => compareLists(weaknesses[a]!, weaknesses[b]!) || a - b);
  const allotted = allotLengths(contenders, order, budget, TOLERANCE_S);
  const without = allotted.filter((given) => given === null).length;
  if (without > 0) {
    const all = Math.ceil(budget.share * videos.reduce((sum, { extent }) => sum + extent.seconds, 0));
    const advice = conceptBudget === null ? ` For one film of all of them, add --concept ${all}s.` : '';
    note(
      run,
      'no-own-film',
      `No film of their own: ${without} of ${videos.length} videos, too short for ${options.length}. A clip has at least ${readable} s, and the films of the others are as long as all may be together.${advice}`,
    );
  }
  return allotted.map((given) => (given === budget ? {} : { budget: given }));
}

/** The first difference between two lists of numbers. */
function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}
