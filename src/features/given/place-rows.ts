import { lengthInSeconds, NumericError, toSeconds, type TimeRange } from '../../base/index.js';
import type { CutVideo } from './types.js';

/** The distance between rows, in frames or in seconds. */
export type RowStep = { readonly frames: number } | { readonly seconds: number };

/** A video whose shots may have times too; without times, rows can be placed by frames only. */
export type TimedVideo = Omit<CutVideo, 'shots'> & {
  readonly range?: TimeRange;
  readonly shots: readonly (CutVideo['shots'][number] & { readonly range?: TimeRange })[];
};

/** The place of each row, and where each shot begins and ends, in the same unit; `null` if every row is a shot. */
export type RowPlaces = {
  readonly rows: Float64Array;
  readonly shots: readonly { readonly start: number; readonly end: number }[];
} | null;

/** Parses `16` (frames) or `0.5s`; `null` if it is neither. */
export function parseRowStep(text: string): RowStep | null {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(s?)\s*$/.exec(text) ?? [];
  const value = Number(number);
  if (!(value > 0) || !Number.isFinite(value)) return null;
  if (unit === 's') return { seconds: value };
  return Number.isSafeInteger(value) ? { frames: value } : null;
}

/**
 * Places rows by the frames they were taken at (`picks`), by the stated step, or by their number: as many as shots if the
 * shots were `listed`, as many as frames, or a row every so many frames if exactly one whole number of frames fits.
 */
export function placeRows(
  video: TimedVideo,
  rows: number,
  known: { readonly picks?: readonly number[] | null; readonly step?: RowStep | undefined; readonly listed: boolean },
): RowPlaces {
  const { id, frameCount, shots } = video;
  if (known.picks) return atFrames(video, checkPicks(video, rows, known.picks));
  if (known.step && 'seconds' in known.step) return atSeconds(video, rows, known.step.seconds);
  if (known.step) {
    const every = known.step.frames;
    if (!fits(rows, frameCount, every)) {
      throw unfit(
        `Expected ${Math.ceil(frameCount / every)} rows (a row every ${every} frames) for "${id}", found ${rows}.`,
      );
    }
    return atFrames(video, evenly(rows, every));
  }
  if (known.listed && rows === shots.length) return null;
  const steps = rows > frameCount ? [] : stepsThatFit(rows, frameCount);
  if (steps.length === 1) return atFrames(video, evenly(rows, steps[0]!));
  const wanted = `${known.listed ? `${shots.length} rows (shots), ` : ''}${frameCount}${known.listed ? '' : ' rows'} (frames)`;
  const how = 'If they were taken at a steady rate, say how far apart they are (--vectors-every).';
  throw unfit(`Expected ${wanted} or a row every so many frames for "${id}", found ${rows} rows. ${how}`);
}

/** A last stretch shorter than the step may have a row or not, depending on the tool that made the vectors. */
function fits(rows: number, frameCount: number, every: number): boolean {
  return rows === Math.floor(frameCount / every) || rows === Math.ceil(frameCount / every);
}

function stepsThatFit(rows: number, frameCount: number): number[] {
  // floor(F/e) ≤ rows ≤ ceil(F/e) only where F/(rows+1) ≤ e ≤ F/(rows−1).
  const steps: number[] = [];
  const last = rows > 1 ? Math.floor(frameCount / (rows - 1)) : frameCount;
  for (let every = Math.max(1, Math.floor(frameCount / (rows + 1))); every <= last; every++) {
    if (fits(rows, frameCount, every)) steps.push(every);
  }
  return steps;
}

function evenly(rows: number, step: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, row) => row * step);
}

function atFrames({ shots }: TimedVideo, rows: Float64Array): RowPlaces {
  return { rows, shots: shots.map(({ startFrame, endFrame }) => ({ start: startFrame, end: endFrame })) };
}

/** Times count from the first frame: the rows were made from the beginning of the file. */
function atSeconds({ id, range, shots }: TimedVideo, rows: number, step: number): RowPlaces {
  if (!range) throw unfit(`Expected rows of frames for "${id}", whose times are not known, found a step in seconds.`);
  const seconds = lengthInSeconds(range);
  const expected = seconds / step;
  // Rates and durations stated elsewhere are rounded: one row more or fewer at the end is still the same video.
  if (rows < Math.floor(expected) - 1 || rows > Math.ceil(expected) + 1) {
    throw unfit(
      `Expected ${Math.ceil(expected)} rows (a row every ${step} s of ${seconds.toFixed(1)} s) for "${id}", found ${rows}.`,
    );
  }
  const at = (ticks: number, { base }: TimeRange): number => toSeconds(ticks - range.start, base);
  return {
    rows: evenly(rows, step),
    shots: shots.map(({ range: own }) => ({ start: at(own!.start, own!), end: at(own!.end, own!) })),
  };
}

function checkPicks({ id, frameCount }: TimedVideo, rows: number, picks: readonly number[]): Float64Array {
  if (picks.length !== rows) throw unfit(`Expected a row for each of ${picks.length} picks of "${id}", found ${rows}.`);
  const outside = picks.find((frame) => !(Number.isSafeInteger(frame) && frame >= 0 && frame < frameCount));
  if (outside !== undefined)
    throw unfit(`Expected picks within the ${frameCount} frames of "${id}", found ${outside}.`);
  return Float64Array.from(picks);
}

function unfit(sentence: string): NumericError {
  return new NumericError('features-fit', `${sentence} Check that the vectors are of this video.`);
}
