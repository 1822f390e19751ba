import { lengthInSeconds, type Matrix, stackRows, takeRows, type TimeRange } from '../base/index.js';
import { isUsable } from '../shots/index.js';
import type { Run } from './run.js';
import { type Budget, type Clip, cutToLength, formatBudget, type SummaryShot } from '../summary/index.js';
import { pooledChoice, type Ranking, solveAll } from '../select/index.js';
import { problemOf, withWishes } from '../topic/index.js';
import { POOLED_SHOTS, note } from './limits.js';
import type { Play, RankedVideo } from './cut-video.js';
import { WORTH_A_THREAD } from './rank.js';
import type { ShotVectors } from './shot-vectors.js';

/** A shot of the pool, what the film may play of it, and the place of its video. */
export type Pooled = Omit<Play, 'clip'> & { readonly source: number; readonly shot: SummaryShot; readonly play: Clip };

/** The pool is this many times as long as the film, so that shots which show the same as others can be left out. */
export const POOL_TO_FILM = 3;

/**
 * The shots of all summaries, and the length of each summary; if that is less than `times` the film, also the next best
 * shots of each video. Vetoed shots are never in the pool; of doubles, only pinned shots are.
 */
export function poolShots(
  videos: readonly RankedVideo[],
  budget: Budget,
  run: Run,
  times = POOL_TO_FILM,
): { each: string; pool: Pooled[] } {
  const { mayGive, poolOf } = opener(videos, run);
  const summaries = poolOf((shot) => shot.chosen);
  const longer = longerSummaries(videos, summaries, budget, times);
  if (longer === null) return { each: run.options.length, pool: bestOfPool(summaries, run) };
  const more = new Map(videos.map((video) => [video, bestOf(video, longer, (shot) => !mayGive(shot, video))]));
  const pool = poolOf((shot, video) => shot.chosen || more.get(video)!.has(shot.index));
  return { each: formatBudget(longer), pool: bestOfPool(pool, run) };
}

/** All shots that the film may show, whatever the lengths of the summaries. */
export function poolEveryShot(videos: readonly RankedVideo[], run: Run): { each: string; pool: Pooled[] } {
  const pool = opener(videos, run).poolOf((shot) => shot.pinned === true || shot.vetoed !== true);
  return { each: '100%', pool: bestOfPool(pool, run) };
}

/** Which shots may be in a pool, and those of them that are wanted. */
function opener(videos: readonly RankedVideo[], { options }: Run) {
  const isGood = (shot: SummaryShot): boolean => options.allowBad || isUsable(shot);
  // Flawed shots are only for a topic that has no others.
  const hasGood = videos.some((video) => isGiver(video) && video.shots.some((shot) => !shot.vetoed && isGood(shot)));
  const mayGive = (shot: SummaryShot, video: RankedVideo): boolean =>
    shot.pinned === true || (isGiver(video) && (isGood(shot) || !hasGood));
  const poolOf = (isIn: (shot: SummaryShot, video: RankedVideo) => boolean): Pooled[] =>
    videos.flatMap((video, source) =>
      video.shots.flatMap((shot) => {
        const play = isIn(shot, video) && mayGive(shot, video) ? video.plays(shot.index) : null;
        return play === null ? [] : [{ source, shot, play: play.clip, least: play.least, most: play.most }];
      }),
    );
  return { mayGive, poolOf };
}

/** If a pool is too large to be solved: pinned shots, then the best of each video in turn; in the order of the pool. */
function bestOfPool(pool: Pooled[], run: Run): Pooled[] {
  if (pool.length <= POOLED_SHOTS) return pool;
  note(
    run,
    'large-pool',
    `There are ${pool.length} shots for the film of the topic; it was chosen from ${POOLED_SHOTS} of them, the best of each video first.`,
  );
  const turns = new Map<Pooled, number>();
  const taken = new Map<number, number>();
  for (const each of pool.toSorted((a, b) => a.shot.rank - b.shot.rank)) {
    const turn = each.shot.pinned === true ? -1 : (taken.get(each.source) ?? 0);
    turns.set(each, turn);
    if (turn >= 0) taken.set(each.source, turn + 1);
  }
  const best = pool.toSorted((a, b) => turns.get(a)! - turns.get(b)! || b.shot.score - a.shot.score);
  const kept = new Set(best.slice(0, POOLED_SHOTS));
  return pool.filter((each) => kept.has(each));
}

