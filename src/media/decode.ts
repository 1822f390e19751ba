import type { Readable } from 'node:stream';

import { CancelledError, MediaError } from '../base/index.js';
import { sdrFilters } from './colour.js';
import { clockFilters, deinterlace, jumpReader, sizeFilters } from './normalise.js';
import { inputOf, lastComplaint, requireOwnEnd, startFfmpeg, workLimitMs } from './process.js';
import { locateFfmpeg } from './tools.js';
import type { ClockJump, Frame, VideoInfo, View } from './types.js';

/** A file being decoded: iterate `frames` once, in presentation order; then `complaint` is null if it went well. */
export type Decoding = {
  readonly frames: AsyncIterable<Frame>;
  /** The decoder's first complaint about the content, or `null`. Valid after the last frame. */
  complaint(): string | null;
  /** What the stream did on its way. Valid after the last frame. */
  found(): StreamChanges;
  /** Frames with damage, if `reportsDamage` was asked for. Valid after the last frame. */
  damaged(): readonly number[];
};

/** What a stream did that a reading had to even out. */
type StreamChanges = {
  /** Where its clock restarted; only read if `info.clock` is set. */
  readonly clock: readonly ClockJump[];
  /** The size or format of its pictures changed. */
  readonly resizes: boolean;
};

/** How a file is decoded. */
export type DecodeOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly threads?: number;
  /** Decode only pictures that do not depend on others. */
  readonly keysOnly?: boolean;
  /** Report which frames were not decoded completely, and those made from them: up to the next key picture. */
  readonly reportsDamage?: boolean;
  /** The work that decoding may take, in milliseconds; default `workLimitMs`. */
  readonly workMs?: number;
};

/** A line of the report that comes with the pictures: track, decoding time, presentation time, duration. */
const TIMES = /^0, *-?\d+, *(-?\d+), *(\d+),/;
/** A line that says content is damaged, by its level; mere remarks have lower levels. */
export const COMPLAINT = /^(?:\[[^\]]+\] )*\[(?:error|fatal|panic)\] (.*)/;
/** The warning about a picture that is not like the first. */
const RESIZED = 'Changing video frame properties on the fly';
/** The report comes in blocks of 32,768 bytes, with about 58 bytes per frame. */
const FRAMES_A_BLOCK = 32_768 / 58;
/** Bytes of pictures that may wait for their times: a block saves a wake-up per picture, but comes after all of them. */
const MAX_WAITING_BYTES = 16 << 20;
/** Larger pictures take long to decode: a block of them would come late, and a wake-up for each costs little beside that. */
const QUICK_PIXELS = 1280 * 720;

/**
 * Decodes a file once, in a stream, into the wanted views. The first view must want every frame: it carries the clock.
 * Rotation is applied; times are the file's own, on the clock of `info` (an offset start stays).
 */
export function decode(info: VideoInfo, views: readonly [View, ...View[]], options: DecodeOptions = {}): Decoding {
  let complaint: string | null = null;
  const clock: ClockJump[] = [];
  const isJump = jumpReader(clock);
  let resizes = false;
  const damage = damageReader();
  return {
    frames: frames(),
    complaint: () => complaint,
    found: () => ({ clock, resizes }),
    damaged: () => damage.frames,
  };

  async function* frames(): AsyncGenerator<Frame> {
    const ffmpeg = await locateFfmpeg();
    const running = await startFfmpeg(decodeArguments(info, views, ffmpeg.major, options), {
      pipes: views.length,
      workMs: options.workMs ?? workLimitMs(info),
      signal: options.signal,
      onLine(line) {
        if (isJump(line)) return true;
        if (options.reportsDamage) damage.read(line);
        resizes ||= line.includes(RESIZED);
        const said = COMPLAINT.exec(line);
        if (said) complaint ??= said[1] ?? 'no reason given';
        return !said;
      },
    });
    const pipes = [...views.keys(), views.length].map((position) => running.output(pipeOf(position)));
    const reader = chunkReader(pipes);
    const times = readTimes(() => reader.takeAny(views.length));
    const sizes = views.map(bytesOf);
    let index = 0;
    try {
      for (; ; index++) {
        const { value: time } = await times.next();
        if (!time) break;
        const pictures: Record<string, Uint8Array> = {};
        let complete = true;
        for (const [position, view] of views.entries()) {
          if (index % view.every !== 0) continue;
          const picture = await reader.take(position, sizes[position]!);
          if (picture) pictures[view.name] = picture;
          else complete = false;
        }
        if (!complete) break;
        yield { index, ...time, pictures };
      }
      const exit = await running.exited;
      if (options.signal?.aborted) throw new CancelledError();
      requireOwnEnd(exit, running, info.path);
      if (index === 0) {
        throw new MediaError(
          'no-frames',
          `Expected pictures in "${info.path}", could decode none (${lastComplaint(running.errors)}). The file is damaged or its codec is not supported.`,
        );
      }
      if (exit.code !== 0) complaint ??= lastComplaint(running.errors);
    } finally {
      running.kill();
    }
  }
}

