import sharp from 'sharp';

import { dot, type Matrix, rowOf, stackRows, takeRows, toSeconds } from '../base/index.js';
import { sameness } from '../evidence/index.js';
import { detailScale } from '../quality/index.js';
import type { Run } from '../run.js';
import { pooledChoice, type Ranking, solveAll } from '../select/index.js';
import {
  arrange,
  type Budget,
  chooseForTopic,
  chooseOrder,
  type Concept,
  findMoments,
  orderFilm,
  rankShots,
  reasonFor,
  sameInstant,
  type SharedMoment,
  type Shown,
  type TopicShot,
  type VideoClock,
} from '../summary/index.js';
import { alikeAcrossShapes, problemOf, withWishes } from '../topic/index.js';
import { clockTopic, describeClocks } from './clock-topic.js';
import { openMeasure } from './counterparts.js';
import type { RankedVideo } from './cut-video.js';
import { POOLED_SHOTS } from './limits.js';
import { note } from './note.js';
import { footageOf, POOL_TO_FILM, type Pooled, poolEveryShot, poolShots, secondsOf, wholeOf } from './pool-shots.js';
import { othersWanted, WORTH_A_THREAD } from './rank.js';
import type { ShotVectors } from './shot-vectors.js';

/** What the film of a topic plays and why, before it is laid out and rendered. */
export type ChosenConcept = Pick<
  Concept,
  'each' | 'pooled' | 'alike' | 'same' | 'moments' | 'order' | 'clocks' | 'solver'
> & {
  readonly shots: readonly Omit<TopicShot, 'filmFrame'>[];
};

/** The longer side of the pictures that wide and close are measured on. */
const VIEW_PX = 256;

/** A film shorter than this share of the length asked for is noted. */
const NEARLY_FULL = 0.9;

/** What the first shot of a moment that all videos show adds to its evidence, in standard deviations (decision 38). */
const MOMENT_WEIGHT = 2;

/**
 * Chooses one film of the whole topic. Where shots have evidence: what several videos show first, each moment by the shot
 * with the most evidence, then what is strong. Without evidence, the paper's concept visualisation: the summaries of all
 * videos are pooled and ranked once more, as if they were one video without others. `null` if no such film was asked for, or
 * no shot is left.
 */
export async function chooseConcept(
  videos: readonly RankedVideo[],
  run: Run,
  vectors: ShotVectors,
  { momentWeight = MOMENT_WEIGHT }: { momentWeight?: number } = {},
): Promise<ChosenConcept | null> {
  const { conceptBudget: budget } = run;
  if (budget === null) return null;
  const hasEvidence = videos.every(({ shots }) => shots.every(({ evidence }) => evidence !== null));
  const topic = { videos, clocks: await clockTopic(videos, run), vectors };
  const choice = hasEvidence
    ? await chooseByMoments(topic, budget, run, momentWeight)
    : await chooseFromSummaries(topic, budget, run);
  if (choice === null) {
    note(run, 'no-concept', 'No film of the topic was made: no shot is left that it may show.');
    return null;
  }
  tellLength(choice, run);
  return await describeChoice(choice, topic, run);
}

/** The topic that a film is chosen from. */
type Topic = {
  readonly videos: readonly RankedVideo[];
  readonly clocks: readonly VideoClock[];
  readonly vectors: ShotVectors;
};

/** A film as it was chosen from a pool; `chosen` are places in the pool, in the order they were taken. */
type Choice = Pick<ChosenConcept, 'each' | 'alike'> & {
  /** How much of each video was considered, if more than `each`. */
  readonly considered?: string;
  readonly pool: readonly Pooled[];
  readonly chosen: readonly number[];
  readonly overBudget: boolean;
  readonly ranking: Pick<Ranking, 'scores' | 'certificate'>;
  readonly order: readonly number[];
  readonly found?: Found;
  similarity(a: number, b: number): number;
  isAlike(a: number, b: number): boolean;
};

/** The moments of a pool, and who else shows each of its shots. */
type Found = {
  readonly same: NonNullable<Concept['same']>;
  readonly moments: readonly SharedMoment[];
  /** The moment of each pooled shot. */
  readonly of: readonly (number | null)[];
  shownBy(place: number): { readonly others: number; readonly own: number; readonly by: readonly Counterplace[] };
};
type Counterplace = { readonly place: number; readonly similarity: number };

