import { lstat, readFile, rm, stat, link, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

import type { Cache } from './cache.js';
import { noteSources, openFolder, refuseLinks, writeParts, writeWhole, explainDisk } from './files.js';
import { keyOf, type ContentHash } from './hash.js';
import { boundedCache } from './bounded-cache.js';
import { openKnownFiles } from './known-files.js';
import { openRowsFile } from './rows-file.js';
import { isAlive, UsageError } from '../base/index.js';

/** Longer texts are not read whole. */
const MAX_TEXT_BYTES = 2 ** 28;

/** The most bytes of parts of films that are kept: half an hour to an hour of film at 1080p. */
const FILM_PARTS_BYTES = 2 * 2 ** 30;

/** The workspace of a run on one machine: analyses and tall matrices in a cache, results in folders; `verify` reads every file. */
export function localWorkspace(cache: Cache, { verify = false }: { verify?: boolean } = {}) {
  const { folder, find, draft } = cache;
  const { known, hash } = openKnownFiles(cache, verify);
  const { store: storeRows, close: closeRows } = openRowsFile(folder);
  const claims = new Map<string, () => Promise<void>>();
  const claim = async (path: string, sources: readonly string[]): Promise<void> => {
    await openFolder(path);
    if (!claims.has(path)) claims.set(path, await claimFolder(path));
    await noteSources(path, sources);
  };
  const close = async (): Promise<void> => {
    await closeRows();
    for (const release of claims.values()) await release();
  };
  const existing = async (path: string, signal?: AbortSignal): Promise<ContentHash | null> =>
    (await stat(path).catch(() => null))?.isFile() ? hash(path, signal) : null;
  const readText = async (path: string): Promise<string | null> => {
    const found = await stat(path).catch(() => null);
    return found?.isFile() && found.size <= MAX_TEXT_BYTES ? readFile(path, 'utf8') : null;
  };
  const remove = async (path: string): Promise<void> => {
    // Through a link, a file elsewhere would be removed.
    const isOurs = await refuseLinks(dirname(path)).then(() => true, () => false); // prettier-ignore
    if (isOurs && (await lstat(path).catch(() => null))?.isFile()) await rm(path);
  };
  const writing = { readText, remove, openFolder, claim, existing, writeWhole, writeParts };
  const filmParts = boundedCache(join(folder, 'film-parts'), FILM_PARTS_BYTES);
  return { filmParts, known, hash, keyOf, find, draft, ...writing, storeRows, close };
}

/** The file in a folder of results that says which run is writing to it. */
const LOCK = '.throughline-lock';

const holderSchema = z.object({ pid: z.int(), host: z.string(), started: z.string(), token: z.string() });
type Holder = z.infer<typeof holderSchema>;

/** When a process was started, on systems that tell: process numbers are given out again. */
function startOf(pid: number): string {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ')[19] ?? ''
    );
  } catch {
    return '';
  }
}

/** Whether the run that holds a folder may still be writing to it; of another machine, nobody here can tell. */
function isRunning({ pid, host, started }: Holder): boolean {
  if (host !== hostname()) return true;
  const now = startOf(pid);
  return isAlive(pid) && (started === '' || now === '' || started === now);
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Claims a folder of results for one run, so that two never write to it at the same time. Gives the function that releases it.
 * The claim of a run that was killed is taken over.
 */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, LOCK);
  const token = randomBytes(8).toString('hex');
  const own: Holder = { pid: process.pid, host: hostname(), started: startOf(process.pid), token };
  const take = (): Promise<boolean> =>
    writeFile(path, JSON.stringify(own), { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw explainDisk(error, folder);
      },
    );
  if (!(await take())) {
    const holder = await readHolder(path);
    if (holder === null || isRunning(holder) || !(await removeClaim(path, holder)) || !(await take())) {
      throw inUse(folder, path, holder);
    }
  }
  return async () => {
    if ((await readHolder(path))?.token === token) await rm(path, { force: true }).catch(() => undefined);
  };
}

/** Removes the claim of a run that is gone, unless another run has taken it over in the meantime. */
async function removeClaim(path: string, holder: Holder): Promise<boolean> {
  const aside = `${path}-${randomBytes(6).toString('hex')}`;
  if (!(await rename(path, aside).then(() => true, () => false))) return true; // prettier-ignore
  const isTheirs = (await readHolder(aside))?.token === holder.token;
  if (!isTheirs) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return isTheirs;
}

function inUse(folder: string, path: string, holder: Holder | null): UsageError {
  const isHere = holder?.host === hostname();
  const who = holder === null ? 'a claim of another run' : isHere ? `process ${holder.pid}` : `"${holder.host}"`;
  const advice = isHere ? 'Wait until it has ended' : `Wait until it has ended, or remove "${path}" if it has`;
  return new UsageError(
    'out-in-use',
    `Expected a folder for results that no other run is writing to, found "${folder}" in use by ${who}. ${advice}, or choose another --out.`,
  );
}
