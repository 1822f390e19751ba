import { CancelledError, MediaError, rational, type Rational } from '../base/index.js';
import { chunkReader } from './chunks.js';
import { inputOf, lastComplaint, pastLimit, start, STUCK_MS } from './process.js';
import { locateFfmpeg } from './tools.js';
import type { Frame, VideoInfo, View } from './types.js';

/** A decode under way: iterate `frames` once, in presentation order; then `complaint` tells whether it went well. */
export type Decoding = {
  readonly frames: AsyncIterable<Frame>;
  /** Clock of `Frame.ticks`; known once the first frame has arrived. */
  timeBase(): Rational;
  /** The decoder's first complaint about the content, or `null`. Valid after the last frame. */
  complaint(): string | null;
};

export type DecodeOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly threads?: number;
  /** Pictures that can be decoded alone, and no others. */
  readonly keysOnly?: boolean;
};

/**
 * Frames whose clock does not advance cannot be told apart in time, so decoding and cutting both leave them out,
 * by this same rule. `pts` is the presentation time in the track's own ticks.
 */
export const ADVANCING = "select='isnan(prev_selected_pts)+gt(pts,prev_selected_pts)'";

const SHOWINFO = /^\[Parsed_showinfo_\d+ @ [^\]]+\] \[info\] n: *(\d+) pts: *(-?\d+)(?:.*? duration: *(\d+))?/;
const SHOWINFO_CLOCK = /^\[Parsed_showinfo_\d+ @ [^\]]+\] \[info\] config in time_base: (\d+)\/(\d+)/;
/** Levels at which the decoder says that content is damaged; what it merely remarks on comes at lower ones. */
const COMPLAINT = /^(?:\[[^\]]+\] )*\[(?:error|fatal|panic)\] (.*)/;
/** Raw pictures carry no times: that theirs fall together on the writer's coarser clock says nothing of the content. */
const COARSE_CLOCK = /non monotonically increasing dts to muxer/;

/**
 * Decodes a file once, in a stream, into the wanted views. The first view must want every frame: it carries the clock.
 * Rotation is applied; times are the file's own (an offset start stays).
 */
export function decode(info: VideoInfo, views: readonly [View, ...View[]], options: DecodeOptions = {}): Decoding {
  let clock: Rational | null = null;
  let complaint: string | null = null;
  return {
    frames: frames(),
    timeBase: () => clock ?? info.timeBase,
    complaint: () => complaint,
  };

  async function* frames(): AsyncGenerator<Frame> {
    const ffmpeg = await locateFfmpeg();
    const times: { ticks: number; durationTicks: number | null }[] = [];
    let [seen, isMiscounted] = [0, false];
    let wake = (): void => undefined;
    const args = decodeArguments(info.path, views, ffmpeg.major, options);
    const running = start(ffmpeg.path, args, {
      pipes: views.length - 1,
      signal: options.signal,
      onLine(line) {
        const frame = SHOWINFO.exec(line);
        if (frame) {
          if (Number(frame[1]) !== seen++) isMiscounted = true;
          const duration = Number(frame[3] ?? 0);
          times.push({ ticks: Number(frame[2]), durationTicks: duration > 0 ? duration : null });
          wake();
          return true;
        }
        const base = SHOWINFO_CLOCK.exec(line);
        if (base) clock = rational(Number(base[1]), Number(base[2]));
        const said = COARSE_CLOCK.test(line) ? null : COMPLAINT.exec(line);
        if (said) complaint ??= said[1] ?? 'no reason given';
        return !said;
      },
    });
    let hasEnded = false;
    const ended = running.exited.finally(() => (hasEnded = true));
    ended.catch(() => undefined);
    const reader = chunkReader(views.map((_, position) => running.output(pipeOf(position))));
    const sizes = views.map((view) => view.widthPx * view.heightPx * 3);
    let index = 0;
    // Only the wait for the decoder counts: whoever takes the frames may take their time.
    let waitingSince: number | null = null;
    let isStuck = false;
    const watch = setInterval(() => {
      if (waitingSince === null || performance.now() - waitingSince < STUCK_MS) return;
      isStuck = true;
      running.kill();
    }, STUCK_MS / 10);
    watch.unref();
    try {
      for (; ; index++) {
        waitingSince = performance.now();
        const pictures: Record<string, Uint8Array> = {};
        let complete = true;
        for (const [position, view] of views.entries()) {
          if (index % view.every !== 0) continue;
          const picture = await reader.take(position, sizes[position] ?? 0);
          if (picture) pictures[view.name] = picture;
          else complete = false;
        }
        if (!complete) break;
        // The clock line of a frame leaves the decoder before its pixels, but through another pipe.
        while (times.length === 0 && !hasEnded) {
          await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))]);
        }
        const time = times.shift();
        if (!time) break;
        if (isMiscounted) {
          throw new MediaError(
            'decoder-report',
            `The decoder lost count of the frames of "${info.path}". Please report this file.`,
          );
        }
        waitingSince = null;
        yield { index, ...time, pictures };
      }
      const exit = await running.exited;
      if (options.signal?.aborted) throw new CancelledError();
      if (isStuck) throw pastLimit(args, `more than ${STUCK_MS / 1000} s for one picture`);
      if (exit.signal)
        throw new MediaError(
          'decoder-died',
          `The decoder was stopped (${exit.signal}) while reading "${info.path}". Check memory and try again.`,
        );
      if (index === 0) {
        throw new MediaError(
          'no-frames',
          `Expected pictures in "${info.path}", could decode none (${lastComplaint(running.errors)}). The file is damaged or its codec is not supported.`,
        );
      }
      if (exit.code !== 0) complaint ??= lastComplaint(running.errors);
    } finally {
      clearInterval(watch);
      running.kill();
    }
  }
}

