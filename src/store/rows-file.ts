import { open, rm, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { bytesOf, type Matrix, type StoredMatrix } from '../base/index.js';
import { draftName, explainDisk, writeAt } from './files.js';

/** A place for matrices too tall for memory. Must be closed; what was stored is gone then. */
export type RowsFile = {
  /** Stores a matrix that comes some rows at a time. */
  store(rows: number, cols: number, blocks: AsyncIterable<Matrix> | Iterable<Matrix>): Promise<StoredMatrix>;
  close(): Promise<void>;
};

/**
 * Opens such a place in a folder, one file for all matrices. It is created when first needed and loses its name at once, so
 * that nothing is left of it however the process ends.
 */
export function openRowsFile(folder: string): RowsFile {
  let file: Promise<FileHandle> | null = null;
  let taken = 0;
  const create = async (): Promise<FileHandle> => {
    const path = draftName(join(folder, 'rows'));
    const handle = await open(path, 'wx+');
    await rm(path, { force: true });
    return handle;
  };
  return {
    async store(rows, cols, blocks) {
      const offset = taken;
      taken += rows * cols * Float64Array.BYTES_PER_ELEMENT;
      try {
        const handle = await (file ??= create());
        let at = offset;
        for await (const block of blocks) {
          const bytes = bytesOf(block.data);
          await writeAt(handle, bytes, at);
          at += bytes.length;
        }
        return { rows, cols, file: handle.fd, offset };
      } catch (error) {
        throw explainDisk(error, resolve(folder), 'another folder with --cache');
      }
    },
    async close() {
      await (await file?.catch(() => null))?.close();
      file = null;
    },
  };
}
