import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

import { CancelledError, StoreError } from '../base/index.js';

/** What a file is, whatever its name: the SHA-256 of its bytes, and how many there are. */
export type ContentHash = { readonly sha256: string; readonly bytes: number };

/** What is said of a pipe, a device or a folder in the place of a file. */
export const NOT_A_FILE = 'not a file';

/** Opens a file for reading. A pipe or a device, which may never end, is refused unread. */
export async function openFile(path: string): Promise<FileHandle> {
  // Without the flag, opening a pipe waits for somebody who writes to it.
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

/** Reads a file once, in a stream. */
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

/** `hashFile` for bytes at hand. */
export function contentHash(bytes: Uint8Array): ContentHash {
  return { sha256: sha256(bytes), bytes: bytes.byteLength };
}

/** The word for a file of the caller's that could not be read. */
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

/** The word for bytes that are not those written. */
export function damaged(name: string, url: string): StoreError {
  return new StoreError(
    'object-damaged',
    `"${name}" in the store ${url} is not what was written there: its checksum differs. Remove it and run again; it is made anew.`,
  );
}

/** One short name for anything that can be written as JSON: equal records, equal names. */
export function keyOf(record: unknown): string {
  return sha256(JSON.stringify(record)).slice(0, 40);
}
