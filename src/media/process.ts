import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';

import { CancelledError, MediaError, residentBytes } from '../base/index.js';
import { openTempFolder, locateFfmpeg } from './tools.js';

/**
 * The containers that are read. Playlists, image sequences, concat lists and devices are not among them: a file that claims
 * to be one could make the decoder open other files or the network.
 */
const CONTAINERS =
  'mov,matroska,avi,mpegts,mpeg,mpegvideo,mpegtsraw,flv,asf,ogg,mxf,gxf,nut,rm,wtv,dv,h264,hevc,m4v,ivf,obu,av1,vc1,swf,gif,yuv4mpegpipe';

/** Containers of sound, which are read only for music. */
const SOUND_CONTAINERS = 'mp3,wav,w64,flac,aac,aiff,caf';

/** Larger pictures are not decoded: a header can claim any size. 8K has half as many pixels. */
export const MAX_PIXELS = 8192 * 8192;

/** The most bytes that ffmpeg may allocate at once: the largest picture allowed, at 16 bytes per pixel. */
const MAX_ALLOC_BYTES = MAX_PIXELS * 16;

/**
 * Input arguments that open `path` and nothing else: a local file, in a known container, whose name is never taken for an
 * option, and without pictures that would fill the memory.
 */
export function inputOf(path: string, { isMusic = false } = {}): string[] {
  const containers = isMusic ? `${CONTAINERS},${SOUND_CONTAINERS}` : CONTAINERS;
  return [
    ...['-protocol_whitelist', 'file', '-format_whitelist', containers, '-max_pixels', String(MAX_PIXELS)],
    ...['-i', `file:${resolve(path)}`],
  ];
}

/** Input arguments that read pipe `fd` as `format` and nothing else. */
export function pipeInput(format: string, fd: number): string[] {
  return ['-protocol_whitelist', 'pipe', '-format_whitelist', format, '-f', format, '-i', `pipe:${fd}`];
}

/**
 * A random word for one ffmpeg: part of its arguments, and repeated in its report. Text in a file can contain line breaks and
 * imitate any line of the report, but not one with a word that the author of the file could not know.
 */
export function newMark(): string {
  return randomBytes(8).toString('hex');
}

/** Without the variables that would make ffmpeg colour its output or write log files. */
function environment(): NodeJS.ProcessEnv {
  const { FFREPORT: _, AV_LOG_FORCE_COLOR: __, ...rest } = process.env;
  return { ...rest, AV_LOG_FORCE_NOCOLOR: '1' };
}

type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A running program. `errors` are the last lines of its error output that were no data. */
export type Running = {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly errors: readonly string[];
  /** Extra pipe `fd` (3 and up) or stdout (1) for reading. */
  output(fd: number): Readable;
  /** stdin (0) or an extra pipe for writing. */
  input(fd: number): Writable;
  kill(): void;
};

const KEPT_ERROR_LINES = 12;
/** Longer lines are cut: those of the program itself are shorter, so the rest is text from a file. */
const LONGEST_LINE = 8192;

/** No file takes this long from one picture or piece of sound to the next, even on the slowest machine. */
export const STUCK_MS = 120_000;

/** The largest pictures allowed take about 1 GB to decode, and 0.1 GB more per thread; a file that takes more than this is hostile. */
const MEMORY_LIMIT_BYTES = Math.max(3 * 2 ** 30, totalmem() / 4);
const WATCH_MS = 200;
/** If more time passes between two checks, this process or the whole machine slept: the rest does not count. */
const LONGEST_LOOK_MS = 5 * WATCH_MS;

/** Seconds of work that every file may take. */
const LEAST_WORK_S = 3600;
/** Decoding in software takes up to about twenty times as long as the film plays: 8K in AV1 on a small machine. */
const WORK_A_SECOND = 30;
/** A file with fewer bytes per second than this is shorter than it claims. */
const FEWEST_BYTES_A_SECOND = 1000;

/**
 * The work that one reading of a file may take, in milliseconds: an hour, or 30 times its length, whichever is more. A few
 * bytes can list the same picture a million times, so the stated length counts only as far as the size of the file allows.
 */
export function workLimitMs({ path, durationHint = null }: { path: string; durationHint?: number | null }): number {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const seconds = Math.min(durationHint ?? Infinity, bytes / FEWEST_BYTES_A_SECOND);
  return 1000 * Math.max(LEAST_WORK_S, WORK_A_SECOND * seconds);
}

