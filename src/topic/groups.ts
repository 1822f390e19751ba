import { type Matrix, rowOf } from '../base/index.js';
import { median } from './likeness.js';

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
/** A division must tell its groups apart at least this well (`npm run bench:topics`). */
const MIN_CONCORDANCE = 0.9;
/** The least mean silhouette of a division; below, its groups are no nearer to themselves than to each other. */
const MIN_SILHOUETTE = 0.05;
/** A division must put at least this share of the videos into groups. */
const MIN_GROUPED = 0.6;
/** Divisions into more groups are not tried. */
const MAX_GROUPS = 64;
/** A video is in a group if it is at least this many times as like it as the median of the group's videos. */
const OUTLIER_RATIO = 0.5;

/**
 * Groups videos that show the same kind of thing. Complete linkage joins them into fewer and fewer groups, none with a
 * likeness under 0 in it. Of the divisions that tell their groups apart, the one with the best silhouette is taken; if there
 * is none, all videos are one group. Then videos that are hardly like their group leave it, and those without a group join
 * the one that they are like. With `count`, average linkage gives that many groups, and no video
 * is alone: complete linkage spreads a few unusual videos over all of them.
 */
export function groupVideos(given: FolderLikeness, count?: number): Grouping {
  const { likeness, related = likeness } = given;
  if (count !== undefined) {
    return describe(divideBy('average', likeness)[Math.min(count, likeness.rows)]?.labels ?? [], given);
  }
  const divisions = divideBy('complete', likeness);
  let best: { readonly labels: readonly number[]; readonly silhouette: number } | null = null;
  for (const { labels: whole, joined } of divisions.slice(2, MAX_GROUPS + 1)) {
    if (joined < 0) continue;
    const labels = dissolveSmall(whole);
    const grouped = labels.filter((label) => label !== ALONE).length;
    if (grouped < MIN_GROUPED * labels.length || (concordanceOf(labels, likeness) ?? 0) < MIN_CONCORDANCE) continue;
    const silhouettes = labels.map((label, v) => silhouetteOf(v, label, labels, likeness));
    const silhouette = silhouettes.reduce((sum, value) => sum + value, 0) / labels.length;
    if (silhouette >= Math.max(MIN_SILHOUETTE, best?.silhouette ?? 0)) best = { labels, silhouette };
  }
  if (best === null) return describe(new Array<number>(likeness.rows).fill(0), given);
  return describe(joinNearest(leaveOutliers(best.labels, related), given), given);
}

/** The label of a video that is in no group. */
const ALONE = -1;

function dissolveSmall(labels: readonly number[]): number[] {
  return labels.map((label) => (labels.filter((other) => other === label).length < MIN_VIDEOS ? ALONE : label));
}

/** Takes videos out of groups that they are hardly like; groups that become too small are dissolved. */
function leaveOutliers(labels: readonly number[], related: Matrix): number[] {
  const isOutlier = hardlyLike(labels, related);
  return dissolveSmall(labels.map((label, v) => (label !== ALONE && isOutlier(v, label) ? ALONE : label)));
}

/** Puts each video without a group into the one it is most like, unless it is hardly like it. */
function joinNearest(labels: readonly number[], { likeness, related = likeness }: FolderLikeness): number[] {
  const groups = [...new Set(labels)].filter((label) => label !== ALONE);
  const [isUnlike, isUnrelated] = [hardlyLike(labels, likeness), hardlyLike(labels, related)];
  return labels.map((label, v) => {
    if (label !== ALONE || groups.length === 0) return label;
    const nearness = groups.map((group) => meanTo(v, group, labels, likeness));
    const nearest = groups[nearness.indexOf(Math.max(...nearness))]!;
    return isUnlike(v, nearest) || isUnrelated(v, nearest) ? ALONE : nearest;
  });
}

/** Whether a video is less than half as like a group as the median of its members are like the rest of it. */
function hardlyLike(labels: readonly number[], likeness: Matrix): (video: number, group: number) => boolean {
  const levels = new Map<number, number>();
  for (const group of new Set(labels)) {
    const members = [...labels.keys()].filter((v) => labels[v] === group);
    levels.set(group, median(members.map((v) => meanTo(v, group, labels, likeness))));
  }
  return (video, group) => meanTo(video, group, labels, likeness) < OUTLIER_RATIO * levels.get(group)!;
}

