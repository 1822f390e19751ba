import { fileURLToPath } from 'node:url';

import { UsageError } from '../base/index.js';
import { openDirectory } from './directory.js';
import { checkName } from './files.js';

/**
 * Object storage: bytes by name (`a/b/c`), whole or absent, with two backends. Reads see completed writes at once; of several
 * writers of one name, the last to finish wins.
 */
export type ObjectStore = {
  /** For messages; never contains a secret. */
  readonly url: string;
  head(name: string, signal?: AbortSignal): Promise<{ readonly sha256: string; readonly bytes: number } | null>;
  /** The whole object, checked against its SHA-256, or a range of it, unchecked; `null` if it does not exist. */
  read(
    name: string,
    range?: { readonly offset: number; readonly length: number },
    signal?: AbortSignal,
  ): Promise<Buffer | null>;
  write(
    name: string,
    bytes: Uint8Array | string,
    signal?: AbortSignal,
  ): Promise<{ readonly sha256: string; readonly bytes: number }>;
  /** Copies a local file into the store. Readers never see a part of it. With its `content`, it is read once. */
  upload(
    name: string,
    path: string,
    signal?: AbortSignal,
    content?: { readonly sha256: string; readonly bytes: number },
  ): Promise<{ readonly sha256: string; readonly bytes: number }>;
  /** Copies an object to a local file, which appears whole and checked; `false` if the object does not exist. */
  download(name: string, path: string, signal?: AbortSignal): Promise<boolean>;
  /** Path at which local programs can read the object (directory backend); `null` otherwise. */
  localPath(name: string): string | null;
  /** Every name that starts with `prefix`, once, in any order. */
  list(prefix: string): AsyncIterable<string>;
  /** The same with sizes, and when each was written, by the clock of the store. */
  entries(
    prefix: string,
  ): AsyncIterable<{ readonly name: string; readonly bytes: number; readonly modifiedMs: number }>;
  /** Removes an object, if it exists. */
  remove(name: string): Promise<void>;
};

/** A bucket that others write to: its objects, and what tells their versions apart. */
export type Bucket = {
  /** Objects whose names begin with `prefix`; those in folders below only if `isDeep`. */
  list(
    prefix: string,
    isDeep: boolean,
  ): AsyncIterable<{ readonly key: string; readonly bytes: number; readonly etag: string }>;
  /** Copies one version of an object to a local file, reading it once. */
  fetch(
    key: string,
    version: { readonly bytes: number; readonly etag?: string | undefined },
    path: string,
    signal?: AbortSignal,
  ): Promise<{ readonly sha256: string; readonly bytes: number } | 'gone' | 'changed'>;
};

/** Opens a bucket by its name. */
export async function openBucket(name: string): Promise<Bucket> {
  return (await import('./s3.js')).openBucket(name);
}

/**
 * The parts of an address `s3://bucket/key`; `null` for any other text. The key is not decoded. Names with empty parts, `.` or
 * `..` are refused: a service that keeps objects as files could follow them out of the bucket.
 */
export function parseAddress(address: string): { readonly bucket: string; readonly key: string } | null {
  const [, bucket, key] = /^s3:\/\/([a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9])(?:\/(.*))?$/s.exec(address) ?? [];
  if (bucket === undefined) return null;
  const isSafe = !key || (key.split('/').every((part, at, all) => (part !== '' || at === all.length - 1) && part !== '.' && part !== '..') && !/[\p{Cc}\\]/u.test(key) && Buffer.byteLength(key) <= 1024); // prettier-ignore
  return isSafe ? { bucket, key: key ?? '' } : null;
}

/** Opens a store: a folder (path or `file://` URL; created if it does not exist), or `s3://bucket/prefix`. */
export async function openObjects(url: string): Promise<ObjectStore> {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) return openDirectory(url);
  // The URL may contain a secret, so no message repeats it.
  if (!URL.canParse(url)) {
    throw new UsageError(
      'store-url',
      'Expected a folder or s3://bucket/prefix as the store, found a URL that cannot be read. Check --store.',
    );
  }
  const parsed = new URL(url);
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new UsageError(
      'store-url-secret',
      'Expected only s3://bucket/prefix as the store, found a URL with a user, a password or options. Put keys into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
  }
  if (scheme === 'file') return openDirectory(fileURLToPath(parsed));
  if (scheme === 's3') {
    const prefix = decodeURIComponent(parsed.pathname).replace(/^\/+|\/+$/g, '');
    if (prefix) checkName(prefix);
    if (!parsed.hostname || parsed.port)
      throw new UsageError(
        'store-url',
        'Expected s3://bucket/prefix as the store, found no name of a bucket. Check --store.',
      );
    const { openS3 } = await import('./s3.js');
    return openS3(parsed.hostname, prefix);
  }
  throw new UsageError('store-url', `Expected a folder or s3://bucket/prefix as the store, found "${scheme}://…".`);
}
