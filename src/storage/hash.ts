import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

import { CancelledError, StoreError } from '../base/index.js';

/** The content of a file: the SHA-256 of its bytes, and their number. */
export type ContentHash = { readonly sha256: string; readonly bytes: number };

/** Message for a path that is a pipe, a device or a folder. */
export const NOT_A_FILE = 'not a file';

/** Opens a file for reading. A pipe or a device, which may never end, is refused unread. */
export async function openFile(path: string): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a pipe blocks until there is a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw Object.assign(new Error(NOT_A_FILE), { code: NOT_A_FILE });
}

/** The text of a file; `null` where there is none. */
export async function readText(path: string): Promise<string | null> {
  try {
    const file = await openFile(path);
    return await file.readFile('utf8').finally(() => file.close());
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw unreadable(path, error);
  }
}

/** The bytes of a file in a stream, a part at a time. */
export async function* readParts(path: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    const file = await openFile(path);
    yield* file.createReadStream({ highWaterMark: 1 << 20, ...(signal ? { signal } : {}) }) as AsyncIterable<Buffer>;
  } catch (error) {
    if (signal?.aborted) throw new CancelledError();
    throw unreadable(path, error);
  }
}

/** Hashes a file by reading it once, as a stream. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<ContentHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readParts(path, signal)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** The SHA-256 of bytes or of a text, in hexadecimal. */
export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** `hashFile` for bytes in memory. */
export function contentHash(bytes: Uint8Array): ContentHash {
  return { sha256: sha256(bytes), bytes: bytes.byteLength };
}

/** The error for a file of the caller that could not be read. */
export function unreadable(path: string, cause: unknown): StoreError {
  const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
  return new StoreError(
    'unreadable',
    `Could not read "${path}" (${reason}). Check that it exists and its permissions.`,
    {
      cause,
    },
  );
}

/** The error for bytes that are not those that were written. */
export function damaged(name: string, url: string): StoreError {
  return new StoreError(
    'object-damaged',
    `Expected "${name}" in the store ${url} to be as it was written, found another checksum. Remove it and run again; it will be recomputed.`,
  );
}

/** A short key for anything that can be written as JSON: equal records have equal keys. */
export function keyOf(record: unknown): string {
  return sha256(JSON.stringify(record)).slice(0, 40);
}