/** What `-debug_ts` reports of a decoded frame. If the frame is incomplete, the same thread says so in the line before. */
const DECODED = /^(?:\[[^\]]+\] )*\[info\] decoder -> .* keyframe:([01])/;
const CORRUPT = /^(?:\[[^\]]+\] )*\[warning\] .*corrupt decoded frame/;

/** Damage lasts from an incomplete frame to the next complete key picture, because frames between are made from it. */
function damageReader(): { readonly frames: number[]; read(line: string): void } {
  const frames: number[] = [];
  let [isCorrupt, isDamaged, frame] = [false, false, 0];
  return {
    frames,
    read(line) {
      if (CORRUPT.test(line)) isCorrupt = true;
      const [, isKey] = DECODED.exec(line) ?? [];
      if (isKey === undefined) return;
      isDamaged = isCorrupt || (isDamaged && isKey === '0');
      isCorrupt = false;
      if (isDamaged) frames.push(frame);
      frame++;
    },
  };
}

/** The times of frames, from the report that comes with their pictures. */
async function* readTimes(
  next: () => Promise<Uint8Array | null>,
): AsyncGenerator<Pick<Frame, 'ticks' | 'durationTicks'>, undefined> {
  let rest = '';
  for (let block = await next(); block !== null; block = await next()) {
    const lines = (rest + Buffer.from(block).toString('latin1')).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const [, ticks, duration] = TIMES.exec(line) ?? [];
      // An unknown duration is written as one tick; a true duration of one tick may count as unknown too.
      const durationTicks = Number(duration) > 1 ? Number(duration) : null;
      if (ticks !== undefined) yield { ticks: Number(ticks), durationTicks };
    }
  }
}

const bytesOf = ({ widthPx, heightPx }: View): number => 3 * widthPx * heightPx;

function decodeArguments(
  info: VideoInfo,
  views: readonly View[],
  major: number,
  { threads, keysOnly, reportsDamage }: DecodeOptions,
): string[] {
  const { path, timeBase, widthPx, heightPx } = info;
  const bytesAFrame = views.reduce((sum, view) => sum + bytesOf(view) / view.every, 0);
  const inBlocks = widthPx * heightPx <= QUICK_PIXELS && bytesAFrame * FRAMES_A_BLOCK <= MAX_WAITING_BYTES;
  const report = `[f=framecrc:flush_packets=${inBlocks ? 0 : 1}]pipe:${pipeOf(views.length)}`;
  const outputs = views.flatMap((_, position) => {
    const to = `pipe:${pipeOf(position)}`;
    return [
      ...['-map', `[v${position}]`, ...passEveryFrame(major), '-c:v', 'rawvideo'],
      // By default the writer counts in frames of a steady rate, and uneven times would become equal.
      ...['-enc_time_base', `${timeBase.num}:${timeBase.den}`],
      // Small pictures are written several at a time: each write to a pipe wakes two programs.
      ...(position === 0
        ? ['-f', 'tee', `[f=rawvideo:flush_packets=0]${to}|${report}`]
        : ['-f', 'rawvideo', '-flush_packets', '0', to]),
    ];
  });
  return [
    ...['-loglevel', `level+${reportsDamage ? 'info' : 'warning'}`, '-nostats', '-copyts'],
    ...(reportsDamage ? ['-debug_ts'] : []),
    // A picture size that changes in mid-stream must not restart the graph: its frame counts would begin again.
    ...['-reinit_filter', '0'],
    // Frames that no other frame depends on are not smoothed: views are too small to show it, and it saves a tenth.
    ...['-skip_loop_filter', 'noref'],
    ...(keysOnly ? ['-skip_frame', 'nokey'] : []),
    ...(threads ? ['-threads', String(threads)] : []),
    ...inputOf(path),
    // Views are so small that dividing the work among threads costs more than the work.
    ...['-filter_complex_threads', '1', '-filter_complex', filterGraph(info, views)],
    ...outputs,
  ];
}

/** One branch for each rhythm, split again into the sizes wanted at it, so that frames are picked once. */
function filterGraph(info: VideoInfo, views: readonly View[]): string {
  const rhythms = [...new Set(views.map((view) => view.every))];
  const splitInto = (labels: readonly string[]): string => `split=${labels.length}${labels.join('')}`;
  const branches = rhythms.map((every) => {
    const positions = [...views.keys()].filter((position) => views[position]!.every === every);
    const pick = every === 1 ? '' : `select='not(mod(n,${every}))',`;
    const scaled = positions.map((position) => `[s${position}]${toRgb(info, views[position]!)}[v${position}]`);
    return [`[r${every}]${pick}${splitInto(positions.map((position) => `[s${position}]`))}`, ...scaled].join(';');
  });
  const head = [...clockFilters(info, { report: true }), ...sizeFilters(info), ...deinterlace(info, info.timeBase)];
  return [`[0:V:0]${[...head, splitInto(rhythms.map((every) => `[r${every}]`))].join(',')}`, ...branches].join(';');
}