const NOT_SOLVED = { iterations: 0, converged: true, residual: 0 };

/** Evidence for each shot, plus what the first shot of a moment adds: the more, the more videos show the moment. */
async function chooseByMoments(topic: Topic, budget: Budget, run: Run, momentWeight: number): Promise<Choice | null> {
  const { videos, vectors } = topic;
  const { each, pool } = poolEveryShot(videos, run);
  if (pool.length === 0) return null;
  const { seen } = await vectorsOfPool(pool, vectors);
  const found = await findInPool(pool, seen, videos, run, vectors);
  const { moments, of } = found;
  const videoCount = new Set(pool.map(({ source }) => source)).size;
  const knowsOthers = othersWanted(run, videos.length) !== 'none';
  const bonus = moments.map((moment) => (knowsOthers ? (momentWeight * moment.videos) / videoCount : 0));
  const evidence = Float64Array.from(pool, ({ shot }) => shot.evidence!.total);
  const worth = evidence.map((value, place) => value + (of[place] === null ? 0 : bonus[of[place]!]!));
  const order = [...pool.keys()].sort((a, b) => worth[b]! - worth[a]! || a - b);
  const ranking = { scores: worth.map((value) => Math.max(0, value)), certificate: NOT_SOLVED };
  return {
    ...(await cutPool({ pool, seen, order }, topic, budget, run, { moments: { evidence, of, bonus } })),
    ...{ each, ranking, found },
  };
}

/** What was found in the latest pool of a topic, which is the same for every length of the film. */
const known = new WeakMap<ShotVectors, { readonly key: string; readonly found: Promise<Found> }>();

/** Finds the moments of a pool by the pictures of its shots, or remembers them. */
function findInPool(...given: Parameters<typeof compareInPool>): Promise<Found> {
  const [pool, , , , vectors] = given;
  const key = pool.map(({ source, shot }) => `${source}#${shot.index}`).join(' ');
  const before = known.get(vectors);
  if (before?.key === key) return before.found;
  const found = compareInPool(...given);
  known.set(vectors, { key, found });
  return found;
}

async function compareInPool(
  pool: readonly Pooled[],
  seen: Matrix,
  videos: readonly RankedVideo[],
  { options }: Run,
  vectors: ShotVectors,
): Promise<Found> {
  const hashes = new Set(videos.map(({ sha256 }) => sha256));
  const { same, prepare } = await openMeasure(videos[0]!, hashes, options, () => vectors.alike());
  const prepared = prepare(seen);
  const S = sameness(prepared, prepared);
  const similarity = (a: number, b: number): number => S.data[a * S.cols + b]!;
  const sources = pool.map(({ source }) => source);
  const moments = findMoments({ sources, similarity, from: same.from });
  const of = new Array<number | null>(pool.length).fill(null);
  moments.forEach(({ members }, moment) => members.forEach(({ place }) => (of[place] = moment)));
  const others = new Set(sources).size - 1;
  return {
    ...{ same, moments, of },
    shownBy(place) {
      const nearest = new Map<number, Counterplace>();
      let own = 0;
      for (let other = 0; other < pool.length; other++) {
        const value = similarity(place, other);
        if (other === place || value < same.from) continue;
        const source = sources[other]!;
        if (source === sources[place]) own++;
        else if (value > (nearest.get(source)?.similarity ?? -Infinity)) nearest.set(source, { place: other, similarity: value }); // prettier-ignore
      }
      const by = [...nearest.values()].sort((a, b) => b.similarity - a.similarity || a.place - b.place);
      return { others, own, by };
    },
  };
}

