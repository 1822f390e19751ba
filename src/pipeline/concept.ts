import { dot, type Matrix, rowOf } from '../base/index.js';
import { sameness, alikeAcrossShapes } from '../topic/index.js';
import { TITLE_SECONDS } from '../render/index.js';
import type { Run } from './run.js';
import type { Ranking } from '../select/index.js';
import {
  type Budget,
  chooseForTopic,
  type Concept,
  findMoments,
  rankShots,
  reasonFor,
  sameInstant,
  type SharedMoment,
  type Shown,
  type TopicRules,
  type TopicShot,
  type VideoClock,
} from '../summary/index.js';
import { clockTopic, describeClocks, askedSeconds, editFilm, type EditedFilm } from './edit-concept.js';
import { TOLERANCE_S, POOLED_SHOTS, note } from './limits.js';
import { byNearness, openMeasure } from './supporters.js';
import type { RankedVideo } from './cut-video.js';
import {
  POOL_TO_FILM,
  type Pooled,
  poolEveryShot,
  poolShots,
  rankPool,
  secondsOf,
  vectorsOfPool,
  wholeOf,
} from './pool-shots.js';
import { othersWanted } from './rank.js';
import type { ShotVectors } from './shot-vectors.js';

/** What the film of a topic plays and why, before it is laid out and rendered. */
export type ChosenConcept = Pick<
  Concept,
  'each' | 'pooled' | 'alike' | 'same' | 'moments' | 'order' | 'clocks' | 'solver'
> & {
  readonly shots: readonly Omit<TopicShot, 'filmFrame'>[];
};

/** A film shorter than this share of the length asked for is noted. */
const NEARLY_FULL = 0.9;

/** How shots are chosen (decision 38); the benchmark varies it. */
const KNOBS = {
  /** What the first shot of a moment that all videos show adds to its worth, in standard deviations. */
  momentWeight: 4,
  /** What a shot is worth less if it continues one in the film, in standard deviations. */
  continued: 0.1,
  /** Videos take turns for so many shots of each. */
  turns: 6,
  /** A shot that stands lower in its video, in standard deviations, waits for the better ones of all videos. */
  worthy: 0.5,
  /** Seconds that a clip may grow to by good shots that follow each other: the longest clip of a summary. */
  longestRun: 6,
};

/**
 * Chooses one film of the whole topic. Where shots have evidence: what several videos show first, each moment by the shot
 * that ranks best in its own video, then what ranks well. Without evidence, the paper's concept visualisation: the summaries of all
 * videos are pooled and ranked once more, as if they were one video without others. `null` if no such film was asked for, or
 * no shot is left.
 */
export async function chooseConcept(
  videos: readonly RankedVideo[],
  run: Run,
  vectors: ShotVectors,
  knobs: Partial<typeof KNOBS> = {},
): Promise<ChosenConcept | null> {
  const { conceptBudget: budget } = run;
  if (budget === null) return null;
  const hasEvidence = videos.every(({ shots }) => shots.every(({ evidence }) => evidence !== null));
  const topic = { videos, clocks: await clockTopic(videos, run), vectors };
  const choice = hasEvidence
    ? await chooseByMoments(topic, budget, run, { ...KNOBS, ...knobs })
    : await chooseFromSummaries(topic, budget, run);
  if (choice === null) {
    note(run, 'no-concept', 'No film of the topic was made: no shot is left that it may show.');
    return null;
  }
  const film = await editFilm(choice, topic, budget, run);
  noteLength(choice, film, run);
  return describeFilm(choice, film, topic, run);
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
  shownBy(
    place: number,
  ): { readonly others: number; readonly own: number } & Record<'by' | 'kin', readonly Counterplace[]>;
};
type Counterplace = { readonly place: number; readonly similarity: number };

const NOT_SOLVED = { iterations: 0, converged: true, residual: 0 };

/**
 * The worth of a shot is its standardised rank in its own video, plus what the first shot of a moment adds: the more, the
 * more videos show the moment.
 *   worth_i = √12 (½ − (rank_i + ½)/n) + w · videos of its moment / videos,   n: shots of its video
 */