/** Small pictures first, then their colours: that costs little, and flat areas come out the same. */
function toRgb(info: VideoInfo, view: View): string {
  return [scaling(view), ...sdrFilters(info, 'rgb'), 'format=rgb24'].join(',');
}

/** Scales a frame to a view; where the view is only the centre of what it is scaled to, cuts that out. */
function scaling({ widthPx, heightPx, scaleTo = { width: widthPx, height: heightPx } }: View): string {
  const flags = 'flags=area+accurate_rnd+bitexact';
  // The smaller half of an odd margin comes first, as in Caffe; by default the filter rounds to even.
  const cut = `crop=${widthPx}:${heightPx}:'floor((iw-ow)/2)':'floor((ih-oh)/2)'`;
  if ('shorterSide' in scaleTo) {
    // Pixels need not be square: the shape of a frame is its shape on screen.
    const side = scaleTo.shorterSide;
    const length = (ratio: string): string => `'max(${side},round(${side}*${ratio}))'`;
    return `scale=${length('iw*sar/ih')}:${length('ih/(iw*sar)')}:${flags},${cut}`;
  }
  const scale = `scale=${scaleTo.width}:${scaleTo.height}:${flags}`;
  return scaleTo.width === widthPx && scaleTo.height === heightPx ? scale : `${scale},${cut}`;
}

/** The pipe of a view: standard output for the first, extra pipes from 3 up for the others, and the last one for times. */
function pipeOf(position: number): number {
  return position === 0 ? 1 : position + 2;
}

/** Passes every frame on with its own time: none are doubled or dropped for a steady rate. */
export function passEveryFrame(major: number): string[] {
  return major >= 6 ? ['-fps_mode', 'passthrough'] : ['-vsync', 'passthrough'];
}

/** Takes pieces of a fixed size from several pipes of one program, without a deadlock between them. */
type ChunkReader = {
  /** The next `size` bytes of pipe `index`; `null` if it has ended (a partial piece at the end is dropped). */
  take(index: number, size: number): Promise<Uint8Array | null>;
  /** Everything that has come through pipe `index`, at least one byte; `null` if it has ended. */
  takeAny(index: number): Promise<Uint8Array | null>;
};

type Pipe = { readonly stream: Readable; parts: Buffer[]; bytes: number; ended: boolean };

/** Bytes of a pipe that may be buffered while nothing is awaited. */
const IDLE_LIMIT = 4 << 20;

/**
 * A program that writes to several pipes blocks as soon as one is full. So while a piece of any pipe is awaited, all pipes
 * are read; otherwise each is read up to a limit. Memory is bounded by how far the program's outputs are apart, and a slow
 * consumer slows the program down.
 */
export function chunkReader(streams: readonly Readable[]): ChunkReader {
  const pipes = streams.map((stream): Pipe => ({ stream, parts: [], bytes: 0, ended: false }));
  let waiting: (() => void) | null = null;
  const wake = (): void => {
    waiting?.();
    waiting = null;
  };
  for (const pipe of pipes) {
    pipe.stream.on('data', (part: Buffer) => {
      pipe.parts.push(part);
      pipe.bytes += part.length;
      if (waiting) wake();
      else if (pipe.bytes > IDLE_LIMIT) pipe.stream.pause();
    });
    const end = (): void => {
      pipe.ended = true;
      wake();
    };
    pipe.stream.on('end', end).on('close', end).on('error', end);
  }
  const has = async (pipe: Pipe, size: number): Promise<boolean> => {
    while (pipe.bytes < size) {
      if (pipe.ended) return false;
      for (const { stream } of pipes) stream.resume();
      await new Promise<void>((resolve) => (waiting = resolve));
    }
    return true;
  };
  return {
    async take(index, size) {
      const pipe = pipes[index]!;
      if (!(await has(pipe, size))) return null;
      const [first] = pipe.parts as [Buffer];
      pipe.bytes -= size;
      // Small pieces mostly are inside one part and need not be copied.
      if (first.length > size) {
        pipe.parts[0] = first.subarray(size);
        return first.subarray(0, size);
      }
      const piece = Buffer.allocUnsafeSlow(size);
      let filled = 0;
      while (filled < size) {
        const part = pipe.parts[0] as Buffer;
        const used = part.copy(piece, filled, 0, Math.min(part.length, size - filled));
        filled += used;
        if (used === part.length) pipe.parts.shift();
        else pipe.parts[0] = part.subarray(used);
      }
      return piece;
    },
    async takeAny(index) {
      const pipe = pipes[index]!;
      if (!(await has(pipe, 1))) return null;
      const all = Buffer.concat(pipe.parts);
      [pipe.parts, pipe.bytes] = [[], 0];
      return all;
    },
  };
}