/** If the pool shows too little that differs, so that another shot would fit, the film is chosen again from twice as much. */
async function chooseFromSummaries(topic: Topic, budget: Budget, run: Run): Promise<Choice | null> {
  const { videos, vectors } = topic;
  const missing = missingOf(videos, budget);
  let longest: Choice | null = null;
  let last: Choice | null = null;
  for (let times = POOL_TO_FILM; ; times *= 2) {
    const { each, pool } = poolShots(videos, budget, run, times);
    if (pool.length <= (last?.pool.length ?? 0)) break;
    const { rows, seen } = await vectorsOfPool(pool, vectors);
    const pinned = pinnedIn(pool);
    const ranking = await rankPool(pool, rows, pinned, run);
    const order = rankShots(ranking, pool.map(({ play }) => play), { pinned }); // prettier-ignore
    const cut = await cutPool({ pool, seen, order }, topic, budget, run, { scores: ranking.scores });
    last = { ...cut, each, ranking };
    if (!longest || missing(last) < missing(longest)) longest = last;
    if (missing(last) < 1 || last.pool.length >= POOLED_SHOTS) break;
  }
  return longest && { ...longest, considered: last!.each };
}

function pinnedIn(pool: readonly Pooled[]): number[] {
  return [...pool.keys()].filter((place) => pool[place]!.shot.pinned === true);
}

