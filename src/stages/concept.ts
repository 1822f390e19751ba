import { dot, type Matrix, rowOf, stackRows, takeRows } from '../base/index.js';
import type { Run } from '../run.js';
import { pooledChoice, type Ranking, solveAll } from '../select/index.js';
import {
  arrange,
  type Budget,
  chooseForTopic,
  type Concept,
  type FilmOrder,
  orderFilm,
  rankShots,
  type TopicShot,
} from '../summary/index.js';
import { alikeAcrossShapes, problemOf, withWishes } from '../topic/index.js';
import type { RankedVideo } from './cut-video.js';
import { POOLED_SHOTS } from './limits.js';
import { note } from './note.js';
import { footageOf, POOL_TO_FILM, type Pooled, poolShots, secondsOf, wholeOf } from './pool-shots.js';
import { WORTH_A_THREAD } from './rank.js';
import type { ShotVectors } from './shot-vectors.js';

/** What the film of a topic plays and why, before it is laid out and rendered. */
export type ChosenConcept = Pick<Concept, 'each' | 'pooled' | 'alike' | 'solver'> & {
  readonly shots: readonly Omit<TopicShot, 'filmFrame'>[];
};

/** A film shorter than this share of the length asked for is noted. */
const NEARLY_FULL = 0.9;

/**
 * Chooses one film of the whole topic (the paper's concept visualisation): the summaries of all videos are pooled and
 * ranked once more, as if they were one video without others. `null` if no such film was asked for, or no shot is left.
 * If the pool shows too little that differs, so that another shot would fit, the film is chosen again from twice as much.
 */
export async function chooseConcept(
  videos: readonly RankedVideo[],
  run: Run,
  vectors: ShotVectors,
): Promise<ChosenConcept | null> {
  const { conceptBudget: budget } = run;
  if (budget === null) return null;
  const missing = missingOf(videos, budget);
  let [longest, last]: (Choice | null)[] = [null, null];
  for (let times = POOL_TO_FILM; ; times *= 2) {
    const pooled = poolShots(videos, budget, run, times);
    if (pooled.pool.length <= (last?.pool.length ?? 0)) break;
    last = await chooseFrom(pooled, videos, budget, run, vectors);
    if (!longest || missing(last) < missing(longest)) longest = last;
    if (missing(last) < 1 || last.pool.length >= POOLED_SHOTS) break;
  }
  if (!longest || !last) {
    note(run, 'no-concept', 'No film of the topic was made: no shot is left that it may show.');
    return null;
  }
  tellLength(longest, last.each, run);
  return describeChoice(longest, videos, run);
}

/** A film as it was chosen from one pool; `chosen` are places in the pool, in the order they were taken. */
type Choice = Pick<ChosenConcept, 'each' | 'alike'> & {
  readonly pool: readonly Pooled[];
  readonly chosen: readonly number[];
  readonly overBudget: boolean;
  readonly ranking: Pick<Ranking, 'scores' | 'certificate'>;
  readonly order: readonly number[];
  similarity(a: number, b: number): number;
  isAlike(a: number, b: number): boolean;
};

async function chooseFrom(
  { each, pool }: { readonly each: string; readonly pool: readonly Pooled[] },
  videos: readonly RankedVideo[],
  budget: Budget,
  run: Run,
  vectors: ShotVectors,
): Promise<Choice> {
  const { options } = run;
  // Shots are ranked by everything known about them; whether two show the same depends on their pictures alone.
  const { rows, seen } = await vectorsOfPool(pool, vectors);
  const pinned = [...pool.keys()].filter((place) => pool[place]!.shot.pinned === true);
  const ranking = await rankPool(pool, rows, pinned, run);
  const plays = pool.map(({ source, play: { range } }) => ({ source, range }));
  const order = rankShots(ranking, plays, { pinned });
  const alike = options.alike ?? (await vectors.alike());
  const acrossShapes = options.alike ?? alikeAcrossShapes(alike);
  const similarity = (a: number, b: number): number => dot(rowOf(seen, a), rowOf(seen, b));
  const upright = pool.map(({ source }) => isUpright(videos[source]!));
  const isAlike = (a: number, b: number): boolean =>
    similarity(a, b) >= (upright[a] === upright[b] ? alike : acrossShapes);
  const { chosen, overBudget } = chooseForTopic(order, plays, {
    ...{ budget, pinned, balance: options.balance, perSource: options.perSource ?? null, scores: ranking.scores },
    footage: videos.map(wholeOf),
    isAlike,
  });
  return { each, alike, pool, chosen, overBudget, ranking, order, similarity, isAlike };
}

/** How many shots, of the mean length of the pool, are missing for the length asked for; none if it is nearly full. */
function missingOf(videos: readonly RankedVideo[], budget: Budget): (choice: Choice) => number {
  if (budget.kind === 'shots') return ({ chosen }) => budget.shots - chosen.length;
  const asked = budget.kind === 'seconds' ? budget.seconds : budget.share * footageOf(videos);
  return ({ chosen, pool }) => {
    const seconds = secondsOf(chosen.map((place) => pool[place]!));
    return seconds >= NEARLY_FULL * asked ? 0 : (asked - seconds) / (secondsOf(pool) / pool.length);
  };
}