async function chooseByMoments(
  topic: Topic,
  budget: Budget,
  run: Run,
  { momentWeight, ...rules }: typeof KNOBS,
): Promise<Choice | null> {
  const { videos, vectors } = topic;
  const { each, pool } = poolEveryShot(videos, run);
  if (pool.length === 0) return null;
  const { seen } = await vectorsOfPool(pool, vectors);
  const found = await findInPool(pool, seen, videos, run, vectors);
  const { moments, of } = found;
  const videoCount = new Set(pool.map(({ source }) => source)).size;
  const knowsOthers = othersWanted(run, videos.length) !== 'none';
  const bonus = moments.map((moment) => (knowsOthers ? (momentWeight * moment.videos) / videoCount : 0));
  const standing = Float64Array.from(pool, ({ source, shot: { rank } }) => {
    return Math.sqrt(12) * (0.5 - (rank + 0.5) / videos[source]!.shots.length);
  });
  const worth = standing.map((value, place) => value + (of[place] === null ? 0 : bonus[of[place]!]!));
  const order = [...pool.keys()].sort((a, b) => worth[b]! - worth[a]! || a - b);
  const ranking = { scores: worth.map((value) => Math.max(0, value)), certificate: NOT_SOLVED };
  return {
    ...(await cutPool({ pool, seen, order }, topic, budget, run, {
      moments: { standing, of, bonus, ...rules },
    })),
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
  const { same, prepare } = await openMeasure(videos[0]!, hashes, options, vectors);
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
        const source = sources[other]!;
        if (other === place || value < (same.kinFrom ?? same.from)) continue;
        if (source === sources[place]) own += value < same.from ? 0 : 1;
        else if (value > (nearest.get(source)?.similarity ?? -Infinity)) nearest.set(source, { place: other, similarity: value }); // prettier-ignore
      }
      return { others, own, ...byNearness([...nearest.values()], same.from) };
    },
  };
}

/**
 * If the pool shows too little that differs, so that another shot would fit, the film is chosen again from twice as much.
 * Views are shown again only when there is no more.
 */
async function chooseFromSummaries(topic: Topic, budget: Budget, run: Run): Promise<Choice | null> {
  const { videos, vectors } = topic;
  const missing = missingOf(videos, budget);
  let longest: Choice | null = null;
  let last: { readonly choice: Choice; repeat(): Promise<Choice> } | null = null;
  for (let times = POOL_TO_FILM; ; times *= 2) {
    const { each, pool } = poolShots(videos, budget, run, times);
    if (pool.length <= (last?.choice.pool.length ?? 0)) break;
    const { rows, seen } = await vectorsOfPool(pool, vectors);
    const pinned = pinnedIn(pool);
    const ranking = await rankPool(pool, rows, pinned, run);
    const order = rankShots(ranking, pool.map(({ play }) => play), { pinned }); // prettier-ignore
    const choose = async (mayRepeat: boolean): Promise<Choice> => ({
      ...(await cutPool({ pool, seen, order }, topic, budget, run, { scores: ranking.scores, mayRepeat })),
      ...{ each, ranking },
    });
    last = { choice: await choose(false), repeat: () => choose(true) };
    if (!longest || missing(last.choice) < missing(longest)) longest = last.choice;
    if (missing(longest) < 1 || pool.length >= POOLED_SHOTS) break;
  }
  if (longest === null || last === null) return null;
  const film = missing(longest) < 1 ? longest : await last.repeat();
  return { ...(missing(film) < missing(longest) ? film : longest), considered: last.choice.each };
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
  { mayRepeat = true, ...worth }: Pick<TopicRules, 'scores' | 'moments'> & { readonly mayRepeat?: boolean },
): Promise<Omit<Choice, 'each' | 'ranking'>> {
  const plays = pool.map(({ source, play: { range }, least, most }) => {
    return { source, range, whole: wholeOf(videos[source]!), leastTicks: least, mostTicks: most };
  });
  const alike = options.alike ?? (await vectors.alike());
  const acrossShapes = options.alike ?? alikeAcrossShapes(alike);
  const similarity = (a: number, b: number): number => dot(rowOf(seen, a), rowOf(seen, b));
  const upright = pool.map(({ source }) => isUpright(videos[source]!));
  const isSameInstant = sameInstant(clocks);
  const isSame = (a: number, b: number): boolean =>
    similarity(a, b) >= (upright[a] === upright[b] ? alike : acrossShapes) || isSameInstant(plays[a]!, plays[b]!);
  const views = pool.map(({ source, shot }) => videos[source]!.views[shot.index]!);
  // A similarity that was asked for is the only measure.
  const isSameView = (a: number, b: number): boolean =>
    options.alike === undefined && pool[a]!.source === pool[b]!.source && views[a] === views[b];
  const isAlike = (a: number, b: number): boolean => isSameView(a, b) || isSame(a, b);
  const { chosen, overBudget } = chooseForTopic(order, plays, {
    ...{ budget, pinned: pinnedIn(pool), balance: options.balance, perSource: options.perSource ?? null, ...worth },
    ...{ footage: videos.map(wholeOf), fade: options.fade, title: options.title === undefined ? 0 : TITLE_SECONDS },
    ...(mayRepeat ? { isAlike: isSame, isSameView } : { isAlike }),
  });
  return { alike, pool, chosen, overBudget, order, similarity, isAlike };
}

