import { outerGram } from '../base/index.js';
import { evenly, median, nearestShots, type Sketch } from './likeness.js';

/** How a video stands in its topic. Likenesses are cosines. */
export type Standing = {
  /** How like its shots are to the nearest shots of each of the nearer half of the other videos, in the mean. */
  readonly likeness: number;
  /** The same for the other videos among themselves: their median. */
  readonly typical: number;
  /** So many different views speak for the video; a fixed camera gives about one. */
  readonly views: number;
  /** typical − likeness in units of what chance allows such a video, from 0: above 1 it is a stray. */
  readonly unlikeness: number;
  readonly isStray: boolean;
};

/** So many times its standard error a video may be off; chosen on two real topics with known strays. */
const ALLOWED = 1.45;
/** Videos with this unlikeness have no say in what is typical when one of them is judged again. */
const SUSPECT = 0.7;
/** Fewer other videos cannot say what is typical. */
const FEWEST_OTHERS = 3;
/** Videos that a video is held against at most, evenly spread over the topic, so that the cost is linear in its size. */
const MOST_OTHERS = 48;
/** What is typical is known no better than this share of the typical distance, however alike the others are. */
const LEAST_SPREAD = 0.2;
/** Distances below this are roundings and compression, not content. */
const LEAST_DISTANCE = 0.05;
/** Others whose number is this many make the spread uncertain by a factor of √2. */
const FEW = 12;
/** Part of the variance of one view that all views of a video have in common. */
const COMMON = 0.3;
/** 1/mean cosⁿ counts views: shots with a cosine of 0.9 are half one view, with 0.7 two. */
const VIEW_POWER = 8;

/**
 * How each video stands in the topic, itself left out of what it is held against; `null` for all where too few videos are
 * there to tell. Strays widen what seems typical and so hide each other: suspects are judged again by the others alone.
 */
export function judgeVideos(videos: readonly Sketch[]): (Standing | null)[] {
  if (videos.length <= FEWEST_OTHERS) return videos.map(() => null);
  const panel = evenly(videos.length, MOST_OTHERS);
  const likenesses = videos.map(
    (video, v) =>
      new Map(panel.flatMap((w) => (w === v ? [] : [[w, nearestShots(video.shots, videos[w]!.shots).cosine]]))),
  );
  const views = videos.map(viewsOf);
  const judge = (v: number, others: readonly number[]): Standing => {
    const own = levelOf(likenesses[v]!, others);
    const rest = others.map((w) => levelOf(likenesses[w]!, others));
    return hold(own.mean, rest, views[v]!, others.length);
  };
  const first = videos.map((_, v) =>
    judge(
      v,
      panel.filter((w) => w !== v),
    ),
  );
  const isSuspect = (v: number): boolean => first[v]!.unlikeness > SUSPECT;
  const plain = panel.filter((v) => !isSuspect(v));
  // Where suspects are the rule rather than the exception, there is nothing they could be strays from.
  if (plain.length < FEWEST_OTHERS || 2 * plain.length < panel.length) return first;
  return first.map((standing, v) => {
    if (!isSuspect(v)) return standing;
    const again = judge(v, plain);
    return { ...again, isStray: again.unlikeness > 1 };
  });
}

type Level = { readonly mean: number; readonly variance: number };

/** A video's shots by their likeness to the nearer half of the other videos named. */
function levelOf(likenesses: ReadonlyMap<number, Float64Array>, others: readonly number[]): Level {
  const rows = others.flatMap((w) => likenesses.get(w) ?? []);
  const half = Math.ceil(rows.length / 2);
  const values = Array.from({ length: rows[0]?.length ?? 0 }, (_, shot) => {
    const nearer = rows.map((row) => row[shot]!).sort((a, b) => b - a);
    return meanOf(nearer.slice(0, half));
  });
  const mean = meanOf(values);
  return { mean, variance: meanOf(values.map((value) => (value - mean) ** 2)) };
}

/**
 *   unlikeness = (m − own)/(1.45·s),   m = median of the others' means,
 *   s² = ((1.4826·MAD)² + mean of the others' variances + (0.2·(1 − m))²) · (c + (1 − c)/views) · (1 + 12/others)
 * Several views of a video are worth more than one, but not as much as so many videos: c is what they have in common.
 * Few others know little of the spread: the last factor grows as Student's t does at 1 %.
 */
function hold(likeness: number, others: readonly Level[], views: number, count: number): Standing {
  const typical = median(others.map(({ mean }) => mean));
  const deviation = 1.4826 * median(others.map(({ mean }) => Math.abs(mean - typical)));
  const within = meanOf(others.map(({ variance }) => variance));
  const least = LEAST_SPREAD * Math.max(LEAST_DISTANCE, 1 - typical);
  const share = (COMMON + (1 - COMMON) / views) * (1 + FEW / count);
  const spread = Math.sqrt((deviation ** 2 + within + least ** 2) * share);
  return {
    likeness,
    typical,
    views,
    unlikeness: Math.max(0, (typical - likeness) / (ALLOWED * spread)),
    isStray: false,
  };
}

function viewsOf({ shots }: Sketch): number {
  const G = outerGram(shots);
  const alike = G.data.reduce((sum, cosine) => sum + Math.max(0, cosine) ** VIEW_POWER, 0) / G.data.length;
  return alike > 0 ? 1 / alike : 1;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
