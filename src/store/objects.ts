import { fileURLToPath } from 'node:url';

import { UsageError } from '../base/index.js';
import { openDirectory } from './directory.js';
import type { ContentHash } from './hash.js';
import { checkName } from './object-name.js';

/** A piece of an object, in bytes. */
export type ByteRange = { readonly offset: number; readonly length: number };

/**
 * Bytes by name (`a/b/c`), whole or not there. Two backends, one contract. What was written can be read at once by
 * everybody; of several writers of one name the last whole one wins.
 */
export type ObjectStore = {
  /** For people: never holds a secret. */
  readonly url: string;
  head(name: string, signal?: AbortSignal): Promise<ContentHash | null>;
  /** All of it, checked against its SHA-256, or what there is of a range, unchecked; `null` when it is not there. */
  read(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Buffer | null>;
  write(name: string, bytes: Uint8Array | string, signal?: AbortSignal): Promise<ContentHash>;
  /** A local file into the store; in parts when large; nobody ever sees a part of it. */
  upload(name: string, path: string, signal?: AbortSignal): Promise<ContentHash>;
  /** Into a local file that appears whole, checked; `false` when it is not there. */
  download(name: string, path: string, signal?: AbortSignal): Promise<boolean>;
  /** Where a local program can read it as it stands (directory backend), else `null`. */
  localPath(name: string): string | null;
  /** Every name that starts with `prefix`, once, in no promised order. */
  list(prefix: string): AsyncIterable<string>;
  /** Removing what is not there is no error. */
  remove(name: string): Promise<void>;
};

/** Opens a store: a folder (path or `file://` URL; made when it is not there), or `s3://bucket/prefix`. */
export async function openObjects(url: string): Promise<ObjectStore> {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) return openDirectory(url);
  // The text itself may hold a secret, so no sentence repeats it.
  if (!URL.canParse(url)) {
    throw new UsageError('store-url', 'The store’s URL cannot be read. Give a folder, or s3://bucket/prefix.');
  }
  const parsed = new URL(url);
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new UsageError(
      'store-url-secret',
      'The store’s URL holds more than a place. Give s3://bucket/prefix alone; keys belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
  }
  if (scheme === 'file') return openDirectory(fileURLToPath(parsed));
  if (scheme === 's3') {
    const prefix = decodeURIComponent(parsed.pathname).replace(/^\/+|\/+$/g, '');
    if (prefix) checkName(prefix);
    if (!parsed.hostname || parsed.port)
      throw new UsageError('store-url', 'The store’s URL names no bucket: s3://bucket/prefix.');
    const { openS3 } = await import('./s3.js');
    return openS3(parsed.hostname, prefix);
  }
  throw new UsageError('store-url', `A store is a folder or s3://bucket/prefix, not "${scheme}://…".`);
}
