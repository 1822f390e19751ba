import { lstat, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Cache } from './cache.js';
import { claimFolder } from './claim.js';
import { noteSources, openFolder, refuseLinks, writeParts, writeWhole } from './files.js';
import { hashFile, keyOf, type ContentHash } from './hash.js';
import { openRowsFile } from './rows-file.js';

/** Longer texts are not read whole. */
const MAX_TEXT_BYTES = 2 ** 28;

/** The shelf of a run on one machine: analyses and tall matrices in a cache, results in folders. */
export function localShelf({ folder, find, draft }: Cache) {
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
  const standing = async (path: string, signal?: AbortSignal): Promise<ContentHash | null> =>
    (await stat(path).catch(() => null))?.isFile() ? hashFile(path, signal) : null;
  const readText = async (path: string): Promise<string | null> => {
    const found = await stat(path).catch(() => null);
    return found?.isFile() && found.size <= MAX_TEXT_BYTES ? readFile(path, 'utf8') : null;
  };
  const remove = async (path: string): Promise<void> => {
    // Through a link, a file elsewhere would be removed.
    const isOurs = await refuseLinks(dirname(path)).then(() => true, () => false); // prettier-ignore
    if (isOurs && (await lstat(path).catch(() => null))?.isFile()) await rm(path);
  };
  const writing = { readText, remove, openFolder, claim, standing, writeWhole, writeParts };
  return { hash: hashFile, keyOf, find, draft, ...writing, storeRows, close };
}
