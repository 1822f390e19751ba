import { open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { bytesOf, type Matrix, rowsClosed, type StoredMatrix } from '../base/index.js';
import { draftName, explainDisk, writeAt } from './files.js';

/** A place for matrices too tall for memory. Must be closed; what was stored is gone then. */
export type RowsFile = {
  /** Stores a matrix that comes some rows at a time. */
  store(rows: number, cols: number, blocks: AsyncIterable<Matrix> | Iterable<Matrix>): Promise<StoredMatrix>;
  close(): Promise<void>;
};

/** What a folder answers that may only be read. */
const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Opens such a place in a folder, or, if the folder may only be read, in the system's folder for temporary files: one file for
 * all matrices. It is created when first needed and loses its name at once, so that nothing is left of it however the
 * process ends.
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
      // Whoever tries again after a failure may have made room.
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

/** Creates a file in a folder, and takes its name away. */
async function createNameless(folder: string): Promise<FileHandle> {
  const path = draftName(join(folder, 'rows'));
  const handle = await open(path, 'wx+');
  await rm(path, { force: true }).catch((error: unknown) => handle.close().then(() => Promise.reject(error)));
  return handle;
}