/** Cuts the order of a pool to the length: whether two shots show nearly the same depends on their pictures alone. */
async function cutPool(
  { pool, seen, order }: { readonly pool: readonly Pooled[]; readonly seen: Matrix; readonly order: readonly number[] },
  { videos, clocks, vectors }: Topic,
  budget: Budget,
  { options }: Run,
  worth: Pick<Parameters<typeof chooseForTopic>[2], 'scores' | 'moments'>,
): Promise<Omit<Choice, 'each' | 'ranking'>> {
  const plays = pool.map(({ source, play: { range } }) => ({ source, range, whole: wholeOf(videos[source]!) }));
  const alike = options.alike ?? (await vectors.alike());
  const acrossShapes = options.alike ?? alikeAcrossShapes(alike);
  const similarity = (a: number, b: number): number => dot(rowOf(seen, a), rowOf(seen, b));
  const upright = pool.map(({ source }) => isUpright(videos[source]!));
  const isSameInstant = sameInstant(clocks);
  const isAlike = (a: number, b: number): boolean =>
    similarity(a, b) >= (upright[a] === upright[b] ? alike : acrossShapes) || isSameInstant(plays[a]!, plays[b]!);
  const { chosen, overBudget } = chooseForTopic(order, plays, {
    ...{ budget, pinned: pinnedIn(pool), balance: options.balance, perSource: options.perSource ?? null, ...worth },
    footage: videos.map(wholeOf),
    isAlike,
  });
  return { alike, pool, chosen, overBudget, order, similarity, isAlike };
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
async function describeChoice(choice: Choice, { videos, clocks }: Topic, { options }: Run): Promise<ChosenConcept> {
  const { each, alike, pool, chosen, ranking, order, found, similarity, isAlike } = choice;
  const rankOf = new Map(order.map((place, rank) => [place, rank]));
  const kin = kinOf(chosen, pool.length, similarity, isAlike);
  const named = (place: number): { video: string; shot: number } => {
    const { source, shot } = pool[place]!;
    return { video: videos[source]!.id, shot: shot.index };
  };
  const likened = ({ place, similarity: value }: Counterplace) => ({ ...named(place), similarity: value });
  const shownOf = (place: number): Shown | undefined => {
    const shown = found?.shownBy(place);
    return shown && { ...shown, by: shown.by.map(likened) };
  };
  const nameOf = new Map(videos.map(({ id, name }) => [id, name]));
  const names = { method: options.method, nameOf: (id: string) => nameOf.get(id) ?? id };
  const ranked = chosen.map((place) => ({ ...pool[place]!, rank: rankOf.get(place)! }));
  const positionOf = (place: number): { source: number; position: number } => {
    const { source, shot } = pool[place]!;
    const { start, end } = wholeOf(videos[source]!);
    return { source, position: (shot.range.start + shot.range.end - 2 * start) / (2 * (end - start)) };
  };
  const isOrderedByView = options.order === 'auto' || options.order === 'wide';
  const closeness = await Promise.all(
    ranked.map(({ source, shot }) => (isOrderedByView ? closenessOf(videos[source]!, shot.index) : null)),
  );
  const timed = ranked.map(({ source, play: { range }, rank }, at) => {
    const whole = wholeOf(videos[source]!);
    const others = found?.shownBy(chosen[at]!).by.map(({ place }) => positionOf(place)) ?? [];
    const { startSeconds } = clocks[source]!;
    const start = startSeconds === null ? null : startSeconds + toSeconds(range.start - whole.start, whole.base);
    return { source, range, whole, rank, startSeconds: start, closeness: closeness[at]!, others };
  });
  const chosenOrder = chooseOrder(options.order, timed, clocks);
  const inFilm = withWanted(orderFilm(timed, chosenOrder.rule), ranked, videos);
  const { iterations, converged, residual } = ranking.certificate;
  return {
    ...{ each, alike, pooled: pool.length, solver: { iterations, converged, residual } },
    order: chosenOrder,
    ...describeClocks(videos, clocks),
    ...(found && {
      same: found.same,
      moments: found.moments.map(({ videos: count, members }, moment) => ({
        videos: count,
        members: members.map(likened),
        plays: inFilm.flatMap((at) => (found.of[chosen[at]!] === moment ? [named(chosen[at]!)] : [])),
      })),
    }),
    shots: inFilm.map((at) => {
      const place = chosen[at]!;
      const { shot, play } = pool[place]!;
      const shown = shownOf(place);
      return {
        ...named(place),
        ...play,
        rank: rankOf.get(place)!,
        score: ranking.scores[place]!,
        reason: reasonFor({ ...shot, shown, isStrongest: isStrongest(pool[place]!, videos) }, names),
        ...(found && { evidence: shot.evidence, moment: found.of[place]!, shown: shown! }),
        alike: kin[at]!.map(likened),
      };
    }),
  };
}

/** Whether no shot of its video has more evidence. */
function isStrongest({ source, shot }: Pooled, videos: readonly RankedVideo[]): boolean {
  const total = shot.evidence?.total ?? -Infinity;
  return total > 0 && videos[source]!.shots.every(({ evidence }) => (evidence?.total ?? Infinity) <= total);
}

/** How close the view of a shot is, by its picture; `null` if there is none that can be read. */
async function closenessOf({ analysis }: RankedVideo, shot: number): Promise<number | null> {
  const jpeg = await analysis.picture(shot);
  if (jpeg.length === 0) return null;
  const small = sharp(jpeg).greyscale().resize({ width: VIEW_PX, height: VIEW_PX, fit: 'inside' }).raw();
  const { data, info } = await small.toBuffer({ resolveWithObject: true });
  return detailScale(data, info.width, info.height);
}

function isUpright({ info: { widthPx, heightPx, sampleAspect } }: RankedVideo): boolean {
  return widthPx * sampleAspect.num < heightPx * sampleAspect.den;
}

/** An order of the film, except where one was made by hand. */
function withWanted(order: readonly number[], chosen: readonly Pooled[], videos: readonly RankedVideo[]): number[] {
  const wantedAt = chosen.map(({ source, shot }) => videos[source]!.topicPlaces.get(shot.index));
  const listed = [...chosen.keys()].filter((at) => wantedAt[at] !== undefined);
  listed.sort((a, b) => wantedAt[a]! - wantedAt[b]!);
  return arrange(order, listed);
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

/** For each chosen shot, the pooled shots that were left out because they show nearly the same; most similar first. */
function kinOf(
  chosen: readonly number[],
  poolSize: number,
  similarity: (a: number, b: number) => number,
  isAlike: (a: number, b: number) => boolean,
): Counterplace[][] {
  const kin: Counterplace[][] = chosen.map(() => []);
  const taken = new Set(chosen);
  for (let place = 0; place < poolSize; place++) {
    if (taken.has(place)) continue;
    const near = chosen.map((other) => (isAlike(place, other) ? similarity(place, other) : -Infinity));
    const nearest = Math.max(...near);
    if (nearest > -Infinity) kin[near.indexOf(nearest)]!.push({ place, similarity: Math.min(1, nearest) });
  }
  return kin.map((list) => list.sort((a, b) => b.similarity - a.similarity || a.place - b.place));
}

function tellLength({ pool, chosen: places, overBudget: isOver, each, considered = each }: Choice, run: Run): void {
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
    `${length}: the other shots considered (${considered} of each video) show nearly the same as those in it, or are too long for the rest${limit}.`,
  );
}
