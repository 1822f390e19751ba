import {
  type Matrix,
  type TallMatrix,
  dot,
  rowBlocks,
  rowOf,
  takeRows,
  matrixOf,
  meanOfRows,
  multiply,
  transpose,
} from '../base/index.js';
import { nearestShots, sketchOf, viewCount, cosineOf, evenly, type Sketch, median } from './likeness.js';
import type { Votes } from './types.js';

/** How the videos of a topic relate to each other, by their places. */
export type Relations = {
  /** `null` if there are too few videos. Doubles of each other share the belonging of the first of them. */
  readonly belongings: readonly (Belonging | null)[];
  readonly doubles: readonly Double[];
  /** Videos that are doubles of each other, two or more a group. */
  readonly groups: readonly (readonly number[])[];
  readonly votes: Votes;
};

/** If nearer videos count more: a video whose likeness is lower by this much counts 1/e. */
const SIMILAR_SCALE = 0.2;

/**
 * Relates the videos of a topic, given by their features and by how alike they are: which show the same, which do not
 * belong, and how much each counts for the others. A group of doubles counts once, and does not count for its own members.
 * With `similar`, nearer videos count more. A stray counts like any other video: a verdict changes no film.
 */
export function relateVideos(
  videos: readonly TallMatrix[],
  table: LikenessTable | null,
  {
    neighbors = 'equal',
    similarScale = SIMILAR_SCALE,
  }: { neighbors?: 'equal' | 'similar'; similarScale?: number } = {},
): Relations {
  const sketches = videos.map(sketchOf);
  const doubles = findDoubles(sketches);
  const groups = groupDoubles(videos.length, doubles);
  const groupOf = new Map(groups.flatMap((group) => group.map((video) => [video, group])));
  const firstOf = (video: number): number => groupOf.get(video)?.[0] ?? video;

  // A copy is like its original: doubles would vouch for each other.
  const distinct = [...videos.keys()].filter((video) => firstOf(video) === video);
  const judged =
    table === null ? new Map<number, Belonging>() : measureBelonging(table, sketches.map(viewCount), distinct);
  const belongings = videos.map((_, video) => judged.get(firstOf(video)) ?? null);

  const common = videos.map((_, video) => 1 / (groupOf.get(video)?.length ?? 1));
  const compared = neighbors === 'similar' ? sketches.map((sketch) => sketch.some()) : null;
  const special = videos.map((_, video) => {
    const group = groupOf.get(video) ?? [];
    // If all videos are doubles of each other, none of them is left out.
    const isSpecial = group.length > 0 && group.length < videos.length;
    const weights = isSpecial ? common.map((weight, other) => (group.includes(other) ? 0 : weight)) : common;
    if (compared !== null) return bySimilarity(video, weights, compared, similarScale);
    return isSpecial ? weights : null;
  });
  return { belongings, doubles, groups, votes: special.some(Boolean) ? { common, special } : { common } };
}

/** The weights times exp(likeness/scale), scaled so that their sum stays the same: nearer videos count more. */
function bySimilarity(video: number, weights: readonly number[], shots: readonly Matrix[], scale: number): number[] {
  const likeness = weights.map((weight, other) => {
    if (other === video || weight === 0) return -Infinity;
    const { cosine } = nearestShots(shots[video]!, shots[other]!);
    return cosine.reduce((sum, value) => sum + value, 0) / cosine.length;
  });
  const most = Math.max(...likeness);
  const raised = weights.map((weight, other) => weight * Math.exp((likeness[other]! - most) / scale));
  const sumOf = (values: readonly number[]): number =>
    values.reduce((sum, value, other) => (other === video ? sum : sum + value), 0);
  const rest = sumOf(raised);
  return raised.map((weight) => (rest > 0 ? (weight * sumOf(weights)) / rest : 0));
}

/** Two videos, by their places, that show the same: a copy, a re-upload, or a copy with other ends. */
export type Double = {
  readonly first: number;
  readonly second: number;
  /** A cosine: four in five shots of either video have a shot in the other that is at least this similar. */
  readonly likeness: number;
  /** Whether similar shots come in the same order: 1 always, 0 by chance, −1 in the opposite order. */
  readonly order: number;
};

