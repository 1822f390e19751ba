import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { ThroughlineError } from '../base/index.js';
import type { Shelf } from '../run.js';
import { hashFile, keyOf, openObjectCache, openRowsFile, type ObjectStore } from '../store/index.js';

/** A shelf in the shared store. `scratch` is a local folder for drafts and tall matrices; paths of results are names in the store. */
export function storeShelf(objects: ObjectStore, scratch: string, signal?: AbortSignal): Shelf {
  const { find, draft } = openObjectCache(objects, scratch);
  const { store: storeRows, close } = openRowsFile(scratch);
  const nameOf = (path: string): string => path.split(sep).join('/');
  const writeWhole: Shelf['writeWhole'] = async (path, write) => {
    const folder = await mkdtemp(join(scratch, 'file-'));
    const draft = join(folder, 'draft');
    try {
      await write(draft);
      await objects.upload(nameOf(path), draft, signal);
    } catch (error) {
      // The reader of the message knows the file by its final name.
      if (error instanceof ThroughlineError) error.message = error.message.replaceAll(draft, path);
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return {
    hash: hashFile,
    keyOf,
    find,
    draft,
    openFolder: async () => undefined,
    claim: async () => undefined,
    standing: (path, stop) => objects.head(nameOf(path), stop),
    // A topic in the store is written once: there are no results of an earlier run.
    readText: async () => null,
    remove: async () => undefined,
    storeRows,
    close,
    writeWhole,
    writeParts: (path, parts) => writeWhole(path, (draft) => pipeline(Readable.from(parts), createWriteStream(draft))),
  };
}
