import { CancelledError, MediaError, toSeconds, type Rational } from '../base/index.js';
import { chunkReader, COMPLAINT, passEveryFrame } from './decode.js';
import { clockFilters, deinterlace, sizeFilters, stepFunction } from './normalise.js';
import { inputOf, lastComplaint, newMark, requireOwnEnd, startFfmpeg, workLimitMs } from './process.js';
import { locateFfmpeg } from './tools.js';
import type { Stretch, VideoInfo } from './types.js';

/** Where frames come from. */
export type FrameSource = {
  readonly info: VideoInfo;
  /** The clock of the stretches, as found by the decoder. */
  readonly timeBase: Rational;
  /** Decode in one thread: with several, damaged pictures are different each time. */
  readonly isDamaged: boolean;
};

/** The frames of stretches of a source, converted to raw pictures of `frameBytes` by `filters`. */
export type StretchRequest = FrameSource & {
  /** In film order. */
  readonly stretches: readonly Stretch[];
  /** Applied after cutting, to frames whose clock starts with the first stretch. */
  readonly filters: readonly string[];
  readonly frameBytes: number;
  /** May start at a key picture shortly before the stretch instead of at the beginning of the file. */
  readonly maySeek: boolean;
  /** Pictures as stored, not rotated as by a player. */
  readonly asStored?: boolean;
};

/** A stretch being read. `next` gives `null` after the last picture. */
type StretchReading = {
  next(): Promise<Uint8Array | null>;
  /** Presentation times of the source's frames that were decoded so far, in its ticks. */
  readonly ticks: readonly number[];
  /** Time of a frame that `next` gave, where the filters keep every frame. */
  tickOf(index: number): Promise<number | undefined>;
  /** True when the reading began at a key picture in the middle of the file. */
  readonly hasSought: boolean;
  kill(): void;
};

/** The frames after a jump are not those that a reading from the start would give. */
export class SeekMissed extends MediaError {
  constructor(path: string) {
    super('seek-missed', `Expected the same frames after a jump into "${path}" as from its start, found others.`);
  }
}

/** Does work that may jump into files; if a jump missed, does it again without jumps. */
export async function withoutMissedSeeks(work: (maySeek: boolean) => Promise<void>): Promise<void> {
  try {
    await work(true);
  } catch (error) {
    if (!(error instanceof SeekMissed)) throw error;
    await work(false);
  }
}

/** Containers that state the time of every picture and the places of key pictures; in others, a jump may shift times. */
const SEEKABLE = /^(?:mov|matroska)\b/;

/** Whether jumps into the file can be exact. */
export function isSeekable({ info, isDamaged }: FrameSource): boolean {
  return !isDamaged && info.clock === undefined && SEEKABLE.test(info.container);
}

/** How far before the stretch a jump goes, so that filters which use neighbouring frames have them. */
export const PREROLL_SECONDS = 1;

/**
 * Reads the frames whose times are in the stretches. A jump counts only if it lands on a key picture at or before the first
 * stretch; else the file is read from its start. The caller checks how many frames came.
 */
export async function readStretch(request: StretchRequest, signal?: AbortSignal): Promise<StretchReading> {
  const seekTo = seekTarget(request);
  if (seekTo !== null) {
    const reading = await open(request, seekTo, signal);
    const landed = await reading.landed;
    if (landed !== null && landed.isKey && landed.ticks <= startOf(request)) return reading;
    reading.kill();
    if (signal?.aborted) throw new CancelledError();
  }
  return open(request, null, signal);
}

/** Seconds on the file's clock to jump to; `null` if reading from the start is as good, or safer. */
function seekTarget(request: StretchRequest): number | null {
  const seconds = toSeconds(startOf(request), request.timeBase) - PREROLL_SECONDS;
  return request.maySeek && isSeekable(request) && seconds > 0 ? seconds : null;
}

function startOf({ stretches }: StretchRequest): number {
  return stretches[0]?.start ?? 0;
}

type Landing = { readonly ticks: number; readonly isKey: boolean };

