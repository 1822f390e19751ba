import { stat } from 'node:fs/promises';

import type { Shelf } from './run.js';
import { hashFile, keyOf, openFolder, writeParts, writeWhole, type Cache } from './store/index.js';

/** The disk of one machine: what was analysed before in a cache, results in folders. */
export function localShelf({ find, draft }: Pick<Cache, 'find' | 'draft'>): Shelf {
  return {
    hash: hashFile,
    keyOf,
    find,
    draft,
    openFolder,
    standing: async (path, signal) => ((await stat(path).catch(() => null))?.isFile() ? hashFile(path, signal) : null),
    writeWhole,
    writeParts,
  };
}
