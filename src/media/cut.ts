import { rm, writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';

import { CancelledError, diskFullSentence, MediaError, type Rational } from '../base/index.js';
import { ADVANCING, passEveryFrame } from './decode.js';
import { inputOf, lastComplaint, start } from './process.js';
import { pourSound, SAMPLE_RATE, type Stretch } from './sound.js';
import { locateFfmpeg } from './tools.js';
import type { VideoInfo } from './types.js';

export type CutRequest = {
  readonly info: VideoInfo;
  /** Clock of `stretches`, as the decoder told it. */
  readonly timeBase: Rational;
  /** What the film plays, in film order, in source ticks. */
  readonly stretches: readonly Stretch[];
  /** Frames the stretches hold, as counted when the file was analysed. The film must have exactly these. */
  readonly frameCount: number;
  /** Sound track to carry over; `null` for a silent film. */
  readonly soundTrack: number | null;
  /** Decode in one thread: with several, damaged pictures come out differently each time. */
  readonly isDamaged: boolean;
  /** Where the film goes; the caller renames it into place. */
  readonly output: string;
};

/** x264's decisions depend on how many threads share a film, so the number is fixed: same input, same bytes. */
const ENCODER_THREADS = 4;

/** Below this length a filter travels as an argument, above it in a file (systems limit one argument to 128 KiB). */
const LONGEST_ARGUMENT = 60_000;

/**
 * Encodes stretches of one source, joined, as MP4 (H.264 + AAC), in one pass. Every picture keeps its own duration:
 * frame k of the film is shown at  pts − start(stretch) + total length of the stretches before,  so a variable rate
 * stays variable and a steady one steady. Size, shape and rate are the source's; rotation is applied.
 */
export async function encodeCuts(
  request: CutRequest,
  options: { signal?: AbortSignal | undefined; onFrames?: (frames: number) => void } = {},
): Promise<void> {
  const { info, output } = request;
  const ffmpeg = await locateFfmpeg();
  const filter = cutFilter(request);
  const filterFile = filter.length > LONGEST_ARGUMENT ? `${output}.filter` : null;
  if (filterFile) await writeFile(filterFile, filter);
  const filterArguments =
    filterFile === null
      ? ['-filter:v', filter]
      : ffmpeg.major >= 7
        ? ['-/filter:v', filterFile]
        : ['-filter_script:v', filterFile];
  const withSound = request.soundTrack !== null;
  let frames = 0;
  const running = start(
    ffmpeg.path,
    [
      ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'error', '-y', '-copyts'],
      ...(request.isDamaged ? ['-threads', '1'] : []),
      ...inputOf(info.path),
      ...(withSound ? ['-f', 'f32le', '-ar', String(SAMPLE_RATE), '-ac', '2', '-i', 'pipe:3'] : []),
      ...['-map', '0:V:0', ...filterArguments, ...passEveryFrame(ffmpeg.major), '-enc_time_base', '-1'],
      ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-threads:v', String(ENCODER_THREADS)],
      // Each picture is said to last until the film ends; MP4 takes that from the last one only, which says it right.
      ...['-bsf:v', `setts=pts=PTS:dts=DTS:duration=${filmTicks(request.stretches)}-PTS`],
      ...(withSound ? ['-map', '1:a', '-c:a', 'aac', '-b:a', '160k'] : []),
      ...['-video_track_timescale', String(request.timeBase.den), '-map_metadata', '-1', '-map_chapters', '-1'],
      ...['-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact', '-movflags', '+faststart'],
      ...['-progress', 'pipe:1', '-f', 'mp4', `file:${output}`],
    ],
    { pipes: withSound ? 1 : 0, signal: options.signal },
  );
  running.output(1).on('data', (text: Buffer) => {
    for (const match of text.toString().matchAll(/^frame=\s*(\d+)/gm)) frames = Number(match[1]);
    options.onFrames?.(frames);
  });
  // When the encoder fails, the sound can no longer be delivered; the encoder's reason is the one to tell.
  const sound = pour(request, running.input(3), options.signal).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  try {
    const exit = await running.exited;
    const soundFailure = await sound;
    if (options.signal?.aborted) throw new CancelledError();
    if (exit.code !== 0) throw encodeFailed(info.path, output, running.errors);
    if (soundFailure) throw soundFailure.error;
    if (frames !== request.frameCount) {
      throw new MediaError(
        'film-incomplete',
        `Expected ${request.frameCount} frames in the film of "${info.path}", the decoder gave ${frames}. Did the file change while it was read?`,
      );
    }
  } finally {
    running.kill();
    if (filterFile) await rm(filterFile, { force: true });
  }
}

async function pour(request: CutRequest, sink: Writable | null, signal?: AbortSignal): Promise<void> {
  if (request.soundTrack === null || !sink) return;
  // The encoder may stop reading early when it fails; its own exit tells why.
  sink.on('error', () => undefined);
  try {
    await pourSound(
      { path: request.info.path, track: request.soundTrack, maySeek: false, base: request.timeBase },
      request.stretches,
      sink,
      signal,
    );
  } finally {
    sink.end();
  }
}

/** Length of the film. */
function filmTicks(stretches: readonly Stretch[]): number {
  return stretches.reduce((ticks, { start: from, end }) => ticks + end - from, 0);
}

/** The filter that keeps the stretches' frames and sets their film times. */
function cutFilter({ info, timeBase, stretches }: CutRequest): string {
  const edges: number[] = [];
  const keep: string[] = ['0'];
  const shift: string[] = ['0'];
  let before = 0;
  for (const { start: from, end } of stretches) {
    edges.push(from, end);
    keep.push('1', '0');
    shift.push(String(from - before), '0');
    before += end - from;
  }
  const last = stretches.at(-1)?.end ?? 0;
  const steps = [
    ADVANCING,
    // The deinterlacer looks at neighbouring frames, so it comes before anything is cut; it also halves the tick.
    ...(info.interlaced ? ['bwdif=mode=send_frame:deint=interlaced', `settb=${timeBase.num}/${timeBase.den}`] : []),
    `trim=end_pts=${last}`,
    `select='${stepFunction('pts', edges, keep)}'`,
    `setpts='PTS-(${stepFunction('PTS', edges, shift)})'`,
    // H.264 in the form every browser plays stores colour for 2×2 pixels: an odd last row or column goes.
    ...(info.widthPx % 2 || info.heightPx % 2 ? ['crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0'] : []),
    'format=yuv420p',
  ];
  return steps.join(',');
}

/** values[k] for edges[k-1] ≤ x < edges[k], as a balanced tree: log₂ comparisons a frame, whatever the number of cuts. */
function stepFunction(x: string, edges: readonly number[], values: readonly string[]): string {
  const tree = (low: number, high: number): string => {
    if (low === high) return values[low] ?? '0';
    const middle = (low + high) >> 1;
    return `if(lt(${x},${edges[middle]}),${tree(low, middle)},${tree(middle + 1, high)})`;
  };
  return tree(0, edges.length);
}

function encodeFailed(source: string, output: string, errors: readonly string[]): MediaError {
  if (errors.some((line) => line.includes('Error opening input'))) {
    return new MediaError(
      'source-gone',
      `"${source}" could be analysed but not be opened again to render its film. Was it moved while the run went on?`,
    );
  }
  const reason = lastComplaint(errors);
  if (errors.some((line) => line.includes('No space left'))) {
    return new MediaError('disk-full', diskFullSentence(output));
  }
  return new MediaError('encode-failed', `Could not write the film "${output}" (${reason}).`);
}
