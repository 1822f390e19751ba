import { type Matrix, NumericError, requireFinite, rowOf, UsageError, zeros } from '../../base/index.js';
import type { LabelledVideo, ShotFrames } from '../types.js';
import type { NumberTable } from './npy.js';

/** What must be known of a video to bring vectors into its shots. */
export type CutVideo = Pick<LabelledVideo, 'id' | 'frameCount' | 'shots'>;

/**
 * One vector a shot. `picks` are the frames the rows were taken at; without them the rows must be as many as the shots, as
 * the frames, or as every `every`-th frame. Vectors of frames are averaged over each shot; a shot without one takes that of
 * the frame nearest to its middle, which `note` is told.
 */
export function toShotVectors(
  video: CutVideo,
  { rows, cols, values }: NumberTable,
  { picks, every }: { readonly picks: readonly number[] | null; readonly every: number | undefined },
  note: (sentence: string) => void,
): Matrix {
  const { id, frameCount, shots } = video;
  const vectors: Matrix = { rows, cols, data: values instanceof Float64Array ? values : Float64Array.from(values) };
  requireFinite(vectors, `the features of video "${id}"`);
  const frames = picks ?? framesOf(rows, video, every);
  if (frames === null) return vectors;
  if (frames.length !== rows) {
    throw unfit(`Expected a row for each of ${frames.length} picks of video "${id}", found ${rows}.`);
  }
  const outside = frames.find((frame) => !(Number.isSafeInteger(frame) && frame >= 0 && frame < frameCount));
  if (outside !== undefined) {
    throw unfit(`Expected picks within the ${frameCount} frames of video "${id}", found ${outside}.`);
  }
  return averageOver(shots, frames, vectors, (count) =>
    note(`Video "${id}": ${count} shots have no vector of their own and take that of the nearest frame.`),
  );
}

/** The frame of each row; `null` where the rows are of shots already. */
function framesOf(rows: number, { id, frameCount, shots }: CutVideo, every: number | undefined): number[] | null {
  if (every === undefined) {
    if (rows === shots.length) return null;
    if (rows === frameCount) return Array.from({ length: rows }, (_, row) => row);
    const wanted = `${shots.length} rows (shots) or ${frameCount} (frames)`;
    throw unfit(`Expected ${wanted} for video "${id}", found ${rows}. Say which frames the rows are of (every).`);
  }
  if (!Number.isSafeInteger(every) || every < 1) {
    throw new UsageError('bad-every', `Expected a whole number of frames between two rows, found ${every}.`);
  }
  // A last stretch shorter than the step may have a row or none, as whoever made the features saw fit.
  const [fewest, most] = [Math.floor(frameCount / every), Math.ceil(frameCount / every)];
  if (rows === fewest || rows === most) return Array.from({ length: rows }, (_, row) => row * every);
  throw unfit(`Expected ${most} rows (a row every ${every} frames) for video "${id}", found ${rows}.`);
}

function averageOver(
  shots: readonly ShotFrames[],
  frames: readonly number[],
  vectors: Matrix,
  onBare: (count: number) => void,
): Matrix {
  const pooled = zeros(shots.length, vectors.cols);
  const counts = new Float64Array(shots.length);
  const add = (row: number, shot: number): void => {
    const sum = rowOf(pooled, shot);
    rowOf(vectors, row).forEach((value, col) => (sum[col]! += value));
    counts[shot]!++;
  };
  frames.forEach((frame, row) => {
    const shot = shotAt(shots, frame);
    if (shot !== null) add(row, shot);
  });
  const bare = Array.from(counts.keys()).filter((shot) => counts[shot] === 0);
  for (const shot of bare) add(nearestRow(frames, shots[shot]!), shot);
  if (bare.length > 0) onBare(bare.length);
  counts.forEach((count, shot) => rowOf(pooled, shot).forEach((sum, col, means) => (means[col] = sum / count)));
  return pooled;
}

/** The shot a frame is in, by bisection; `null` where it is in none. */
function shotAt(shots: readonly ShotFrames[], frame: number): number | null {
  let [low, high] = [0, shots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shots[middle]!.endFrame <= frame) low = middle + 1;
    else high = middle;
  }
  const shot = shots[low];
  return shot && shot.startFrame <= frame ? low : null;
}

function nearestRow(frames: readonly number[], { startFrame, endFrame }: ShotFrames): number {
  const distance = (frame: number): number => Math.abs(frame - (startFrame + endFrame - 1) / 2);
  return frames.reduce((best, frame, row) => (distance(frame) < distance(frames[best]!) ? row : best), 0);
}

function unfit(sentence: string): NumericError {
  return new NumericError('features-fit', `${sentence} Check that the features are of this video.`);
}