/** How many shots, of the mean length of the pool, are missing for the length asked for; none if it is nearly full. */
function missingOf(videos: readonly RankedVideo[], budget: Budget): (choice: Choice) => number {
  if (budget.kind === 'shots') return ({ chosen }) => budget.shots - chosen.length;
  const asked = askedSeconds(budget, videos)!;
  return ({ chosen, pool }) => {
    const seconds = secondsOf(chosen.map((place) => pool[place]!));
    return seconds >= NEARLY_FULL * asked ? 0 : (asked - seconds) / (secondsOf(pool) / pool.length);
  };
}

/** The film in its order, each shot with its reason. */
function describeFilm(
  choice: Choice,
  { plays, order: filmOrder }: EditedFilm,
  { videos, clocks }: Topic,
  { options }: Run,
): ChosenConcept {
  const { each, alike, pool, ranking, order, found, similarity, isAlike } = choice;
  const rankOf = new Map(order.map((place, rank) => [place, rank]));
  const shown = [...plays.keys()];
  const kin = kinOf(shown, pool.length, similarity, isAlike);
  const named = (place: number): { video: string; shot: number } => {
    const { source, shot } = pool[place]!;
    return { video: videos[source]!.id, shot: shot.index };
  };
  const likened = ({ place, similarity: value }: Counterplace) => ({ ...named(place), similarity: value });
  const shownOf = (place: number): Shown | undefined => {
    const others = found?.shownBy(place);
    return others && { ...others, by: others.by.map(likened), kin: others.kin.map(likened) };
  };
  const nameOf = new Map(videos.map(({ id, name }) => [id, name]));
  const names = { method: options.method, nameOf: (id: string) => nameOf.get(id) ?? id };
  const { iterations, converged, residual } = ranking.certificate;
  return {
    ...{ each, alike, pooled: pool.length, solver: { iterations, converged, residual } },
    order: filmOrder,
    ...describeClocks(videos, clocks),
    ...(found && {
      same: found.same,
      moments: found.moments.map(({ videos: count, members }, moment) => ({
        videos: count,
        members: members.map(likened),
        plays: shown.flatMap((place) => (found.of[place] === moment ? [named(place)] : [])),
      })),
    }),
    shots: shown.map((place, at) => {
      const others = shownOf(place);
      const { source, shot } = pool[place]!;
      const before = at === 0 ? null : shown[at - 1]!;
      const continues =
        before !== null &&
        pool[before]!.source === source &&
        plays.get(before)!.endFrame === plays.get(place)!.startFrame;
      // Not the whole shot: its `support` and `shown` are worked out when they are read.
      const { evidence, pinned } = shot;
      const facts = { evidence, pinned, shown: others, isStrongest: isStrongest(pool[place]!, videos), continues };
      return {
        ...named(place),
        ...plays.get(place)!,
        rank: rankOf.get(place)!,
        score: ranking.scores[place]!,
        reason: reasonFor(facts, names),
        ...(found && { evidence, moment: found.of[place]!, shown: others! }),
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

function isUpright({ info: { widthPx, heightPx, sampleAspect } }: RankedVideo): boolean {
  return widthPx * sampleAspect.num < heightPx * sampleAspect.den;
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

/** Notes a film that is longer or shorter than asked for, and why. */
function noteLength(
  { pool, overBudget, each, considered = each }: Choice,
  { plays, seconds, asked }: EditedFilm,
  run: Run,
): void {
  const { options } = run;
  const { perSource, cutAt } = options;
  const length = `The film of the topic is ${seconds.toFixed(1)} s long (asked for: ${options.concept})`;
  if (overBudget || (asked !== null && seconds > asked + TOLERANCE_S)) {
    const isPinned = [...plays.keys()].some((place) => pool[place]!.shot.pinned === true);
    const isOfSource = perSource !== undefined && (asked === null || seconds <= asked);
    const why = isPinned
      ? 'the pinned shots are longer and were taken whole'
      : `no shot is as short as ${isOfSource ? `the ${perSource} s allowed of one video` : 'that'}, so the best one was taken`;
    return note(run, 'over-length', `${length}: ${why}.`);
  }
  const least = cutAt === 'exact' ? NEARLY_FULL * (asked ?? 0) : (asked ?? 0) - TOLERANCE_S;
  if (asked === null || seconds >= least) return;
  const limit = perSource === undefined ? '' : `, or would be more than ${perSource} s of one video`;
  note(
    run,
    'short-film',
    `${length}: the other shots considered (${considered} of each video) show nearly the same as those in it, or are too long for the rest${limit}.`,
  );
}
