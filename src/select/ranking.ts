import { type Matrix, NumericError, random as randomNumbers, rowOf, type TallMatrix } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import type { Ranking, Selector } from './types.js';

/** Scores closer than this share of the largest count as equal: two exact routes may differ by roundings only. */
const TIE = 1e-9;

/** Shots that must come first, and shots that must come last. */
type Wishes = Pick<Problem, 'pinned' | 'vetoed'>;

/**
 * Shots by score, largest first; shots without a score by `nearness`, largest first. Pinned shots come before all others
 * and vetoed ones last, each group in that same order.
 * Ties keep the order of the shots, so a ranking never depends on roundings or on how a sort treats equals.
 */
export function rank(
  scores: Float64Array,
  nearness?: Float64Array,
  { pinned = [], vetoed = [] }: Wishes = {},
): { order: number[]; places: number[] } {
  const order: number[] = [];
  const places = new Array<number>(scores.length).fill(0);
  const [first, last] = [new Set(pinned), new Set(vetoed)];
  const others = Array.from(scores.keys()).filter((i) => !first.has(i) && !last.has(i));
  for (const group of [[...first], others, [...last]]) {
    const isScored = (i: number): boolean => nearness === undefined || scores[i]! > 0;
    appendByKey(group.filter(isScored), scores, order, places);
    if (nearness) appendByKey(group.filter((i) => !isScored(i)), nearness, order, places); // prettier-ignore
  }
  return { order, places };
}

function appendByKey(shots: number[], keys: Float64Array, order: number[], places: number[]): void {
  const sorted = shots.sort((i, j) => keys[j]! - keys[i]! || i - j);
  const slack = TIE * (sorted.length > 0 ? keys[sorted[0]!]! : 0);
  for (let first = 0; first < sorted.length;) {
    let end = first + 1;
    while (end < sorted.length && keys[sorted[first]!]! - keys[sorted[end]!]! <= slack) end++;
    const place = order.length;
    for (const shot of sorted.slice(first, end).sort((i, j) => i - j)) {
      places[shot] = place;
      order.push(shot);
    }
    first = end;
  }
}

/** A ranking of a method that looks at the video alone: scores, then `nearness` for the shots without one. */
export function ownRanking(
  scores: Float64Array,
  nearness: Float64Array | undefined,
  wishes: Wishes,
  ending: Ending = AT_ONCE,
): Ranking {
  return {
    ...rank(scores, nearness, wishes),
    scores,
    own: scores.slice(),
    shared: new Float64Array(scores.length),
    ...ending,
  };
}

/** A ranking of a method that has an order and nothing more: the scores say the place, from 1 for the first down to 1/n. */
function rankingFromOrder(given: readonly number[], { pinned = [], vetoed = [] }: Wishes): Ranking {
  const [first, last] = [new Set(pinned), new Set(vetoed)];
  const groupOf = (shot: number): number => (first.has(shot) ? 0 : last.has(shot) ? 2 : 1);
  const order = given.toSorted((a, b) => groupOf(a) - groupOf(b));
  const scores = new Float64Array(order.length);
  order.forEach((shot, place) => (scores[shot] = 1 - place / order.length));
  return ownRanking(scores, undefined, { pinned, vetoed });
}

/** How an iteration ended. */
export type Ending = Pick<Ranking, 'trace' | 'certificate'>;

/** The ending of a method that does not iterate. */
export const AT_ONCE: Ending = { trace: [], certificate: { iterations: 0, converged: true, residual: 0 } };

/** Refuses a knob with a sentence. */
export function refuseKnob(name: string, wanted: string, found: number): never {
  throw new NumericError('bad-knob', `Expected "${name}" to be ${wanted}, found ${found}.`);
}

/** For every row, the first row identical to it (itself, where none comes before). */
export function twinsOf(features: Matrix): Int32Array {
  const twins = new Int32Array(features.rows);
  const seen = new Map<number, number[]>();
  for (let i = 0; i < features.rows; i++) {
    const row = rowOf(features, i);
    let mixed = 0;
    for (let k = 0; k < row.length; k++) mixed = mixed * 0.618 + row[k]!;
    const alike = seen.get(mixed) ?? [];
    const first = alike.find((j) => rowOf(features, j).every((value, k) => value === row[k]));
    twins[i] = first ?? i;
    if (first === undefined) seen.set(mixed, [...alike, i]);
  }
  return twins;
}

/**
 * Shots spread evenly over the film: the middle, then always the shot in the middle of the longest stretch without one,
 * the earlier stretch first. Every beginning of the ranking is as even as halving allows. Content plays no part. Pinned
 * shots divide the film first; where the middle is vetoed, the shot nearest to it is taken, the earlier of two.
 */
export function uniform(): Selector<Ranking, TallMatrix> {
  return {
    name: 'uniform',
    select(problem) {
      const { rows } = problem.features;
      const [pinned, vetoed] = [inFilmOrder(problem.pinned), inFilmOrder(problem.vetoed)];
      const nearestFree = freeShots(rows, vetoed);
      const order = [...pinned];
      // Where the stretches without a shot start, by their length. Halves are shorter, so a list is complete when its turn comes.
      const starts = Array.from({ length: rows + 1 }, (): number[] => []);
      const borders = [-1, ...pinned, rows];
      for (let k = 1; k < borders.length; k++) starts[borders[k]! - borders[k - 1]! - 1]!.push(borders[k - 1]! + 1);
      for (let length = rows; length > 0; length--) {
        for (const start of starts[length]!.sort((a, b) => a - b)) {
          const end = start + length;
          const taken = nearestFree(Math.floor((start + end - 1) / 2), start, end);
          if (taken === null) continue;
          order.push(taken);
          starts[taken - start]!.push(start);
          starts[end - taken - 1]!.push(taken + 1);
        }
      }
      return rankingFromOrder([...order, ...vetoed], problem);
    },
  };
}

function inFilmOrder(shots: readonly number[] = []): number[] {
  return [...new Set(shots)].sort((a, b) => a - b);
}

/** Finds the shot nearest to a middle, in [start, end), that is not vetoed; the earlier of two, `null` if there is none. */
function freeShots(
  rows: number,
  vetoed: readonly number[],
): (middle: number, start: number, end: number) => number | null {
  const isVetoed = new Set(vetoed);
  // The last free shot up to each shot, and the first from each shot on.
  const [before, after] = [new Int32Array(rows), new Int32Array(rows)];
  for (let shot = 0, last = -1; shot < rows; shot++) before[shot] = last = isVetoed.has(shot) ? last : shot;
  for (let shot = rows - 1, first = rows; shot >= 0; shot--) after[shot] = first = isVetoed.has(shot) ? first : shot;
  return (middle, start, end) => {
    const [left, right] = [before[middle]!, after[middle]!];
    if (left < start) return right < end ? right : null;
    return right >= end || middle - left <= right - middle ? left : right;
  };
}

/** A shuffle: what every method must beat. The seed and the number of shots decide it, nothing else. */
export function random({ seed = 1 }: { seed?: number } = {}): Selector<Ranking, TallMatrix> {
  return {
    name: 'random',
    select(problem) {
      const { rows } = problem.features;
      const { below } = randomNumbers(seed);
      const order = Array.from({ length: rows }, (_, shot) => shot);
      for (let i = rows - 1; i > 0; i--) {
        const j = below(i + 1);
        [order[i], order[j]] = [order[j]!, order[i]!];
      }
      return rankingFromOrder(order, problem);
    },
  };
}
