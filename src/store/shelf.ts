import { stat } from 'node:fs/promises';

import type { Cache } from './cache.js';
import { claimFolder } from './claim.js';
import { noteSources, openFolder, writeParts, writeWhole } from './files.js';
import { hashFile, keyOf, type ContentHash } from './hash.js';
import { openRowsFile } from './rows-file.js';

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
  const writing = { openFolder, claim, standing, writeWhole, writeParts };
  return { hash: hashFile, keyOf, find, draft, ...writing, storeRows, close };
}
