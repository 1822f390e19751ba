import { type Matrix, rowOf } from '../base/index.js';
import { median } from './likeness.js';
import { averageDivisions } from './linkage.js';

/** Videos in groups by what they show, and the evidence. Videos are given by their indices. */
export type Grouping = {
  /** Larger groups first, then by their first video. */
  readonly groups: readonly (readonly number[])[];
  /** Videos that are not like enough others to make a group. */
  readonly alone: readonly number[];
  /** How alike the videos are, n × n; 0: as unrelated videos, or, without a background, as two of the folder. */
  readonly likeness: Matrix;
  /** How often two videos of one group are more alike than two of different groups; 0.5 is chance. `null` for one group. */
  readonly concordance: number | null;
};

/** How alike the videos of a folder are, n × n, symmetric. */
export type FolderLikeness = {
  /** 0: as two videos of the folder are on average. */
  readonly likeness: Matrix;
  /** 0: as unrelated videos are. What is unlike one topic is not yet like the other. */
  readonly related?: Matrix;
};

/** Smaller groups cannot be told apart from videos that are alone. */
const MIN_VIDEOS = 3;
/** Chosen on surfing and traffic, with a wide margin, before the measure of likeness: it was not fitted to TVSum. */
const MIN_CONCORDANCE = 0.95;
/** A division must put at least this share of the videos into groups. */
const MIN_GROUPED = 0.75;
/** Divisions into more groups are not tried. */
const MAX_GROUPS = 64;
/** A video is in a group if it is at least this many times as like it as the median of the group's videos. */
const OUTLIER_RATIO = 0.5;
/** Silhouettes that differ by less than this share are as good: then the division that leaves fewer videos alone is taken. */
const AS_GOOD = 0.1;

/**
 * Groups videos that show the same kind of thing. Average linkage joins them into fewer and fewer groups; videos that are hardly like their group are left
 * alone. Of the divisions that join nothing with a likeness under 0 and have a high concordance, the one with the best
 * silhouette is taken, or with nearly the best and fewer videos alone; if there is none, all videos are one group. With
 * `count`, there are that many groups, and no video is alone.
 */
export function groupVideos(given: FolderLikeness, count?: number): Grouping {
  const { likeness, related = likeness } = given;
  const divisions = averageDivisions(likeness);
  if (count !== undefined) return describe(divisions[Math.min(count, likeness.rows)]?.labels ?? [], given);
  const accepted: { readonly labels: readonly number[]; readonly grouped: number; readonly silhouette: number }[] = [];
  for (const { labels: whole, joined } of divisions.slice(2, MAX_GROUPS + 1)) {
    if (joined < 0) continue;
    const labels = leaveOutliers(dissolveSmall(whole), related);
    const grouped = labels.filter((label) => label !== ALONE).length;
    if (grouped < MIN_GROUPED * labels.length) continue;
    if ((concordanceOf(labels, likeness) ?? 0) < MIN_CONCORDANCE) continue;
    const silhouettes = labels.map((label, v) => silhouetteOf(v, label, labels, likeness));
    accepted.push({ labels, grouped, silhouette: silhouettes.reduce((sum, value) => sum + value, 0) / labels.length });
  }
  const best = Math.max(...accepted.map(({ silhouette }) => silhouette));
  const [found] = accepted
    .filter(({ silhouette }) => silhouette >= (1 - AS_GOOD) * best)
    .sort((a, b) => b.grouped - a.grouped || b.silhouette - a.silhouette);
  return describe(found?.labels ?? new Array<number>(likeness.rows).fill(0), given);
}

/** The label of a video that is in no group. */
const ALONE = -1;

function dissolveSmall(labels: readonly number[]): number[] {
  return labels.map((label) => (labels.filter((other) => other === label).length < MIN_VIDEOS ? ALONE : label));
}

/** Takes videos out of groups that they are hardly like; groups that become too small are dissolved. */
function leaveOutliers(labels: readonly number[], related: Matrix): number[] {
  const left = [...labels];
  for (const label of new Set(labels)) {
    const members = [...labels.keys()].filter((v) => labels[v] === label);
    if (label === ALONE || members.length <= MIN_VIDEOS) continue;
    const levels = members.map((v) => {
      const row = rowOf(related, v);
      return members.reduce((sum, w) => (w === v ? sum : sum + row[w]!), 0) / (members.length - 1);
    });
    const typical = median(levels);
    members.forEach((v, at) => {
      if (levels[at]! < OUTLIER_RATIO * typical) left[v] = ALONE;
    });
  }
  return dissolveSmall(left);
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

function describe(labels: readonly number[], { likeness, related = likeness }: FolderLikeness): Grouping {
  const groups = [...new Set(labels)]
    .filter((label) => label !== ALONE)
    .map((label) => [...labels.keys()].filter((v) => labels[v] === label))
    .sort((a, b) => b.length - a.length || a[0]! - b[0]!);
  const alone = [...labels.keys()].filter((v) => labels[v] === ALONE);
  return { groups, alone, likeness: related, concordance: concordanceOf(labels, likeness) };
}