/** The film in its order, each shot with its reason. */
function describeChoice(choice: Choice, videos: readonly RankedVideo[], { options }: Run): ChosenConcept {
  const { each, alike, pool, chosen, ranking, order, similarity, isAlike } = choice;
  const rankOf = new Map(order.map((place, rank) => [place, rank]));
  const kin = kinOf(chosen, pool.length, similarity, isAlike);
  const named = (place: number): { video: string; shot: number } => {
    const { source, shot } = pool[place]!;
    return { video: videos[source]!.id, shot: shot.index };
  };
  const { iterations, converged, residual } = ranking.certificate;
  const ranked = chosen.map((place) => ({ ...pool[place]!, rank: rankOf.get(place)! }));
  return {
    ...{ each, alike, pooled: pool.length, solver: { iterations, converged, residual } },
    shots: filmOrder(ranked, videos, options.order).map((at) => {
      const place = chosen[at]!;
      const { source, play } = pool[place]!;
      const turn = chosen.slice(0, at).filter((other) => pool[other]!.source === source).length;
      return {
        ...named(place),
        ...play,
        rank: rankOf.get(place)!,
        score: ranking.scores[place]!,
        reason: reasonOf({ place, rank: rankOf.get(place)!, turn, kin: kin[at]! }, pool, videos),
        alike: kin[at]!.map((other) => ({ ...named(other.place), similarity: other.similarity })),
      };
    }),
  };
}

function isUpright({ info: { widthPx, heightPx, sampleAspect } }: RankedVideo): boolean {
  return widthPx * sampleAspect.num < heightPx * sampleAspect.den;
}

/** Chosen shots in the order the film plays them: as asked for, except where an order was made by hand. */
function filmOrder(
  chosen: readonly (Pooled & { readonly rank: number })[],
  videos: readonly RankedVideo[],
  order: FilmOrder,
): number[] {
  const inFilm = chosen.map(({ source, play: { range }, rank }) => {
    return { source, range, whole: wholeOf(videos[source]!), rank };
  });
  const wantedAt = chosen.map(({ source, shot }) => videos[source]!.topicPlaces.get(shot.index));
  const listed = [...chosen.keys()].filter((at) => wantedAt[at] !== undefined);
  listed.sort((a, b) => wantedAt[a]! - wantedAt[b]!);
  return arrange(orderFilm(inFilm, order), listed);
}

/** The vectors of pooled shots, video by video, so that the vectors of one video are in memory at a time. */
async function vectorsOfPool(pool: readonly Pooled[], vectors: ShotVectors): Promise<{ rows: Matrix; seen: Matrix }> {
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

async function rankPool(
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

type Kin = { readonly place: number; readonly similarity: number };

/** For each chosen shot, the pooled shots that were left out because they show nearly the same; most similar first. */
function kinOf(
  chosen: readonly number[],
  poolSize: number,
  similarity: (a: number, b: number) => number,
  isAlike: (a: number, b: number) => boolean,
): Kin[][] {
  const kin: Kin[][] = chosen.map(() => []);
  const taken = new Set(chosen);
  for (let place = 0; place < poolSize; place++) {
    if (taken.has(place)) continue;
    const near = chosen.map((other) => (isAlike(place, other) ? similarity(place, other) : -Infinity));
    const nearest = Math.max(...near);
    if (nearest > -Infinity) kin[near.indexOf(nearest)]!.push({ place, similarity: Math.min(1, nearest) });
  }
  return kin.map((list) => list.sort((a, b) => b.similarity - a.similarity || a.place - b.place));
}

/** `Rank 3 of 34, the best of its video. Nearly the same in 3 more shots, of aiko.mp4 and the same video.` */
function reasonOf(
  { place, rank, turn, kin }: { place: number; rank: number; turn: number; kin: readonly Kin[] },
  pool: readonly Pooled[],
  videos: readonly RankedVideo[],
): string {
  const { source, shot } = pool[place]!;
  const turns = turn === 0 ? 'the best' : `number ${turn + 1}`;
  const first =
    shot.pinned === true ? 'Asked for by a wish.' : `Rank ${rank + 1} of ${pool.length}, ${turns} of its video.`;
  if (kin.length === 0) return first;
  const sources = [...new Set(kin.map((other) => pool[other.place]!.source))].sort((a, b) => a - b);
  const names = sources.map((other) => (other === source ? 'the same video' : videos[other]!.name));
  const others = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `${first} Nearly the same in ${kin.length} more ${kin.length === 1 ? 'shot' : 'shots'}, of ${others}.`;
}

function tellLength({ pool, chosen: places, overBudget: isOver }: Choice, each: string, run: Run): void {
  const { conceptBudget: budget, options } = run;
  const chosen = places.map((place) => pool[place]!);
  const seconds = secondsOf(chosen);
  const length = `The film of the topic is ${seconds.toFixed(1)} s long (asked for: ${options.concept})`;
  const isPinned = chosen.some(({ shot }) => shot.pinned === true);
  const { perSource } = options;
  const isShort = budget?.kind !== 'seconds' || seconds <= budget.seconds;
  const why = isPinned
    ? 'the pinned shots are longer and were taken whole'
    : `no shot is as short as ${perSource !== undefined && isShort ? `the ${perSource} s allowed of one video` : 'that'}, so the best one was taken whole`;
  if (isOver) return note(run, 'over-length', `${length}: ${why}.`);
  if (budget?.kind !== 'seconds' || seconds >= NEARLY_FULL * budget.seconds) return;
  const limit = perSource === undefined ? '' : `, or would be more than ${perSource} s of one video`;
  note(
    run,
    'short-film',
    `${length}: the other shots considered (${each} of each video) show nearly the same as those in it, or are too long for the rest${limit}.`,
  );
}
