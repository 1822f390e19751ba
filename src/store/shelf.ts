import { stat } from 'node:fs/promises';

import type { Cache } from './cache.js';
import { openFolder, writeParts, writeWhole } from './files.js';
import { hashFile, keyOf, type ContentHash } from './hash.js';
import { openRowsFile } from './rows-file.js';

/** The shelf of a run on one machine: analyses and tall matrices in a cache, results in folders. */
export function localShelf({ folder, find, draft }: Cache) {
  const { store: storeRows, close } = openRowsFile(folder);
  const standing = async (path: string, signal?: AbortSignal): Promise<ContentHash | null> =>
    (await stat(path).catch(() => null))?.isFile() ? hashFile(path, signal) : null;
  return { hash: hashFile, keyOf, find, draft, openFolder, standing, writeWhole, writeParts, storeRows, close };
}