/** Both were chosen on copies made of a few real videos, and not confirmed on other data. */
const LEAST_LIKENESS = 0.85;
const LEAST_ORDER = 0.5;
/** The mean vectors of copies have at least this cosine; other pairs are not compared shot by shot. */
const LEAST_MEAN = 0.9;
/** At most this many shots of a video, evenly spread, are looked for in the other; for ten hours of video, more add nothing. */
const MAX_SHOTS = 1000;
/** With fewer shots, their order means nothing. */
const FEWEST_SHOTS = 4;

/**
 * Pairs of videos that are doubles of each other. Likeness alone is not enough: a fixed camera shows the same at noon and
 * at one. Only a copy shows it in the same order.
 */
function findDoubles(videos: readonly Sketch[]): Double[] {
  const found: Double[] = [];
  for (let second = 1; second < videos.length; second++) {
    for (let first = 0; first < second; first++) {
      if (cosineOf(videos[first]!.mean, videos[second]!.mean) < LEAST_MEAN) continue;
      if (!mayBeDoubles(videos[first]!, videos[second]!)) continue;
      const double = { first, second, ...comparePair(videos[first]!, videos[second]!) };
      if (double.likeness >= LEAST_LIKENESS && double.order >= LEAST_ORDER) found.push(double);
    }
  }
  return found;
}

/** Videos that are doubles of each other, directly or through others, by their places: groups of two and more. */
function groupDoubles(count: number, doubles: readonly Double[]): number[][] {
  const leader = Array.from({ length: count }, (_, v) => v);
  const lead = (v: number): number => (leader[v] === v ? v : lead(leader[v]!));
  for (const { first, second } of doubles) {
    const [a, b] = [lead(first), lead(second)];
    leader[Math.max(a, b)] = Math.min(a, b);
  }
  const groups = leader.map((_, head) => leader.flatMap((__, v) => (lead(v) === head ? [v] : [])));
  return groups.filter((group) => group.length > 1);
}

/** More than roundings, so that `mayBeDoubles` never refuses a pair that `comparePair` would accept. */
const SLACK = 1e-9;

/**
 * False as soon as more than a fifth of the shorter video's shots have nothing similar in the other: most pairs of a topic
 * are refused after a few shots, without a product of matrices.
 */
function mayBeDoubles(one: Sketch, other: Sketch): boolean {
  const [longer, shorter] = byLength(one, other);
  const asked = evenly(shorter.rows, MAX_SHOTS);
  let misses = Math.floor(asked.length / 5);
  for (let at = 0, count = 0; at < asked.length && misses >= 0; at += count) {
    // The fewest shots that can decide it.
    count = misses + 1;
    misses -= unlike(takeRows(shorter, asked.slice(at, at + count)), longer);
  }
  return misses >= 0;
}

/** How many of these shots have no similar shot in a video. */
function unlike(shots: Matrix, video: TallMatrix): number {
  let left = Array.from({ length: shots.rows }, (_, i) => rowOf(shots, i));
  for (const { block } of rowBlocks(video)) left = left.filter((shot) => !hasLike(shot, block));
  return left.length;
}

function hasLike(shot: Float64Array, video: Matrix): boolean {
  for (let j = 0; j < video.rows; j++) if (dot(shot, rowOf(video, j)) >= LEAST_LIKENESS - SLACK) return true;
  return false;
}

function comparePair(one: Sketch, other: Sketch): { likeness: number; order: number } {
  const [longer, shorter] = byLength(one, other);
  const some = ({ rows }: TallMatrix): number[] => evenly(rows, MAX_SHOTS);
  const there = nearestShots(takeRows(longer, some(longer)), shorter);
  const back = nearestShots(takeRows(shorter, some(shorter)), longer);
  return {
    likeness: Math.min(lowFifth(there.cosine), lowFifth(back.cosine)),
    order: longer.rows < FEWEST_SHOTS ? 0 : orderOf(there.shot),
  };
}

