import { type Matrix, outerGram, rowOf, unitRows } from '../base/index.js';
import { evenly, median, nearestShots, type Sketch } from './likeness.js';

/** How a video relates to its topic. Likenesses are correlations. */
export type Standing = {
  /** Mean likeness of its shots to the nearest shots of the other videos, over the nearer half of those. */
  readonly likeness: number;
  /** The same for the other videos among themselves: their median. */
  readonly typical: number;
  /** How many different views its shots amount to; a fixed camera gives about one. */
  readonly views: number;
  /** (typical − likeness) as a share of what chance allows, at least 0; a video above 1 is a stray. */
  readonly unlikeness: number;
  readonly isStray: boolean;
};

/** Chance allows this many standard errors: a tenth more than any video of TVSum and the demo is off (`npm run bench:strays`). */
const ALLOWED = 3.7;
/** Videos with this unlikeness do not count as typical when another suspect is judged again. */
const SUSPECT = 0.7;
/** With fewer videos, it is unknown what is typical. */
const FEWEST_VIDEOS = 6;
/** A video is compared with at most this many others, evenly spread over the topic, so that the cost is linear in its size. */
const MOST_OTHERS = 48;
/** The spread is at least this share of the typical distance, however alike the other videos are. */
const LEAST_SPREAD = 0.2;
/** Distances below this are roundings and compression, not content. */
const LEAST_DISTANCE = 0.05;
/** With this many other videos, the spread is uncertain by a factor of √2. */
const FEW = 12;
/** The n in 1/mean cosⁿ, which counts views: two shots with a cosine of 0.93 are one view and a half. */
const VIEW_POWER = 16;

/**
 * How each video relates to the rest of the topic; `null` if there are too few videos to tell. Strays widen what seems
 * typical and so hide each other: suspects are judged again by the other videos only.
 */
export function judgeVideos(videos: readonly Sketch[]): (Standing | null)[] {
  if (videos.length < FEWEST_VIDEOS) return videos.map(() => null);
  const panel = evenly(videos.length, MOST_OTHERS);
  const shotsOf = (v: number): Matrix => unitRows(centredRows(videos[v]!.some()));
  const panelShots = new Map(panel.map((w) => [w, shotsOf(w)]));
  const likenesses = videos.map((_, v) => {
    const own = panelShots.get(v) ?? shotsOf(v);
    return new Map(panel.flatMap((w) => (w === v ? [] : [[w, nearestShots(own, panelShots.get(w)!).cosine]])));
  });
  const views = videos.map(viewsOf);
  const judge = (v: number, others: readonly number[]): Standing => {
    const rest = others.map((w) => levelOf(likenesses[w]!, others));
    return hold(levelOf(likenesses[v]!, others), rest, views[v]!);
  };
  const first = videos.map((_, v) =>
    judge(
      v,
      panel.filter((w) => w !== v),
    ),
  );
  const isSuspect = (v: number): boolean => first[v]!.unlikeness > SUSPECT;
  const plain = panel.filter((v) => !isSuspect(v));
  // If most videos are suspects, there is no common topic that they could be strays from.
  if (2 * plain.length < panel.length) return first;
  return first.map((standing, v) => {
    if (!isSuspect(v)) return standing;
    const again = judge(v, plain);
    return { ...again, isStray: again.unlikeness > 1 };
  });
}

/** Rows less the mean of their entries, so that cosines become correlations, without what all pictures have in common. */
function centredRows(rows: Matrix): Matrix {
  const centred = { ...rows, data: Float64Array.from(rows.data) };
  for (let i = 0; i < rows.rows; i++) {
    const row = rowOf(centred, i);
    const mean = meanOf(row);
    row.forEach((value, k) => (row[k] = value - mean));
  }
  return centred;
}

/** The mean likeness of a video's shots to the nearer half of the other videos named. */
function levelOf(likenesses: ReadonlyMap<number, Float64Array>, others: readonly number[]): number {
  const rows = others.flatMap((w) => likenesses.get(w) ?? []);
  const half = Math.ceil(rows.length / 2);
  const values = Array.from({ length: rows[0]?.length ?? 0 }, (_, shot) => {
    const nearer = rows.map((row) => row[shot]!).sort((a, b) => b - a);
    return meanOf(nearer.slice(0, half));
  });
  return meanOf(values);
}

/**
 *   unlikeness = (m − own)/(3.7·s),   m = median of the others' levels,
 *   s² = ((1.4826·MAD)² + (0.2·(1 − m))²) / views · (1 + 12/others)
 * A level is a mean over views: the more views, the smaller the part of chance.
 * A spread estimated from few videos is uncertain: the last factor grows as Student's t does at 1 %.
 */
function hold(likeness: number, others: readonly number[], views: number): Standing {
  const typical = median(others);
  const deviation = 1.4826 * median(others.map((level) => Math.abs(level - typical)));
  const least = LEAST_SPREAD * Math.max(LEAST_DISTANCE, 1 - typical);
  const spread = Math.sqrt(((deviation ** 2 + least ** 2) / views) * (1 + FEW / others.length));
  const unlikeness = Math.max(0, (typical - likeness) / (ALLOWED * spread));
  return { likeness, typical, views, unlikeness, isStray: false };
}

function viewsOf({ some }: Sketch): number {
  const G = outerGram(some());
  const alike = G.data.reduce((sum, cosine) => sum + Math.max(0, cosine) ** VIEW_POWER, 0) / G.data.length;
  return alike > 0 ? 1 / alike : 1;
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += values[at]!;
  return sum / Math.max(1, values.length);
}
