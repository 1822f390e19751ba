import type { Problem } from '../topic/index.js';
import type { Ranking } from './types.js';
import { NumericError, type Matrix, rowOf } from '../base/index.js';

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
export function rankingFromOrder(given: readonly number[], { pinned = [], vetoed = [] }: Wishes): Ranking {
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
