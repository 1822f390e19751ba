import { availableParallelism, homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import {
  bytesOf,
  filledFrom,
  type Listener,
  type Matrix,
  type RunEvent,
  type StoredMatrix,
  ThroughlineError,
} from '../base/index.js';
import type { FeatureMatrix } from '../features/index.js';
import { type Budgets, budgetsOf, type Options } from '../options/index.js';
import type { Solve } from '../select/index.js';
import { localWorkspace, openCache } from '../storage/index.js';
import type { SummaryDocument, TopicsDocument } from '../summary/index.js';
import type { Analysis, Kept, Scratch } from './analysis/record.js';

/** The disk as a run sees it. It is passed in, so that the pipeline works the same on one machine and on many. */
export type Workspace = {
  hash(path: string, signal?: AbortSignal): Promise<{ sha256: string; bytes: number }>;
  /** The content of a file that was read before and has not changed since; `null` if it has to be read. */
  known(path: string): Promise<{ sha256: string; bytes: number } | null>;
  keyOf(record: unknown): string;
  find(key: string): Promise<Kept | null>;
  draft(key: string): Promise<Scratch>;
  /** Encoded parts of films, of which a limited number of bytes is kept; absent where they are not. */
  readonly filmParts?: Pick<Workspace, 'find' | 'draft'> & { trim(): Promise<void> };
  /** Makes a folder for results, or makes sure that an existing one may be written to. */
  openFolder(path: string): Promise<void>;
  /** The same, and no other run may write to it until the workspace is closed; `sources` are the folders of the videos. */
  claim(path: string, sources: readonly string[]): Promise<void>;
  /** The content of the file at `path` among the results; `null` if there is none. */
  existing(path: string, signal?: AbortSignal): Promise<{ sha256: string; bytes: number } | null>;
  /** The text of a file among the results; `null` if there is none, or none of reasonable size. */
  readText(path: string): Promise<string | null>;
  /** Removes a file of the results; does nothing if it is not there. */
  remove(path: string): Promise<void>;
  writeWhole(path: string, write: (draft: string) => Promise<void>): Promise<void>;
  writeParts(path: string, parts: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Promise<void>;
  /** Keeps a matrix that is too tall for memory, and comes some rows at a time, on disk until the workspace is closed. */
  storeRows(rows: number, cols: number, blocks: AsyncIterable<Matrix> | Iterable<Matrix>): Promise<StoredMatrix>;
  close(): Promise<void>;
};

/** What every stage gets: the options, the disk, the listener, the signal to stop. */
export type Run = Budgets & {
  readonly options: Options;
  /** Number of videos processed at a time. */
  readonly jobs: number;
  /** The most videos that are compared with each other; default `COMPARED_VIDEOS`. */
  readonly comparedVideos?: number;
  /** The most numbers that the vectors of a topic have in memory; default `HELD_NUMBERS`. */
  readonly heldNumbers?: number;
  readonly out: string;
  readonly workspace: Workspace;
  /** Solves problems on threads that stay, for topics that are ranked again and again; by default each stage starts its own. */
  readonly solve?: Solve;
  readonly emit: Listener;
  /** Called with each analysis as soon as it is there, while others go on. */
  readonly onAnalysed?: (id: string, analysis: Analysis) => void;
  readonly signal: AbortSignal | undefined;
  /** Inputs that could not be used, with the reason; grows during the run. */
  readonly skipped: SummaryDocument['skipped'];
  readonly notes: string[];
};

/** The result of a run over several topics: which there are, and the outcome of each, then of each video that is alone. */
export type TopicsOutcome = {
  readonly record: TopicsDocument;
  /** The path of `topics.json`. */
  readonly path: string;
  readonly outcomes: readonly Outcome[];
};

/** The result of a run: the record, the folder of results, and the path of the report. */
export type Outcome = { readonly document: SummaryDocument; readonly folder: string; readonly report: string };

/** What a program may pass to a run besides its options. */
export type RunHooks = {
  /** Called with everything that happens, in order. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Aborting stops the run at once; finished work is kept, and the next run goes on from there. */
  readonly signal?: AbortSignal;
};

/** Does some work as a run on this machine. If its result `staysOpen`, closing the result must close the workspace. */
export async function withRun<T>(
  options: Options,
  out: string,
  hooks: RunHooks,
  work: (run: Run) => Promise<T>,
  { staysOpen = false }: { staysOpen?: boolean } = {},
): Promise<T> {
  const cache = await openCache(options.cache ?? defaultCacheFolder());
  const { emit, signal, failure } = guardListener(hooks);
  const run: Run = {
    options,
    ...budgetsOf(options),
    jobs: options.jobs ?? Math.min(4, availableParallelism()),
    out,
    workspace: localWorkspace(cache, options),
    emit,
    signal,
    skipped: [],
    notes: [],
  };
  let isDone = false;
  try {
    const result = await work(run);
    if (failure() !== null) throw failure();
    isDone = true;
    return result;
  } catch (error) {
    throw failure() ?? error;
  } finally {
    if (!isDone || !staysOpen) await run.workspace.close();
  }
}

/** Makes a run fail with whatever its listener throws, wherever the listener was called from; the run stops at once. */
function guardListener(hooks: RunHooks): { emit: Listener; signal: AbortSignal; failure: () => unknown } {
  const stop = new AbortController();
  let failure: unknown = null;
  return {
    emit: (event) => {
      try {
        hooks.onEvent?.(event);
      } catch (error) {
        failure ??= error;
        stop.abort();
      }
    },
    signal: hooks.signal ? AbortSignal.any([hooks.signal, stop.signal]) : stop.signal,
    failure: () => failure,
  };
}

/** `./paris` becomes `./paris-summary`; several files give `summary` next to the first. */
export function defaultOutFolder(given: readonly string[], what = 'summary'): string {
  const first = resolve(given[0] ?? '.');
  return given.length === 1 ? join(dirname(first), `${basename(first)}-${what}`) : join(dirname(first), what);
}

/** Where results of earlier runs are cached by default. */
export function defaultCacheFolder(): string {
  const asked = process.env['THROUGHLINE_CACHE'];
  if (asked) return resolve(asked);
  if (process.platform === 'win32') return join(process.env['LOCALAPPDATA'] ?? homedir(), 'throughline', 'cache');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'throughline');
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'throughline');
}