/** Programs that are killed when this process ends. */
const killWithUs = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of killWithUs) child.kill('SIGKILL');
});

/** What a program may use before it is stopped. */
type Limits = {
  /** Milliseconds in all. */
  readonly limitMs?: number;
  /** Milliseconds of work: time in which none of its output waits to be read. */
  readonly workMs?: number | undefined;
  /**
   * Milliseconds without a byte on any pipe of its group. Outside a group, time in which its output waits to be read does not
   * count: then this process is at work on what it read before.
   */
  readonly stuckMs?: number;
  /** Standard output carries status reports, which come even when nothing else moves. */
  readonly reportsStatus?: boolean;
  /** Bytes of memory; checked on Linux only. */
  readonly limitBytes?: number;
};

/** Counters of what moves on the pipes of programs that work for each other. */
const pipeGroups = new AsyncLocalStorage<Set<() => number>>();

/**
 * Does work with several programs that read from each other through this process. A byte that moves on a pipe of one of them
 * is progress for all, as is a change of what `alsoMoves` gives; without progress, all of them are stuck, whoever waits for whom.
 */
export function asPipeGroup<T>(alsoMoves: () => number, work: () => Promise<T>): Promise<T> {
  return pipeGroups.run(new Set([alsoMoves]), work);
}

/**
 * Starts a program with an argument array, never with a shell, in an empty folder that is removed when it ends: paths must be
 * absolute. `onLine` gets each line of its error output and returns true if the line was data, not a complaint. Aborting
 * kills it at once, and so does the end of this process. Past a limit it is killed, and `exited` rejects with the reason.
 */
export function start(
  program: string,
  args: readonly string[],
  options: {
    pipes?: number;
    stdin?: boolean;
    signal?: AbortSignal | undefined;
    onLine?: (line: string) => boolean;
  } & Limits = {},
): Running {
  if (options.signal?.aborted) throw new CancelledError();
  const extra = Array.from({ length: options.pipes ?? 0 }, () => 'pipe' as const);
  const stdio: StdioOptions = [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...extra];
  const folder = openTempFolder();
  const env = { ...environment(), ...folder.environment };
  let child: ChildProcess;
  try {
    child = spawn(program, args, { stdio, windowsHide: true, cwd: folder.path, env });
  } catch (error) {
    folder.close();
    throw error;
  }
  const errors: string[] = [];
  let dataLines = 0;
  const end = (reason?: Error): void => {
    child.kill('SIGKILL');
    // A full pipe that nobody reads, or that a child of the program holds, would stay open, and 'close' would not come.
    for (const [fd, pipe] of child.stdio.entries()) if (fd !== 2) pipe?.destroy(reason);
  };
  const kill = (): void => end();
  const cancel = (): void => end(new CancelledError());
  killWithUs.add(child);
  // A program that ends breaks its pipes, with an error on whichever is in use; `exited` tells why it ended.
  for (const pipe of child.stdio) pipe?.on('error', () => undefined);

  let rest = '';
  const keep = (line: string): void => {
    if (line.trim() === '') return;
    if (line.length > LONGEST_LINE) return keep(line.slice(0, LONGEST_LINE));
    if (options.onLine?.(line)) return void dataLines++;
    errors.push(line);
    if (errors.length > KEPT_ERROR_LINES) errors.shift();
  };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    for (const line of lines) keep(line);
  });

  options.signal?.addEventListener('abort', cancel, { once: true });
  const exited = new Promise<Exit>((settle, fail) => {
    const stopAtLimit = (excess: string): void => {
      const error = pastLimit(args, excess);
      fail(error);
      end(error);
    };
    const unwatch = watchLimits(child, options, () => dataLines, stopAtLimit);
    const release = (): void => {
      unwatch();
      options.signal?.removeEventListener('abort', cancel);
      killWithUs.delete(child);
      folder.close();
    };
    // A program that cannot be started need not send 'close'.
    child.once('error', (error) => {
      release();
      fail(error);
    });
    child.once('close', (code, signal) => {
      release();
      keep(rest);
      settle({ code, signal });
    });
  });
  // The failure is thrown where `exited` is awaited; a caller that is still reading pipes must not crash before.
  exited.catch(() => undefined);

  return {
    child,
    exited,
    errors,
    output: (fd) => child.stdio[fd] as Readable,
    input: (fd) => child.stdio[fd] as Writable,
    kill,
  };
}

