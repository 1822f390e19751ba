import { formatClock, toSeconds, UsageError } from '../base/index.js';
import type { ListedMoment, ListedShot, ShotList } from './shot-list.js';
import { shotsFromFrames, type FrameClock, type FrameRange } from './shots-from.js';
import type { Segments } from './types.js';

/** An end this many seconds past the last frame counts as the end: sound often lasts a little longer than the pictures. */
const END_SLACK_SECONDS = 0.5;

/**
 * The shots of one video from a list. A time counts from the first frame and means the first frame at or after it, with half
 * a millisecond of tolerance because lists round to milliseconds. Shots must be in order and not overlap; frames between
 * them belong to no shot. Each is a take of its own. In a list with files, rows match `video` by its path, its name, or its name without ending.
 */
export function shotsFromList(list: ShotList, video: string, clock: FrameClock): Segments {
  const rows = rowsOf(list, video);
  const frames = clock.frameTicks.length;
  const refuse = (row: ListedShot, expected: string, found: string, advice: string): UsageError =>
    new UsageError(
      'bad-shot-list',
      `Expected ${expected} in ${row.where} of "${list.name}" for "${video}", found ${found}. ${advice}`,
    );

  const starts = rows.map((row) => {
    const start = frameAt(row.start, clock);
    if (start < frames) return start;
    const advice = 'Check that the list was made from this video; frame numbers belong under start_frame.';
    throw refuse(row, `a start inside the video (${lengthOf(clock)})`, written(row.start), advice);
  });
  const ranges: FrameRange[] = rows.map((row, i) => {
    const startFrame = starts[i] as number;
    const endFrame = row.end === null ? (starts[i + 1] ?? frames) : frameAt(row.end, clock);
    if (row.end !== null && isPastEnd(row.end, clock)) {
      const advice = 'Check that the list was made from this video, or shorten the shot.';
      throw refuse(row, `an end inside the video (${lengthOf(clock)})`, written(row.end), advice);
    }
    const above = rows[i - 1];
    if (above !== undefined && startFrame < (starts[i - 1] as number)) {
      const found = `${written(row.start)} after ${written(above.start)} in ${above.where}`;
      throw refuse(row, 'a later start than in the one above', found, 'Sort the list by start.');
    }
    if (endFrame <= startFrame) {
      const found = `frames ${startFrame} to ${endFrame}`;
      throw refuse(row, 'a shot of at least one frame', found, 'Give an end after the start, or remove the shot.');
    }
    return { startFrame, endFrame };
  });
  for (const [i, { startFrame }] of ranges.entries()) {
    const [above, range] = [rows[i - 1], ranges[i - 1]];
    if (above !== undefined && range !== undefined && startFrame < range.endFrame) {
      const found = `a start at frame ${startFrame} while the shot of ${above.where} ends at ${range.endFrame}`;
      throw refuse(rows[i] as ListedShot, 'shots that do not overlap', found, 'End one before the other begins.');
    }
  }
  return shotsFromFrames(ranges, clock);
}

function rowsOf(list: ShotList, video: string): readonly ListedShot[] {
  const rows = list.shots.filter(({ file }) => file === null || isSameFile(file, video));
  if (rows.length > 0) return rows;
  const files = [...new Set(list.shots.map(({ file }) => file))];
  const named = files.slice(0, 3).join(', ') + (files.length > 3 ? ` and ${files.length - 3} more` : '');
  throw new UsageError(
    'no-shots-for-video',
    `Expected shots for "${video}" in "${list.name}", found only ${named}. Add its shots, or leave the video out.`,
  );
}

/** Whether a name means this video: by its path, the end of its path, its name, or its name without ending. */
export function isSameFile(listed: string, video: string): boolean {
  const [a, b] = [listed.replaceAll('\\', '/'), video.replaceAll('\\', '/')];
  if (a === b || b.endsWith(`/${a}`) || a.endsWith(`/${b}`)) return true;
  const name = b.slice(b.lastIndexOf('/') + 1);
  return a === name || a === name.replace(/\.[^.]+$/, '');
}

/** The first frame at or after a moment; the number of frames if there is none. */
export function frameAt(moment: ListedMoment, clock: FrameClock): number {
  if (moment.kind === 'frame') return moment.frame;
  const { frameTicks } = clock;
  const least = ticksAt(moment, clock) + BigInt(frameTicks[0] ?? 0);
  let [low, high] = [0, frameTicks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (BigInt(frameTicks[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ticks after the first frame, ⌈(seconds − ½ ms) / base⌉. */
function ticksAt({ digits, places }: Extract<ListedMoment, { kind: 'time' }>, { timeBase }: FrameClock): bigint {
  const numerator = (2000n * digits - 10n ** BigInt(places)) * BigInt(timeBase.den);
  const denominator = 2000n * 10n ** BigInt(places) * BigInt(timeBase.num);
  // BigInt division cuts towards zero, which for a negative number already rounds up.
  return numerator > 0n ? (numerator + denominator - 1n) / denominator : numerator / denominator;
}

/** Whether a moment is past the end by more than `END_SLACK_SECONDS`. */
export function isPastEnd(moment: ListedMoment, clock: FrameClock): boolean {
  if (moment.kind === 'frame') return moment.frame > clock.frameTicks.length;
  const excess = Number(ticksAt(moment, clock) - BigInt(clock.endTicks - (clock.frameTicks[0] ?? 0)));
  return toSeconds(excess, clock.timeBase) > END_SLACK_SECONDS;
}

function written(moment: ListedMoment): string {
  return moment.kind === 'frame' ? `frame ${moment.frame}` : moment.written;
}

function lengthOf({ frameTicks, endTicks, timeBase }: FrameClock): string {
  return `${frameTicks.length} frames, ${formatClock(toSeconds(endTicks - (frameTicks[0] ?? 0), timeBase))}`;
}