/** Disks for which the note was given; once is enough. */
const reported = new WeakSet<Run['workspace']>();

/** What a cache says that did not take something, for reasons of its own. */
const NOT_KEPT = new Set('disk-full not-writable folder-gone file-too-large disk-failed entry-vanished'.split(' '));

/**
 * Caches something that only saves time in a later run. If the cache is full or cannot be written, an event says so and the
 * run goes on. It is not a note in the record, whose bytes must not depend on the cache.
 */
export async function keepForLater(
  run: Run,
  key: string,
  header: unknown,
  sections: Readonly<Record<string, Uint8Array>> = {},
): Promise<void> {
  try {
    const draft = await run.workspace.draft(key);
    try {
      for (const [name, bytes] of Object.entries(sections)) await draft.append(name, bytes);
      await draft.commit(header, Object.keys(sections));
    } catch (error) {
      await draft.discard();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof ThroughlineError) || !NOT_KEPT.has(error.code)) throw error;
    if (reported.has(run.workspace)) return;
    reported.add(run.workspace);
    run.emit({ type: 'note', code: 'not-kept', message: `Results are not cached for later runs. ${error.message}` });
  }
}

/** Numbers of a video's shots, with a note for the reader if something was odd when they were made. */
export type NotedMatrix = FeatureMatrix & { readonly note: string | null };

const headerSchema = z.object({
  schema: z.literal('rows.1'),
  dim: z.int().nonnegative(),
  note: z.string().nullable(),
});

/** Such numbers from the cache, else made and cached under what they are made from. */
export async function keptMatrix(
  run: Run,
  record: Record<string, unknown>,
  shotCount: number,
  make: () => Promise<NotedMatrix>,
): Promise<NotedMatrix> {
  const key = run.workspace.keyOf(record);
  const kept = await run.workspace.find(key);
  const { data: header } = headerSchema.safeParse(kept?.header);
  if (kept && header) {
    const bytes = await kept.read('rows');
    if (bytes.length === shotCount * header.dim * Float32Array.BYTES_PER_ELEMENT) {
      const data = filledFrom(new Float32Array(shotCount * header.dim), bytes);
      return { shotCount, dim: header.dim, data, note: header.note };
    }
  }
  const made = await make();
  const { dim, note } = made;
  const seal: z.infer<typeof headerSchema> = { schema: 'rows.1', dim, note };
  await keepForLater(run, key, seal, { rows: bytesOf(made.data) });
  return made;
}
