import { stat } from 'node:fs/promises';

import type { Cache } from './cache.js';
import { openFolder, writeParts, writeWhole } from './files.js';
import { hashFile, keyOf, type ContentHash } from './hash.js';

/** The shelf of a run on one machine: analyses in a cache, results in folders. */
export function localShelf({ find, draft }: Pick<Cache, 'find' | 'draft'>) {
  const standing = async (path: string, signal?: AbortSignal): Promise<ContentHash | null> =>
    (await stat(path).catch(() => null))?.isFile() ? hashFile(path, signal) : null;
  return { hash: hashFile, keyOf, find, draft, openFolder, standing, writeWhole, writeParts };
}
