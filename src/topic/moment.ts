import { createHash } from 'node:crypto';

import {
  addInnerGram,
  hasUnitRows,
  innerGram,
  type Matrix,
  meanOfRows,
  mirrorLower,
  NumericError,
  type TallMatrix,
  zeros,
  StoreError,
} from '../base/index.js';
import { type Moment, requireUsable, deepFlawOf } from './types.js';

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

/** The moments of every 64 videos with a weight above zero, as `sumInRuns` adds them, without a moment for each. */
export function* momentsOfRuns(videos: readonly TallMatrix[], weights: readonly number[]): Generator<Moment> {
  let run: Moment | null = null;
  const product = zeros(videos[0]?.cols ?? 0, videos[0]?.cols ?? 0);
  for (const [place, features] of videos.entries()) {
    const weight = weights[place]!;
    if (!(weight > 0)) continue;
    run = addVideo(run ?? emptyMoment(product.cols), features, weight, product);
    if (run.videoCount % MOMENT_RUN > 0) continue;
    mirrorLower(run.matrix);
    yield run;
    run = null;
  }
  if (run === null) return;
  mirrorLower(run.matrix);
  yield run;
}

/** `sum` with a video added in place, in the lower triangle of its matrix only. */
function addVideo(sum: Moment, features: TallMatrix, weight: number, product: Matrix): Moment {
  requireUsable(features, 'the features');
  requireWeight(weight);
  if (features.cols !== sum.dim) throw unlikeDims(sum.dim, features.cols);
  addInnerGram(sum.matrix, features, weight, product);
  meanOfRows(features).forEach((value, k) => (sum.means[k]! += weight * value));
  return {
    ...sum,
    videoCount: sum.videoCount + 1,
    shotCount: sum.shotCount + features.rows,
    unitRows: sum.unitRows && hasUnitRows(features),
    weight: sum.weight + (features.rows === 0 ? 0 : weight),
  };
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
  if (left.dim !== right.dim) throw unlikeDims(left.dim, right.dim);
}

function unlikeDims(dim: number, other: number): NumericError {
  return new NumericError(
    'dim-mismatch',
    `Expected features of one length, found ${dim} and ${other}. Use one model for a whole topic.`,
  );
}

function requireWeight(weight: number): void {
  if (Number.isFinite(weight) && weight >= 0) return;
  throw new NumericError('bad-weight', `Expected a weight of zero or more, found ${weight}.`);
}

/*
 * moment.2, little-endian:
 *   0  8 bytes  "TLMOMENT"            24  float64  shot count
 *   8  uint32   version, 2            32  float64  sum of the weights
 *  12  uint32   dim                   40  float64  weighted sum of the mean vectors
 *  16  uint32   video count           ..  float64  upper triangle of the matrix, row after row
 *  20  uint32   flags, bit 0 = every  end 32 bytes SHA-256 of everything before
 *               row has unit length
 */
const MAGIC = 'TLMOMENT';
const VERSION = 2;
const HEADER_BYTES = 40;
const CHECKSUM_BYTES = 32;

/** A moment as bytes (format `moment.2`): versioned, and guarded by a checksum. */
export function encodeMoment(moment: Moment): Buffer {
  const { dim, matrix } = moment;
  const body = HEADER_BYTES + 8 * dim + 4 * dim * (dim + 1);
  const bytes = Buffer.alloc(body + CHECKSUM_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(VERSION, 8);
  bytes.writeUInt32LE(dim, 12);
  bytes.writeUInt32LE(moment.videoCount, 16);
  bytes.writeUInt32LE(moment.unitRows ? 1 : 0, 20);
  bytes.writeDoubleLE(moment.shotCount, 24);
  bytes.writeDoubleLE(moment.weight, 32);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = HEADER_BYTES;
  moment.means.forEach((value, k) => view.setFloat64(at + 8 * k, value, true));
  at += 8 * dim;
  for (let i = 0; i < dim; i++) {
    for (let j = i; j < dim; j++, at += 8) view.setFloat64(at, matrix.data[i * dim + j]!, true);
  }
  checksum(bytes, body).copy(bytes, body);
  return bytes;
}

/** The moment in bytes from `encodeMoment`. Anything damaged, unknown, or that no shots could give, is refused. */
export function decodeMoment(bytes: Uint8Array): Moment {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < HEADER_BYTES + CHECKSUM_BYTES || buffer.toString('latin1', 0, 8) !== MAGIC) {
    throw new StoreError(
      'not-a-moment',
      'Expected a stored topic context, found something else. Build the context again.',
    );
  }
  const version = buffer.readUInt32LE(8);
  if (version !== VERSION) {
    throw new StoreError(
      'moment-version',
      `Expected a topic context of version ${VERSION}, found ${version}. Build it again.`,
    );
  }
  const dim = buffer.readUInt32LE(12);
  const body = HEADER_BYTES + 8 * dim + 4 * dim * (dim + 1);
  if (buffer.length !== body + CHECKSUM_BYTES || !checksum(buffer, body).equals(buffer.subarray(body))) {
    throw new StoreError(
      'moment-damaged',
      'Expected a whole topic context, found one that is cut off or altered. Build the context again.',
    );
  }
  const matrix = zeros(dim, dim);
  const view = new DataView(buffer.buffer, buffer.byteOffset);
  const means = Float64Array.from({ length: dim }, (_, k) => view.getFloat64(HEADER_BYTES + 8 * k, true));
  let at = HEADER_BYTES + 8 * dim;
  for (let i = 0; i < dim; i++) {
    for (let j = i; j < dim; j++, at += 8) {
      matrix.data[i * dim + j] = matrix.data[j * dim + i] = view.getFloat64(at, true);
    }
  }
  const moment: Moment = {
    dim,
    videoCount: buffer.readUInt32LE(16),
    shotCount: buffer.readDoubleLE(24),
    unitRows: (buffer.readUInt32LE(20) & 1) === 1,
    matrix,
    weight: buffer.readDoubleLE(32),
    means,
  };
  const flaw = deepFlawOf(moment);
  if (flaw !== null) {
    throw new StoreError('moment-damaged', `Expected a valid topic context, found ${flaw}. Build the context again.`);
  }
  return moment;
}

function checksum(bytes: Buffer, length: number): Buffer {
  return createHash('sha256').update(bytes.subarray(0, length)).digest();
}