/** The mean likeness of a video to the others of a group. */
function meanTo(video: number, group: number, labels: readonly number[], likeness: Matrix): number {
  const row = rowOf(likeness, video);
  const others = [...labels.keys()].filter((w) => w !== video && labels[w] === group);
  return others.reduce((sum, w) => sum + row[w]!, 0) / Math.max(1, others.length);
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

/** How alike two clusters are: as their least like members (`complete`), or as their members on average (`average`). */
type Linkage = 'complete' | 'average';

/** One division on the way from single rows to one cluster. */
type Division = {
  /** A label for each row. */
  readonly labels: readonly number[];
  /** The likeness of the two clusters joined last; infinite while each thing is alone. */
  readonly joined: number;
};

type Merge = { readonly kept: number; readonly gone: number; readonly distance: number };

/**
 * Divides n things by how alike they are (n × n, symmetric): entry k has k clusters, each division
 * refining the one before. Found by chains of nearest neighbours (Murtagh 1983) in n² steps, with d = −likeness and
 *   complete:  d(a∪b, c) = max(d(a, c), d(b, c))
 *   average:   d(a∪b, c) = (|a| d(a, c) + |b| d(b, c)) / (|a| + |b|)
 */
export function divideBy(linkage: Linkage, likeness: Matrix): Division[] {
  const count = likeness.rows;
  const merges = mergesOf(likeness, linkage).sort(
    (a, b) => a.distance - b.distance || a.kept - b.kept || a.gone - b.gone,
  );
  const leader = Array.from({ length: count }, (_, i) => i);
  const lead = (i: number): number => (leader[i] === i ? i : lead(leader[i]!));
  const divisions: Division[] = [];
  for (let clusters = count; clusters > 0; clusters--) {
    const last = merges[count - clusters - 1];
    if (last) {
      const [a, b] = [lead(last.kept), lead(last.gone)];
      leader[Math.max(a, b)] = Math.min(a, b);
    }
    divisions[clusters] = { labels: leader.map((_, i) => lead(i)), joined: last ? -last.distance : Infinity };
  }
  return divisions;
}

function mergesOf({ rows: count, data }: Matrix, linkage: Linkage): Merge[] {
  const D = data.map((value) => -value);
  /** The number of things in each cluster; 0 once it was joined to another. */
  const sizes = new Array<number>(count).fill(1);
  const merges: Merge[] = [];
  const chain: number[] = [];
  while (merges.length < count - 1) {
    if (chain.length === 0) chain.push(sizes.findIndex((size) => size > 0));
    const [last, before] = [chain.at(-1)!, chain.at(-2)];
    // On a tie, the chain turns back to where it came from, so that it ends.
    let nearest = before ?? -1;
    for (let other = 0; other < count; other++) {
      if (other === last || sizes[other] === 0) continue;
      if (nearest < 0 || D[last * count + other]! < D[last * count + nearest]!) nearest = other;
    }
    if (nearest !== before) {
      chain.push(nearest);
      continue;
    }
    chain.length -= 2;
    const [kept, gone] = [Math.min(last, nearest), Math.max(last, nearest)];
    merges.push({ kept, gone, distance: D[kept * count + gone]! });
    join(D, sizes, kept, gone, linkage);
  }
  return merges;
}

function join(D: Float64Array, sizes: number[], kept: number, gone: number, linkage: Linkage): void {
  const count = sizes.length;
  const [a, b] = [sizes[kept]!, sizes[gone]!];
  [sizes[kept], sizes[gone]] = [a + b, 0];
  for (let other = 0; other < count; other++) {
    if (sizes[other] === 0 || other === kept) continue;
    const [toKept, toGone] = [D[kept * count + other]!, D[gone * count + other]!];
    const distance = linkage === 'complete' ? Math.max(toKept, toGone) : (a * toKept + b * toGone) / (a + b);
    D[kept * count + other] = D[other * count + kept] = distance;
  }
}
