import { availableParallelism, homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

import type { Listener } from './base/index.js';
import type { Options } from './options/index.js';
import type { Run } from './run.js';
import { localShelf, openCache } from './store/index.js';
import { parseBudget } from './summary/index.js';

/** What a program may hand to a run beside its options. */
export type RunHooks = {
  /** Told everything that happens, in order. */
  readonly onEvent?: Listener;
  /** Aborting stops the run at once; what was finished is kept and found again by the next run. */
  readonly signal?: AbortSignal;
};

/** Does some work on this machine with what every stage is given: the options, the disk, whom to tell, when to stop. */
export async function withRun<T>(
  options: Options,
  out: string,
  hooks: RunHooks,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  const cache = await openCache(options.cache ?? defaultCacheFolder());
  const { tell, signal, failure } = guardListener(hooks);
  const run: Run = {
    options,
    ...budgetsOf(options),
    jobs: options.jobs ?? Math.min(4, availableParallelism()),
    out,
    shelf: localShelf(cache),
    tell,
    signal,
    skipped: [],
    notes: [],
  };
  const result = await work(run).catch((error: unknown) => {
    throw failure() ?? error;
  });
  if (failure() !== null) throw failure();
  return result;
}

/** The lengths asked for, understood. */
export function budgetsOf({ length, concept }: Options): Pick<Run, 'budget' | 'conceptBudget'> {
  return { budget: parseBudget(length), conceptBudget: concept === undefined ? null : parseBudget(concept) };
}

/** A listener that throws stops the run, which then fails with what the listener threw, wherever it was called from. */
function guardListener(hooks: RunHooks): { tell: Listener; signal: AbortSignal; failure: () => unknown } {
  const stop = new AbortController();
  let failure: unknown = null;
  return {
    tell: (event) => {
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

/** `./paris` becomes `./paris-summary`; single files give `summary` beside the first. */
export function defaultOutFolder(given: readonly string[], what = 'summary'): string {
  const first = resolve(given[0] ?? '.');
  return given.length === 1 ? join(dirname(first), `${basename(first)}-${what}`) : join(dirname(first), what);
}

/** Where results of earlier runs are kept unless told otherwise. */
export function defaultCacheFolder(): string {
  const asked = process.env['THROUGHLINE_CACHE'];
  if (asked) return resolve(asked);
  if (process.platform === 'win32') return join(process.env['LOCALAPPDATA'] ?? homedir(), 'throughline', 'cache');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'throughline');
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'throughline');
}
