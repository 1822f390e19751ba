import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { StoreError, ThroughlineError } from '../base/index.js';

/** Marks names that only a run under way uses; a later run may remove them. */
export const DRAFT_MARK = '.throughline-draft-';

/** A fresh name in the same folder as `path`, so that renaming it there is one step of the file system. */
export function draftName(path: string): string {
  return join(dirname(path), `${DRAFT_MARK}${process.pid}-${randomBytes(6).toString('hex')}`);
}

/**
 * Lets `write` make a file under a draft name, then moves it to `path`. Whoever looks at `path` sees the old file or
 * the whole new one, never a part; when writing fails nothing is left behind.
 */
export async function writeWhole(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = draftName(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    await write(draft);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    // Whoever reads the sentence knows the file by its final name.
    if (error instanceof ThroughlineError) error.message = error.message.replaceAll(draft, path);
    throw explainDisk(error, path);
  }
}

/** `writeWhole` for text or bytes that come in parts. */
export function writeParts(
  path: string,
  parts: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  return writeWhole(path, (draft) => pipeline(Readable.from(parts), createWriteStream(draft)));
}

/** Puts a disk's refusal into a sentence; other errors pass unchanged. */
export function explainDisk(error: unknown, path: string): unknown {
  if (error instanceof ThroughlineError) return error;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StoreError(
        'disk-full',
        `The disk is full: could not write "${path}". Free some space and run again; finished work is kept.`,
        { cause: error },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StoreError(
        'not-writable',
        `Could not write "${path}": permission denied. Choose another folder with --out or --cache.`,
        { cause: error },
      );
    case 'ENAMETOOLONG':
      return new StoreError(
        'name-too-long',
        `Could not write "${path}": the name is too long for this disk. Shorten the file's or the folder's name.`,
        { cause: error },
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return new StoreError(
        'not-a-folder',
        `Could not write "${path}": a file stands where a folder is needed. Choose another --out.`,
        { cause: error },
      );
    default:
      return error;
  }
}
