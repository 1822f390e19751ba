import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { bytesOf, type Matrix, rowsClosed, type StoredMatrix } from '../base/index.js';
import { draftName, explainDisk, writeAt } from './files.js';

/** Temporary disk storage for matrices too tall for memory. Must be closed, which discards it. */
export type RowsFile = {
  /** Stores a matrix that comes some rows at a time. */
  store(rows: number, cols: number, blocks: AsyncIterable<Matrix> | Iterable<Matrix>): Promise<StoredMatrix>;
  close(): Promise<void>;
};

/** Error codes of a read-only folder. */
const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Opens temporary storage in a folder, or in the system's temporary folder if that one is read-only: one file for all
 * matrices. It is created when first needed and unlinked at once, so that nothing is left however the process ends.
 */
export function openRowsFile(folder: string): RowsFile {
  let file: Promise<FileHandle> | null = null;
  let used = resolve(folder);
  let taken = 0;
  const isOpen = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(1);
  const explained = (error: unknown): unknown =>
    isOpen[0] === 0 ? rowsClosed() : explainDisk(error, used, 'another folder with --cache');
  const create = async (): Promise<FileHandle> => {
    try {
      return await createNameless(folder);
    } catch (error) {
      if (!READ_ONLY.has((error as NodeJS.ErrnoException).code ?? '')) throw explained(error);
      const handle = await createNameless(tmpdir()).catch(() => Promise.reject(explained(error)));
      used = tmpdir();
      return handle;
    }
  };
  return {
    async store(rows, cols, blocks) {
      if (isOpen[0] === 0) throw rowsClosed();
      const offset = taken;
      taken += rows * cols * Float64Array.BYTES_PER_ELEMENT;
      // The next call tries again: there may be space by then.
      file ??= create().catch((error: unknown) => ((file = null), Promise.reject(error)));
      const handle = await file;
      let at = offset;
      for await (const block of blocks) {
        const bytes = bytesOf(block.data);
        await writeAt(handle, bytes, at).catch((error: unknown) => Promise.reject(explained(error)));
        at += bytes.length;
      }
      return { rows, cols, file: handle.fd, offset, isOpen };
    },
    async close() {
      Atomics.store(isOpen, 0, 0);
      await (await file?.catch(() => null))?.close();
    },
  };
}

/** Creates a file in a folder and unlinks it. */
async function createNameless(folder: string): Promise<FileHandle> {
  const path = draftName(join(folder, 'rows'));
  const handle = await open(path, 'wx+');
  await rm(path, { force: true }).catch((error: unknown) => handle.close().then(() => Promise.reject(error)));
  return handle;
}
