import { type Matrix, matrixOf, outerGram, rowOf, type TallMatrix, unitRows } from '../base/index.js';
import { centred, sketchOf } from './likeness.js';
import { wardDivisions } from './ward.js';

/** Videos in groups by what they show, and the evidence. Videos are given by their places. */
export type Grouping = {
  /** Larger groups first, then by their first video. */
  readonly groups: readonly (readonly number[])[];
  /** Videos that are not clearly nearer to one group than to the others. */
  readonly alone: readonly number[];
  /** Cosines of the videos' mean vectors, n × n. */
  readonly likeness: Matrix;
  /** How often two videos of one group are more alike than two of different groups; 0.5 is chance. `null` for one group. */
  readonly concordance: number | null;
};

/** Smaller groups cannot be told apart from videos that are alone. */
const FEWEST_VIDEOS = 3;
/** Both were chosen on a few real topics, and not confirmed on other data. */
const LEAST_CONCORDANCE = 0.95;
const LEAST_SILHOUETTE = 0.1;
/** A division must put at least this share of the videos into groups. */
const LEAST_GROUPED = 0.75;
/** Divisions into more groups are not tried. */
const MOST_GROUPS = 64;

/**
 * Groups videos that show the same kind of thing. Their mean vectors, less the mean of all, are divided by Ward's method
 * into 2, 3, … groups. Of the divisions whose concordance is high enough, the one with the best silhouette is taken; if
 * there is none, all videos are one group. With `count`, there are that many groups, and no video is alone.
 */
export function groupVideos(videos: readonly TallMatrix[], count?: number): Grouping {
  const means = matrixOf(videos.map((video) => sketchOf(video).mean));
  const likeness = outerGram(unitRows(means));
  const apart = unitRows(centred(means));
  const contrast = outerGram(apart);
  const ways = wardDivisions(apart, Math.max(count ?? 0, MOST_GROUPS));
  if (count !== undefined) return describe(ways[Math.min(count, videos.length)] ?? [], likeness);
  const found = { labels: videos.map(() => 0), silhouette: 0 };
  for (const way of ways.slice(2)) {
    const labels = settle(dissolveSmall(way), contrast);
    const grouped = labels.filter((label) => label !== ALONE).length;
    if (grouped < LEAST_GROUPED * videos.length) continue;
    if ((concordanceOf(labels, likeness) ?? 0) < LEAST_CONCORDANCE) continue;
    const silhouettes = labels.map((label, v) => silhouetteOf(v, label, labels, contrast));
    const silhouette = silhouettes.reduce((sum, value) => sum + value, 0) / videos.length;
    if (silhouette > found.silhouette) Object.assign(found, { labels, silhouette });
  }
  return describe(found.labels, likeness);
}

/** The label of a video that is in no group. */
const ALONE = -1;

function dissolveSmall(labels: readonly number[]): number[] {
  return labels.map((label) => (labels.filter((other) => other === label).length < FEWEST_VIDEOS ? ALONE : label));
}

/** Puts each video in the group it is clearly nearest to, or alone; groups that become too small are dissolved. */
function settle(labels: readonly number[], likeness: Matrix): number[] {
  const groups = [...new Set(labels)].filter((label) => label !== ALONE);
  if (groups.length < 2) return labels.map(() => ALONE);
  const settled = labels.map((_, v) => {
    const [best] = groups
      .map((group) => ({ group, silhouette: silhouetteOf(v, group, labels, likeness) }))
      .sort((a, b) => b.silhouette - a.silhouette || a.group - b.group);
    return best!.silhouette >= LEAST_SILHOUETTE && isNear(v, best!.group, labels, likeness) ? best!.group : ALONE;
  });
  return dissolveSmall(settled);
}

/** Whether a video is more similar to the group than two videos of the folder on average: 0, as the mean was taken out. */
function isNear(video: number, group: number, labels: readonly number[], likeness: Matrix): boolean {
  const row = rowOf(likeness, video);
  return labels.reduce((sum, label, other) => (label === group && other !== video ? sum + row[other]! : sum), 0) > 0;
}

/** (b − a)/max(a, b), a and b the mean distances of a video to its own group and to the nearest other (Rousseeuw 1987). */
function silhouetteOf(video: number, own: number, labels: readonly number[], likeness: Matrix): number {
  if (own === ALONE) return 0;
  const row = rowOf(likeness, video);
  const totals = new Map<number, { sum: number; count: number }>();
  labels.forEach((label, other) => {
    if (label === ALONE || other === video) return;
    const { sum, count } = totals.get(label) ?? { sum: 0, count: 0 };
    totals.set(label, { sum: sum + 1 - row[other]!, count: count + 1 });
  });
  const distance = (label: number): number => totals.get(label)!.sum / totals.get(label)!.count;
  const others = [...totals.keys()].filter((label) => label !== own);
  if (!totals.has(own) || others.length === 0) return 0;
  const [a, b] = [distance(own), Math.min(...others.map(distance))];
  return Math.max(a, b) > 0 ? (b - a) / Math.max(a, b) : 0;
}

/** The part of all (pair inside, pair across) in which the pair inside is more alike; a tie counts half. */
function concordanceOf(labels: readonly number[], likeness: Matrix): number | null {
  const pairs: { value: number; isInside: boolean }[] = [];
  labels.forEach((label, v) => {
    for (let w = 0; w < v; w++) {
      if (label === ALONE || labels[w] === ALONE) continue;
      pairs.push({ value: likeness.data[v * likeness.cols + w]!, isInside: labels[w] === label });
    }
  });
  pairs.sort((a, b) => a.value - b.value);
  let [across, wins, inside] = [0, 0, 0];
  for (let at = 0; at < pairs.length;) {
    let [tiedInside, tiedAcross] = [0, 0];
    const { value } = pairs[at]!;
    for (; at < pairs.length && pairs[at]!.value === value; at++) {
      if (pairs[at]!.isInside) tiedInside++;
      else tiedAcross++;
    }
    wins += tiedInside * (across + tiedAcross / 2);
    [inside, across] = [inside + tiedInside, across + tiedAcross];
  }
  return inside === 0 || across === 0 ? null : wins / (inside * across);
}

function describe(labels: readonly number[], likeness: Matrix): Grouping {
  const groups = [...new Set(labels)]
    .filter((label) => label !== ALONE)
    .map((label) => [...labels.keys()].filter((v) => labels[v] === label))
    .sort((a, b) => b.length - a.length || a[0]! - b[0]!);
  const alone = [...labels.keys()].filter((v) => labels[v] === ALONE);
  return { groups, alone, likeness, concordance: concordanceOf(labels, likeness) };
}