function decodeArguments(
  path: string,
  views: readonly View[],
  major: number,
  { threads, keysOnly }: DecodeOptions,
): string[] {
  const outputs = views.flatMap((_, position) => [
    // Small pictures are written several at a time: a pipe's every piece wakes two programs.
    ...['-map', `[v${position}]`, ...passEveryFrame(major), '-f', 'rawvideo', '-flush_packets', '0'],
    `pipe:${pipeOf(position)}`,
  ]);
  return [
    ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'level+info', '-copyts'],
    // A picture size that changes in mid-stream must not restart the graph: its frame counts would start again.
    ...['-reinit_filter', '0'],
    // Frames that no other frame is made from stay unsmoothed: views are small enough not to show it, and it saves a tenth.
    ...['-skip_loop_filter', 'noref'],
    ...(keysOnly ? ['-skip_frame', 'nokey'] : []),
    ...(threads ? ['-threads', String(threads)] : []),
    ...inputOf(path),
    ...['-filter_complex', filterGraph(views)],
    ...outputs,
  ];
}

/** One branch for each rhythm, split again into the sizes wanted at it, so that frames are picked once. */
function filterGraph(views: readonly View[]): string {
  const rhythms = [...new Set(views.map((view) => view.every))];
  const splitInto = (labels: readonly string[]): string => `split=${labels.length}${labels.join('')}`;
  const branches = rhythms.map((every) => {
    const positions = [...views.keys()].filter((position) => views[position]!.every === every);
    const pick = every === 1 ? '' : `select='not(mod(n,${every}))',`;
    const scaled = positions.map((position) => {
      // Of the report only the times are wanted; a checksum of every picture would cost as much as scaling it.
      const report = position === 0 ? ',showinfo=checksum=0' : '';
      return `[s${position}]${scaling(views[position]!)},format=rgb24${report}[v${position}]`;
    });
    return [`[r${every}]${pick}${splitInto(positions.map((position) => `[s${position}]`))}`, ...scaled].join(';');
  });
  return [`[0:V:0]${ADVANCING},${splitInto(rhythms.map((every) => `[r${every}]`))}`, ...branches].join(';');
}

/** Scales a frame to a view; where the view is only the centre of what it is scaled to, cuts that out. */
function scaling({ widthPx, heightPx, scaleTo = { width: widthPx, height: heightPx } }: View): string {
  const flags = 'flags=area+accurate_rnd+bitexact';
  // Of an odd margin the smaller half is before, as in Caffe; left to itself the filter rounds to even.
  const cut = `crop=${widthPx}:${heightPx}:'floor((iw-ow)/2)':'floor((ih-oh)/2)'`;
  if ('shorterSide' in scaleTo) {
    // Pixels need not be square: a frame's shape is that on the screen.
    const side = scaleTo.shorterSide;
    const length = (ratio: string): string => `'max(${side},round(${side}*${ratio}))'`;
    return `scale=${length('iw*sar/ih')}:${length('ih/(iw*sar)')}:${flags},${cut}`;
  }
  const scale = `scale=${scaleTo.width}:${scaleTo.height}:${flags}`;
  return scaleTo.width === widthPx && scaleTo.height === heightPx ? scale : `${scale},${cut}`;
}

/** The pipe of a view: standard output for the first, the extra pipes, from 3 up, for the others. */
function pipeOf(position: number): number {
  return position === 0 ? 1 : position + 2;
}

/** Hand on every frame with its own time: no doubling or dropping to an even rate. */
export function passEveryFrame(major: number): string[] {
  return major >= 6 ? ['-fps_mode', 'passthrough'] : ['-vsync', 'passthrough'];
}
