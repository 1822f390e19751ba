import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

import { CancelledError, StoreError } from '../base/index.js';

/** What a file is, whatever its name: the SHA-256 of its bytes, and how many there are. */
export type ContentHash = { readonly sha256: string; readonly bytes: number };

/** Reads a file once, in a stream. A pipe or a device, which may never end, is refused unread. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<ContentHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    // Without the flag, opening a pipe waits for somebody who writes to it.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!(await file.stat()).isFile()) throw Object.assign(new Error('not a file'), { code: 'not a file' });
      const stream = file.createReadStream({ highWaterMark: 1 << 20, ...(signal ? { signal } : {}) });
      for await (const chunk of stream) {
        hash.update(chunk as Buffer);
        bytes += (chunk as Buffer).length;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if (signal?.aborted) throw new CancelledError();
    throw unreadable(path, error);
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
