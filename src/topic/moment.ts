import { hasUnitRows, innerGram, meanOfRows, NumericError, type TallMatrix, zeros } from '../base/index.js';
import type { Moment } from './types.js';
import { requireUsable } from './usable.js';

/** The moment of a topic that has no videos yet. */
export function emptyMoment(dim: number): Moment {
  return {
    ...{ dim, videoCount: 0, shotCount: 0, unitRows: true, matrix: zeros(dim, dim) },
    ...{ weight: 0, means: new Float64Array(dim) },
  };
}

/** The moment of one video, from its shots as rows. A weight of w counts the video as if it were there w times. */
export function momentOf(features: TallMatrix, weight = 1): Moment {
  requireUsable(features, 'the features');
  requireWeight(weight);
  // Symmetric to the last bit, so that the half that is stored is all of it.
  const matrix = innerGram(features);
  if (weight !== 1) for (let at = 0; at < matrix.data.length; at++) matrix.data[at]! *= weight;
  const means = meanOfRows(features).map((value) => weight * value);
  return {
    ...{ dim: features.cols, videoCount: 1, shotCount: features.rows, unitRows: hasUnitRows(features), matrix },
    // A video without shots shows nothing, and does not count.
    ...{ weight: features.rows === 0 ? 0 : weight, means },
  };
}

/** The moment of both sets of videos together. Order and grouping change nothing but the last digits. */
export function addMoments(left: Moment, right: Moment): Moment {
  requireSameDim(left, right);
  const matrix = zeros(left.dim, left.dim);
  for (let at = 0; at < matrix.data.length; at++) matrix.data[at] = left.matrix.data[at]! + right.matrix.data[at]!;
  return {
    dim: left.dim,
    videoCount: left.videoCount + right.videoCount,
    shotCount: left.shotCount + right.shotCount,
    unitRows: left.unitRows && right.unitRows,
    matrix,
    weight: left.weight + right.weight,
    means: left.means.map((value, k) => value + right.means[k]!),
  };
}

/** The moment of many sets of videos, added up in one pass. `dim` is needed only when there may be none. */
export function mergeMoments(moments: Iterable<Moment>, dim?: number): Moment {
  let sum: Moment | null = dim === undefined ? null : emptyMoment(dim);
  for (const moment of moments) sum = addOnto(sum ?? emptyMoment(moment.dim), moment);
  return requireMoment(sum);
}

/** Moments are added in runs of this many: a run is minutes of work for one machine, and 64³ videos take three levels. */
export const MOMENT_RUN = 64;

/**
 * The moment of a topic, from those of its videos in their order. Sums of floating-point numbers depend on their order,
 * so every machine adds them in the same one: runs of 64 videos, then runs of 64 of those sums, and so on (`mergeMoments`).
 */
export function sumInRuns(moments: Iterable<Moment>): Moment {
  const levels: { sum: Moment | null; count: number }[] = [];
  const add = (moment: Moment, level: number): void => {
    const run = (levels[level] ??= { sum: null, count: 0 });
    run.sum = addOnto(run.sum ?? emptyMoment(moment.dim), moment);
    if (++run.count < MOMENT_RUN) return;
    levels[level] = { sum: null, count: 0 };
    add(run.sum, level + 1);
  };
  for (const moment of moments) add(moment, 0);
  // An unfinished run counts as the last item of the level above.
  let rest: Moment | null = null;
  for (const { sum } of levels) rest = sum === null ? rest : rest === null ? sum : addOnto(sum, rest);
  return requireMoment(rest);
}

/** `sum` with `moment` added to its matrix and means in place. */
export function addOnto(sum: Moment, moment: Moment): Moment {
  requireSameDim(sum, moment);
  const [to, from] = [sum.matrix.data, moment.matrix.data];
  for (let at = 0; at < to.length; at++) to[at]! += from[at]!;
  sum.means.forEach((value, k) => (sum.means[k] = value + moment.means[k]!));
  return {
    ...sum,
    videoCount: sum.videoCount + moment.videoCount,
    shotCount: sum.shotCount + moment.shotCount,
    unitRows: sum.unitRows && moment.unitRows,
    weight: sum.weight + moment.weight,
  };
}

function requireMoment(moment: Moment | null): Moment {
  if (moment !== null) return moment;
  throw new NumericError(
    'no-moments',
    'Expected at least one moment to merge, found none. Give `dim` for an empty topic.',
  );
}

/** `whole` without `part`, which must have been counted in it, with the same weight. */
export function removeMoment(whole: Moment, part: Moment): Moment {
  requireSameDim(whole, part);
  const [videoCount, shotCount] = [whole.videoCount - part.videoCount, whole.shotCount - part.shotCount];
  if (videoCount < 0 || shotCount < 0) {
    throw new NumericError(
      'moment-underflow',
      `Expected a part of ${whole.videoCount} videos with ${whole.shotCount} shots, found ${part.videoCount} videos with ${part.shotCount}. Remove only what was added.`,
    );
  }
  // If no shot is left, the matrix must be exactly zero: roundings must not count as content.
  if (shotCount === 0) return { ...emptyMoment(whole.dim), videoCount };
  const matrix = zeros(whole.dim, whole.dim);
  for (let at = 0; at < matrix.data.length; at++) matrix.data[at] = whole.matrix.data[at]! - part.matrix.data[at]!;
  return {
    ...{ dim: whole.dim, videoCount, shotCount, unitRows: whole.unitRows, matrix },
    weight: whole.weight - part.weight,
    means: whole.means.map((value, k) => value - part.means[k]!),
  };
}

function requireSameDim(left: Moment, right: Moment): void {
  if (left.dim === right.dim) return;
  throw new NumericError(
    'dim-mismatch',
    `Expected features of one length, found ${left.dim} and ${right.dim}. Use one model for a whole topic.`,
  );
}

function requireWeight(weight: number): void {
  if (Number.isFinite(weight) && weight >= 0) return;
  throw new NumericError('bad-weight', `Expected a weight of zero or more, found ${weight}.`);
}
