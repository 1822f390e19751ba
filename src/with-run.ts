import { availableParallelism, homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

import type { Listener } from './base/index.js';
import { budgetsOf, type Options } from './options/index.js';
import type { Run } from './run.js';
import { localShelf, openCache } from './store/index.js';

/** What a program may pass to a run besides its options. */
export type RunHooks = {
  /** Called with everything that happens, in order. */
  readonly onEvent?: Listener;
  /** Aborting stops the run at once; finished work is kept, and the next run goes on from there. */
  readonly signal?: AbortSignal;
};

/** Does some work as a run on this machine. If its result `staysOpen`, closing the result must close the shelf. */
export async function withRun<T>(
  options: Options,
  out: string,
  hooks: RunHooks,
  work: (run: Run) => Promise<T>,
  { staysOpen = false }: { staysOpen?: boolean } = {},
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
  let isDone = false;
  try {
    const result = await work(run);
    if (failure() !== null) throw failure();
    isDone = true;
    return result;
  } catch (error) {
    throw failure() ?? error;
  } finally {
    if (!isDone || !staysOpen) await run.shelf.close();
  }
}

/** Makes a run fail with whatever its listener throws, wherever the listener was called from; the run stops at once. */
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
