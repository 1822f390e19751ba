import { dot, type Matrix, matrixOf, meanOfRows, multiply, rowOf, transpose } from '../base/index.js';
import { evenly, median } from './likeness.js';

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
export function judgeBelonging(
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
