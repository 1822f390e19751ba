/** Every error Throughline throws on purpose: a stable `code` for programs, a full sentence for people. */
export class ThroughlineError extends Error {
  override readonly name: string = 'ThroughlineError';
  constructor(
    readonly code: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** A media file could not be read, or a film could not be written. */
export class MediaError extends ThroughlineError {
  override readonly name = 'MediaError';
}

/** An option, a configuration file or another file from the user cannot be used as it is. */
export class UsageError extends ThroughlineError {
  override readonly name = 'UsageError';
}

/** A file of the cache, a project or the results, or its disk, could not be used. */
export class StoreError extends ThroughlineError {
  override readonly name = 'StoreError';
}

/** Numbers cannot be used: not finite, or of the wrong shape. */
export class NumericError extends ThroughlineError {
  override readonly name = 'NumericError';
}

/** The caller asked to stop. */
export class CancelledError extends ThroughlineError {
  override readonly name = 'CancelledError';
  constructor() {
    super('cancelled', 'Stopped on request. What was finished is kept; the next run goes on from there.');
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Causes of unreadable files by system error code, in words. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
};

/** Why a file could not be read: in words, or the code of the system where there are none. */
export function whyUnreadable(error: unknown): string {
  const { code } = error as { code?: string };
  return code === undefined ? 'unknown reason' : (UNREADABLE[code] ?? code);
}

/** Error codes for exhausted resources: what is missing, and what to do. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: 'open files (ulimit -n). Raise the limit to 1024 or more',
  ENFILE: 'open files on this machine. Close other programs',
  EAGAIN: 'processes or threads (ulimit -u). Raise the limit, or close other programs',
  ENOMEM: 'memory (ulimit -v). Raise the limit, or close other programs',
  ENOBUFS: 'memory for pipes. Close other programs',
};

/** The sentence for an error caused by too few files, processes or memory; `null` for any other error. */
export function asExhausted(error: unknown): ThroughlineError | null {
  const { code = '', name = '' } = (error ?? {}) as { code?: string; name?: string };
  const isHeap = name === 'RangeError' && /allocation failed|out of memory/i.test(messageOf(error));
  const missing = EXHAUSTED[isHeap ? 'ENOMEM' : code];
  if (missing === undefined) return null;
  return new ThroughlineError('no-resources', `Ran out of ${missing}, or use fewer --jobs, and run again.`, {
    cause: error,
  });
}

/** The message for a full disk; `elsewhere` is what the user can choose instead. */
export function diskFullSentence(path: string, elsewhere = 'another folder with --out'): string {
  return `The disk is full: could not write "${path}". Free some space or choose ${elsewhere}, and run again; finished work is kept.`;
}

/** The stages of a run, in order. */
export type Stage = 'draw' | 'probe' | 'upload' | 'analyse' | 'select' | 'render' | 'concept' | 'report';

/** Events of a run, for the progress bar, `--json`, the studio and job logs. */
export type RunEvent =
  | { readonly type: 'run-started'; readonly inputs: number }
  | { readonly type: 'stage-started'; readonly stage: Stage; readonly total: number }
  /** `fraction` of the whole stage in [0, 1], `ofItem` of that item if known; `frames` read so far. */
  | {
      readonly type: 'progress';
      readonly stage: Stage;
      readonly fraction: number;
      readonly item: string | null;
      readonly ofItem?: number;
      readonly frames: number;
    }
  | { readonly type: 'item-done'; readonly stage: Stage; readonly item: string; readonly cached: boolean }
  | { readonly type: 'skipped'; readonly item: string; readonly code: string; readonly message: string }
  | { readonly type: 'note'; readonly code: string; readonly message: string }
  | { readonly type: 'stage-done'; readonly stage: Stage }
  | { readonly type: 'wrote'; readonly path: string }
  | { readonly type: 'run-done'; readonly done: number; readonly skipped: number };

/** Receives the events of a run. It is called synchronously and must not take long. */
export type Listener = (event: RunEvent) => void;
