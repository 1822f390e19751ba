import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { resolve } from 'node:path';

import { CancelledError } from '../base/index.js';

/**
 * Containers a file may be. Playlists, image sequences, concat lists and devices are left out: a file that
 * claims to be one of those could make the decoder open other files or the network.
 */
const CONTAINERS =
  'mov,matroska,avi,mpegts,mpeg,mpegvideo,mpegtsraw,flv,asf,ogg,mxf,gxf,nut,rm,wtv,dv,h264,hevc,m4v,ivf,obu,av1,vc1,swf,gif,yuv4mpegpipe';

/** Options that open `path` and nothing else: local file only, known containers only, never an option by its name. */
export function inputOf(path: string): string[] {
  return ['-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS, '-i', `file:${resolve(path)}`];
}

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A running program. `errors` holds the last lines it complained with. */
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

/** Should this process end on its own fault, the programs it started must not work on for nobody. */
const killWithUs = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of killWithUs) child.kill('SIGKILL');
});

/**
 * Starts a program with an argument array, never a shell. `onLine` sees each stderr line and returns true when the
 * line was data rather than a complaint. Aborting kills it at once, as does the end of this process.
 */
export function start(
  program: string,
  args: readonly string[],
  options: {
    pipes?: number;
    stdin?: boolean;
    signal?: AbortSignal | undefined;
    onLine?: (line: string) => boolean;
  } = {},
): Running {
  if (options.signal?.aborted) throw new CancelledError();
  const extra = Array.from({ length: options.pipes ?? 0 }, () => 'pipe' as const);
  const stdio: StdioOptions = [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...extra];
  const child = spawn(program, args, { stdio, windowsHide: true });
  const errors: string[] = [];
  const kill = (): void => void child.kill('SIGKILL');
  killWithUs.add(child);

  let rest = '';
  const keep = (line: string): void => {
    if (line.trim() === '' || options.onLine?.(line)) return;
    errors.push(line);
    if (errors.length > KEPT_ERROR_LINES) errors.shift();
  };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) keep(line);
  });

  options.signal?.addEventListener('abort', kill, { once: true });
  const exited = new Promise<Exit>((settle, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => {
      options.signal?.removeEventListener('abort', kill);
      killWithUs.delete(child);
      keep(rest);
      settle({ code, signal });
    });
  });
  // Whoever awaits `exited` sees the failure; without this a caller that is still reading pipes would crash first.
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

/** The program's last complaint without its own prefixes, for the end of a sentence. */
export function lastComplaint(errors: readonly string[]): string {
  const line =
    errors.findLast((text) => !/^\s*(Last message repeated|Conversion failed)/.test(text)) ?? 'no reason given';
  return line
    .replace(/^(?:\[[^\]]*\]\s*)+/, '')
    .replace(/^file:\S.*?: (?=[A-Z])/, '')
    .trim();
}