/** Whether a video gives shots to the film of its topic even if none are pinned: what a double shows, its original gives. */
function isGiver({ standing }: RankedVideo): boolean {
  return standing?.doubleOf === undefined;
}

function bestOf(video: RankedVideo, length: Budget, isFlawed: (shot: SummaryShot) => boolean): Set<number> {
  const ranking = video.shots.toSorted((a, b) => a.rank - b.rank).map((shot) => shot.index);
  const vetoed = video.shots.filter((shot) => shot.vetoed === true).map((shot) => shot.index);
  const flawed = video.shots.filter(isFlawed).map((shot) => shot.index);
  return new Set(cutToLength(ranking, video.shots, length, wholeOf(video), undefined, { vetoed, flawed }).chosen);
}

/** The length at which the summaries are long enough for the film; `null` if they already are. */
function longerSummaries(
  videos: readonly RankedVideo[],
  pool: readonly Pooled[],
  budget: Budget,
  times: number,
): Budget | null {
  const givers = videos.filter(isGiver);
  if (givers.length === 0) return null;
  if (budget.kind === 'shots') {
    const needed = times * budget.shots;
    return pool.length >= needed ? null : { kind: 'shots', shots: Math.ceil(needed / givers.length) };
  }
  const needed = times * (budget.kind === 'seconds' ? budget.seconds : budget.share * footageOf(videos));
  if (secondsOf(pool) >= needed) return null;
  return { kind: 'share', share: Math.min(100, Math.ceil((100 * needed) / footageOf(givers))) / 100 };
}

/** How long videos are together, in seconds. */
export function footageOf(videos: readonly RankedVideo[]): number {
  return videos.reduce((sum, video) => sum + lengthInSeconds(wholeOf(video)), 0);
}

/** How long pooled shots play, in seconds, for budgets and messages. */
export function secondsOf(shots: readonly Pooled[]): number {
  return shots.reduce((sum, { play }) => sum + lengthInSeconds(play.range), 0);
}

/** A video from its first frame to the end of its last. */
export function wholeOf({ analysis: { start, end, timeBase: base } }: RankedVideo): TimeRange {
  return { start, end, base };
}

/** The vectors of pooled shots, video by video, so that the vectors of one video are in memory at a time. */
export async function vectorsOfPool(
  pool: readonly Pooled[],
  vectors: ShotVectors,
): Promise<{ rows: Matrix; seen: Matrix }> {
  const [rows, seen]: [Matrix[], Matrix[]] = [[], []];
  for (let at = 0; at < pool.length;) {
    const { source } = pool[at]!;
    const { features, looks } = await vectors.of(source);
    const shots: number[] = [];
    for (; pool[at]?.source === source; at++) shots.push(pool[at]!.shot.index);
    rows.push(takeRows(features, shots));
    seen.push(takeRows(looks, shots));
  }
  return { rows: stackRows(rows), seen: stackRows(seen) };
}

/** Ranks the pooled shots as one video whose topic is itself, or by their scores where the method cannot. */
export async function rankPool(
  pool: readonly Pooled[],
  features: Matrix,
  pinned: readonly number[],
  { options, signal, solve = solveAll }: Run,
): Promise<Pick<Ranking, 'order' | 'scores' | 'certificate'>> {
  const { method, seed, diversity, sparsity } = options;
  const choice = pooledChoice({
    method,
    seed,
    knobs: { diversity, ...(sparsity === undefined ? {} : { sparsity }) },
  });
  if (choice === null) {
    const scores = Float64Array.from(pool, ({ shot }) => shot.score);
    const order = [...pool.keys()].sort((a, b) => scores[b]! - scores[a]! || pool[a]!.shot.rank - pool[b]!.shot.rank);
    return { order, scores, certificate: { iterations: 0, converged: true, residual: 0 } };
  }
  const problem = withWishes(problemOf(features, null), pinned, []);
  const workers = pool.length > WORTH_A_THREAD ? 1 : 0;
  const [ranking] = await solve([problem], choice, { workers, signal });
  return ranking!;
}
