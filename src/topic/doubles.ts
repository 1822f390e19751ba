import { dot, type Matrix, rowBlocks, rowOf, takeRows, type TallMatrix } from '../base/index.js';
import { cosineOf, evenly, nearestShots, type Sketch } from './likeness.js';

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
const MOST_SHOTS = 1000;
/** With fewer shots, their order means nothing. */
const FEWEST_SHOTS = 4;

/**
 * Pairs of videos that are doubles of each other. Likeness alone is not enough: a fixed camera shows the same at noon and
 * at one. Only a copy shows it in the same order.
 */
export function findDoubles(videos: readonly Sketch[]): Double[] {
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
export function groupDoubles(count: number, doubles: readonly Double[]): number[][] {
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
  const asked = evenly(shorter.rows, MOST_SHOTS);
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
  const some = ({ rows }: TallMatrix): number[] => evenly(rows, MOST_SHOTS);
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