/** Arguments for every ffmpeg: no questions, no statistics, a limit for single allocations. */
const COMMON = ['-hide_banner', '-nostdin', '-nostats', '-max_alloc', String(MAX_ALLOC_BYTES)];

/** Starts an ffmpeg like `start`: the one that was found, or `program`. */
export async function startFfmpeg(
  args: readonly string[],
  { program, ...options }: Parameters<typeof start>[2] & { program?: string } = {},
): Promise<Running> {
  return start(program ?? (await locateFfmpeg()).path, [...COMMON, ...args], options);
}

function watchLimits(
  child: ChildProcess,
  { limitMs = Infinity, workMs = Infinity, stuckMs = STUCK_MS, reportsStatus, limitBytes = MEMORY_LIMIT_BYTES }: Limits,
  dataLines: () => number,
  stop: (excess: string) => void,
): () => void {
  const pipes = child.stdio.filter((pipe, fd) => pipe && fd !== 2 && !(fd === 1 && reportsStatus)) as Socket[];
  const movedHere = (): number =>
    pipes.reduce((sum, pipe) => sum + pipe.bytesRead + pipe.bytesWritten - pipe.writableLength, dataLines());
  const group = pipeGroups.getStore();
  group?.add(movedHere);
  const movedSoFar = (): number => [...(group ?? [movedHere])].reduce((sum, moved) => sum + moved(), 0);
  let [lookedAt, moved, runningMs, workedMs, silentMs] = [performance.now(), 0, 0, 0, 0];
  const watch = setInterval(async () => {
    const passedMs = Math.min(performance.now() - lookedAt, LONGEST_LOOK_MS);
    lookedAt = performance.now();
    runningMs += passedMs;
    const isUnread = pipes.some((pipe) => pipe.readableLength > 0);
    if (!isUnread) workedMs += passedMs;
    const hasMoved = movedSoFar() !== moved;
    moved = movedSoFar();
    silentMs = hasMoved || (isUnread && group === undefined) ? 0 : silentMs + passedMs;
    if (runningMs > limitMs) return stop(`more than ${limitMs / 1000} s`);
    if (workedMs > workMs) return stop(`more than ${workMs / 1000} s of work`);
    if (silentMs > stuckMs) return stop(`more than ${stuckMs / 1000} s for one step`);
    if ((await residentBytes(child.pid ?? 0)) > limitBytes)
      stop(`more than ${(limitBytes / 2 ** 30).toFixed(1)} GB of memory`);
  }, WATCH_MS);
  watch.unref();
  return () => {
    clearInterval(watch);
    group?.delete(movedHere);
  };
}

function pastLimit(args: readonly string[], excess: string): MediaError {
  const input = args[args.indexOf('-i') + 1]?.replace(/^file:/, '') ?? 'a file';
  if (input.startsWith('pipe:')) {
    return new MediaError(
      'past-limit',
      `Writing a film took ${excess} and was stopped. Try again, or choose a smaller --length.`,
    );
  }
  return new MediaError(
    'past-limit',
    `Reading "${input}" took ${excess} and was stopped: the file is damaged, or made to do harm. Choose another file.`,
  );
}

/** The exit code of an ffmpeg that stopped on a signal. */
const STOPPED = 255;

/** The signal with which somebody else stopped a program; `null` if it ended by itself. */
export function stoppedBy({ code, signal }: Exit, { errors }: Pick<Running, 'errors'>): NodeJS.Signals | null {
  return signal ?? (code === STOPPED && errors.length === 0 ? 'SIGTERM' : null);
}

/** Throws if something else stopped a program: what it gave of `path` is not complete. */
export function requireOwnEnd(exit: Exit, running: Running, path: string): void {
  const stopped = stoppedBy(exit, running);
  if (stopped === null) return;
  throw new MediaError(
    'decoder-died',
    `The decoder was stopped (${stopped}) while reading "${path}". Check memory and try again.`,
  );
}

/** The last complaint of a program without its prefixes, for a message. */
export function lastComplaint(errors: readonly string[]): string {
  const line =
    errors.findLast((text) => !/^\s*(Last message repeated|Conversion failed)/.test(text)) ?? 'no reason given';
  return line
    .replace(/^(?:\[[^\]]*\]\s*)+/, '')
    .replace(/^file:\S.*?: (?=[A-Z])/, '')
    .trim();
}