async function open(
  request: StretchRequest,
  seekTo: number | null,
  signal?: AbortSignal,
): Promise<StretchReading & { landed: Promise<Landing | null> }> {
  const { info, stretches } = request;
  const ffmpeg = await locateFfmpeg();
  const ticks: number[] = [];
  let land: (landing: Landing | null) => void = () => undefined;
  const landed = new Promise<Landing | null>((resolve) => (land = resolve));
  let [hasComplained, hasEnded, place] = [false, false, 0];
  let wake = (): void => undefined;
  const mark = newMark();
  const shown = new RegExp(`^\\[showinfo@${mark} @ [^\\]]+\\] \\[info\\] n: *\\d+ pts: *(-?\\d+) .*?\\biskey:([01])`);
  const running = await startFfmpeg(readArguments(request, { seekTo, mark, major: ffmpeg.major }), {
    signal,
    workMs: workLimitMs(info),
    onLine(line) {
      const frame = shown.exec(line);
      if (!frame) {
        // Pictures before the stretch may lack those they depend on after a jump; they are not wanted.
        hasComplained ||= ticks.length > 0 && COMPLAINT.test(line);
        return !COMPLAINT.test(line);
      }
      const at = Number(frame[1]);
      land({ ticks: at, isKey: frame[2] === '1' });
      while (at >= (stretches[place]?.end ?? Infinity)) place++;
      if (at >= (stretches[place]?.start ?? Infinity)) ticks.push(at);
      wake();
      return true;
    },
  });
  const ended = running.exited
    .catch(() => undefined)
    .then(() => {
      hasEnded = true;
      land(null);
    });
  const reader = chunkReader([running.output(1)]);
  return {
    landed,
    ticks,
    hasSought: seekTo !== null,
    kill: running.kill,
    async tickOf(index) {
      // The time of a frame comes before its pixels, but through another pipe.
      while (ticks.length <= index && !hasEnded) {
        await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))]);
      }
      return ticks[index];
    },
    async next() {
      const picture = await reader.take(0, request.frameBytes);
      if (picture) return picture;
      const exit = await running.exited;
      if (signal?.aborted) throw new CancelledError();
      requireOwnEnd(exit, running, info.path);
      if (seekTo !== null && (exit.code !== 0 || hasComplained)) throw new SeekMissed(info.path);
      if (ticks.length === 0) throw unreadable(info.path, running.errors);
      return null;
    },
  };
}

function readArguments(
  request: StretchRequest,
  { seekTo, mark, major }: { seekTo: number | null; mark: string; major: number },
): string[] {
  const { info, timeBase, stretches } = request;
  const from = startOf(request);
  const edges = stretches.flatMap(({ start: first, end }) => [first, end]);
  const keep = ['0', ...stretches.flatMap(() => ['1', '0'])];
  const filter = [
    ...[...clockFilters(info), `showinfo@${mark}=checksum=0`, ...sizeFilters(info, request)],
    // The deinterlacer looks at neighbouring frames, so it comes before anything is cut.
    ...deinterlace(info, timeBase),
    `trim=start_pts=${from}:end_pts=${stretches.at(-1)?.end ?? from}`,
    ...(stretches.length > 1 ? [`select='${stepFunction('pts', edges, keep)}'`] : []),
    ...[`setpts=PTS-(${from})`, ...request.filters],
  ];
  return [
    ...['-loglevel', 'level+info', '-copyts', '-reinit_filter', '0'],
    ...(request.isDamaged ? ['-threads', '1'] : []),
    ...(seekTo === null ? [] : ['-noaccurate_seek', '-seek_timestamp', '1', '-ss', seekTo.toFixed(6)]),
    ...(request.asStored ? ['-noautorotate'] : []),
    ...inputOf(info.path),
    ...['-map', '0:V:0', '-vf', filter.join(','), ...passEveryFrame(major), '-f', 'rawvideo', 'pipe:1'],
  ];
}

function unreadable(path: string, errors: readonly string[]): MediaError {
  // Releases before 6 say only why.
  if (errors.some((line) => /Error opening input|: No such file or directory$/.test(line))) {
    return new MediaError(
      'source-gone',
      `Expected to open "${path}" again for its film, found that it cannot be opened any more. Was it moved during the run?`,
    );
  }
  return new MediaError(
    'film-incomplete',
    `Expected frames of "${path}" for the film, the decoder gave none (${lastComplaint(errors)}). Did the file change while it was read?`,
  );
}