/** All shots of both, those of the longer video first. */
function byLength(one: Sketch, other: Sketch): [TallMatrix, TallMatrix] {
  return one.all.rows >= other.all.rows ? [one.all, other.all] : [other.all, one.all];
}

function lowFifth(values: Float64Array): number {
  return values.toSorted()[Math.floor(values.length / 5)] ?? 0;
}

/** Goodman and Kruskal's γ of the places against their order: (rising pairs − falling pairs) / (rising + falling). */
function orderOf(places: Int32Array): number {
  let [rising, falling] = [0, 0];
  for (let j = 1; j < places.length; j++) {
    for (let i = 0; i < j; i++) {
      if (places[i]! < places[j]!) rising++;
      else if (places[i]! > places[j]!) falling++;
    }
  }
  return rising + falling === 0 ? 0 : (rising - falling) / (rising + falling);
}

/** What likeness is measured against: the mean of unrelated footage, or `null` for that of the videos, and (C + λI)⁻¹ for how it varies. */
export type Metric = { readonly mean: Float64Array | null; whitenRows(V: Matrix): Matrix };

/** How alike the videos of a topic are. */
export type LikenessTable = {
  /** The videos that every video is compared with, by index: all, or an even selection of very many. */
  readonly panel: readonly number[];
  /** For each video its likeness to each of the panel. */
  readonly rows: readonly Float64Array[];
  /** Unrelated footage, or, where none is known, the mean of the topic itself. */
  readonly against: 'background' | 'topic';
  /** Whether strays are named: the limit was measured for class probabilities against a background only. */
  readonly namesStrays: boolean;
};

/** How much a video is like the others of its topic. */
export type Belonging = {
  /** The median of its likenesses to the other videos; 0: no more alike than unrelated footage. */
  readonly likeness: number;
  /** The least likeness of the other videos among themselves, without it; of eight others the second least, and so on. */
  readonly least: number;
  /** The median of the others' likenesses among themselves. */
  readonly typical: number;
  /** How many different views its shots amount to; a fixed camera gives about one. */
  readonly views: number;
  /** The other video that it is most like, by index. */
  readonly nearest: number;
  /** Its likeness to that one; of twenty others, to the second nearest, and so on. */
  readonly nearestLikeness: number;
  readonly isStray: boolean;
};

/** A video is compared with at most this many others, evenly spread over the topic, so that the cost is linear in its size. */
const MAX_PANEL = 48;
/** In smaller topics there is no order of belonging. */
const MIN_VIDEOS = 3;
/** In smaller topics no video is called a stray. */
const MIN_JUDGED = 4;
/** Videos of fewer views are not called strays: one camera in one place proves little. */
const MIN_VIEWS = 3;
/** A stray is less than this many times as like the others as the least alike of them (`npm run bench:strays`). */
const STRAY_RATIO = 0.5;
/** 95 % of pairs of videos of different topics are less alike (`npm run bench:strays`). */
export const UNRELATED = 0.15;
/** One in so many unrelated videos is more alike than `UNRELATED`. */
const ONE_IN = 20;
/** Lower likenesses are noise and count as this much; videos that have less than twice as much in common are no topic. */
const NOISE = 0.05;

/**
 * Compares each video with the others, in the metric ⟨a, b⟩ = (a − μ)ᵀ(C + λI)⁻¹(b − μ) of unrelated footage:
 *   likeness of v to w = mean of cos(x, m_w) over the half of v's shots x for which it is largest,   m_w: mean shot of w
 * So a varied video is not unlike the others because half of it shows something else. Without a metric, μ is the mean of
 * the topic and C + λI = I. `shotsOf` reads some shots of a video, one row each. `null` for fewer than three videos. Above
 * `maxPanel` videos, each is compared with an even selection.
 */
export async function compareVideos(
  count: number,
  shotsOf: (video: number) => Promise<Matrix>,
  metric: Metric | null,
  maxPanel = MAX_PANEL,
): Promise<Omit<LikenessTable, 'namesStrays'> | null> {
  if (count < MIN_VIDEOS) return null;
  const panel = evenly(count, maxPanel);
  const held = new Map<number, Matrix>();
  for (const video of panel) held.set(video, await shotsOf(video));
  const means = matrixOf(panel.map((video) => meanOfRows(held.get(video)!)));
  const mean = metric?.mean ?? meanOfRows(means);
  const whitenRows = (V: Matrix): Matrix => metric?.whitenRows(V) ?? V;
  const centred = minusMean(means, mean);
  const whitened = whitenRows(centred);
  const lengths = lengthsOf(centred, whitened);
  const rows: Float64Array[] = [];
  for (let video = 0; video < count; video++) {
    const shots = minusMean(held.get(video) ?? (await shotsOf(video)), mean);
    const shotLengths = lengthsOf(shots, whitenRows(shots));
    const products = multiply(whitened, transpose(shots));
    rows.push(
      Float64Array.from(panel, (_, w) =>
        nearerHalf(rowOf(products, w).map((product, x) => cosineFrom(product, lengths[w]! * shotLengths[x]!))),
      ),
    );
  }
  return { panel, rows, against: metric === null ? 'topic' : 'background' };
}

/**
 * Which videos belong least. A video is a stray if
 *   its likeness is less than half of what the least alike of the others has among the others (of eight others the second
 *   least, so that strays do not hide each other),
 *   even the nearest of the others is no more like it than unrelated videos are like each other, and
 *   the others have enough in common to be a topic.
 * `distinct` are the videos that count, `views` is how many views each video shows.
 */
function measureBelonging(
  { panel, rows, namesStrays }: LikenessTable,
  views: readonly number[],
  distinct: readonly number[],
): Map<number, Belonging> {
  const isDistinct = new Set(distinct);
  const columns = [...panel.keys()].filter((column) => isDistinct.has(panel[column]!));
  const without = (...videos: readonly number[]): number[] =>
    columns.filter((column) => !videos.includes(panel[column]!));
  const judged = new Map<number, Belonging>();
  for (const video of distinct) {
    const others = without(video);
    if (others.length < MIN_VIDEOS - 1) return new Map();
    const likenessTo = (column: number): number => rows[video]![column]!;
    const likeness = median(others.map(likenessTo));
    const levels = others
      .map((other) => median(without(video, panel[other]!).map((w) => rows[panel[other]!]![w]!)))
      .sort((a, b) => a - b);
    const [least, typical] = [levels[Math.floor(others.length / 8)]!, median(levels)];
    const byLikeness = others.toSorted((a, b) => likenessTo(b) - likenessTo(a));
    const nearest = panel[byLikeness[0]!]!;
    const nearestLikeness = likenessTo(byLikeness[Math.floor(others.length / ONE_IN)]!);
    const isJudged =
      namesStrays && others.length >= MIN_JUDGED - 1 && views[video]! >= MIN_VIEWS && typical >= 2 * NOISE;
    const isStray = isJudged && likeness < STRAY_RATIO * Math.max(NOISE, least) && nearestLikeness < UNRELATED;
    judged.set(video, { likeness, least, typical, views: views[video]!, nearest, nearestLikeness, isStray });
  }
  return judged;
}

function minusMean(rows: Matrix, mean: Float64Array): Matrix {
  return { ...rows, data: rows.data.map((value, at) => value - mean[at % rows.cols]!) };
}

/** √⟨x, x⟩ of each row x, given the rows whitened. */
function lengthsOf(rows: Matrix, whitened: Matrix): Float64Array {
  return Float64Array.from({ length: rows.rows }, (_, i) => Math.sqrt(Math.max(0, dot(rowOf(rows, i), rowOf(whitened, i))))); // prettier-ignore
}

function cosineFrom(product: number, lengths: number): number {
  return lengths > 0 ? product / lengths : 0;
}

/** The mean of the larger half. */
function nearerHalf(values: Float64Array): number {
  const half = values.sort().subarray(values.length >> 1);
  return half.reduce((sum, value) => sum + value, 0) / half.length;
}
