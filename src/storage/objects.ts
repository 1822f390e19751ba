import { createHash, randomBytes } from 'node:crypto';
import { open, opendir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CancelledError, UsageError } from '../base/index.js';
import {
  checkName,
  explainDisk,
  flush,
  makeFolder,
  putInPlace,
  writeWhole,
  contentHash,
  type ContentHash,
  damaged,
  hashFile,
  NOT_A_FILE,
  openFile,
  readParts,
} from './files.js';

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

/** Next to the objects: `drafts/` for files being written, and `sums/NAME/` with an empty file `SHA256-BYTES` per content. */
const OWN_FOLDER = '.throughline-store';
const DAY_MS = 24 * 3600 * 1000;

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Objects as plain files under their own names. The checksum is recorded before the file is renamed into place: only the
 * rename makes it visible, so a reader of either file, old or new, finds its checksum. There are no locks.
 */
async function openDirectory(folder: string): Promise<ObjectStore> {
  const root = resolve(folder);
  const drafts = join(root, OWN_FOLDER, 'drafts');
  const pathOf = (name: string): string => join(root, checkName(name));
  const sums = (name: string): string => join(root, OWN_FOLDER, 'sums', name);
  try {
    await makeFolder(drafts);
    await sweep(drafts);
  } catch (error) {
    throw explainDisk(error, root, 'another folder for the store');
  }

  const put = async (name: string, chunks: Chunks, signal?: AbortSignal): Promise<ContentHash> => {
    const path = pathOf(name);
    const draft = join(drafts, randomBytes(12).toString('hex'));
    try {
      const found = await writeHashed(draft, chunks, signal);
      const record = recordOf(sums(name), found);
      await makeFolder(dirname(record));
      await writeFile(record, '');
      await flush(dirname(record), 'r');
      await makeFolder(dirname(path));
      await putInPlace(draft, path);
      await forgetOthers(record);
      return found;
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw signal?.aborted ? new CancelledError() : explainDisk(error, path, 'another folder for the store');
    }
  };
  const isKnown = async (name: string, found: ContentHash): Promise<boolean> =>
    (await stat(recordOf(sums(name), found)).catch(ifAbsent)) !== null;

  return {
    url: root,
    async head(name, signal) {
      const path = pathOf(name);
      const info = await stat(path).catch(ifAbsent);
      if (!info?.isFile()) return null;
      const sameSize = (await recorded(sums(name))).filter(({ bytes }) => bytes === info.size);
      if (sameSize.length < 2) return sameSize[0] ?? null;
      const found = await hashFile(path, signal);
      return (await isKnown(name, found)) ? found : null;
    },
    async read(name, range, signal) {
      const file = await openFile(pathOf(name)).catch(ifAbsent);
      if (!file) return null;
      try {
        const { size } = await file.stat();
        const offset = Math.min(range?.offset ?? 0, size);
        const bytes = Buffer.allocUnsafeSlow(Math.min(range?.length ?? size, size - offset));
        for (let at = 0; at < bytes.length;) {
          if (signal?.aborted) throw new CancelledError();
          const { bytesRead } = await file.read(bytes, at, Math.min(bytes.length - at, 1 << 24), offset + at);
          if (bytesRead === 0) throw damaged(name, root);
          at += bytesRead;
        }
        if (!range && !(await isKnown(name, contentHash(bytes)))) throw damaged(name, root);
        return bytes;
      } finally {
        await file.close();
      }
    },
    write: (name, bytes, signal) => put(name, [typeof bytes === 'string' ? Buffer.from(bytes) : bytes], signal),
    upload: (name, path, signal) => put(name, readParts(path), signal),
    async download(name, path, signal) {
      const from = pathOf(name);
      if (!(await stat(from).catch(ifAbsent))?.isFile()) return false;
      await writeWhole(path, async (draft) => {
        const found = await writeHashed(draft, readParts(from), signal);
        if (!(await isKnown(name, found))) throw damaged(name, root);
      });
      return true;
    },
    localPath: pathOf,
    list: (prefix) => walk(root, prefix),
    async *entries(prefix) {
      for await (const name of walk(root, prefix)) {
        const info = await stat(join(root, name)).catch(ifAbsent);
        if (info?.isFile()) yield { name, bytes: info.size, modifiedMs: info.mtimeMs };
      }
    },
    async remove(name) {
      // Its checksum stays: another writer may be about to rename a file with the same content.
      await rm(pathOf(name), { force: true });
    },
  };
}

/** Writes a draft that the caller must rename. */
async function writeHashed(path: string, chunks: Chunks, signal?: AbortSignal): Promise<ContentHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(path, 'wx');
  try {
    for await (const chunk of chunks) {
      if (signal?.aborted) throw new CancelledError();
      hash.update(chunk);
      await file.writeFile(chunk);
      bytes += chunk.byteLength;
    }
    if (signal?.aborted) throw new CancelledError();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), bytes };
}

async function recorded(folder: string): Promise<ContentHash[]> {
  const names = (await readdir(folder).catch(ifAbsent)) ?? [];
  return names.flatMap((name) => {
    const [, sha256, bytes] = /^([0-9a-f]{64})-(\d+)$/.exec(name) ?? [];
    return sha256 === undefined ? [] : [{ sha256, bytes: Number(bytes) }];
  });
}

function recordOf(sums: string, { sha256, bytes }: ContentHash): string {
  return join(sums, `${sha256}-${bytes}`);
}

/** Removes checksums of earlier contents. Recent ones stay: another writer may be about to rename their file. */
async function forgetOthers(record: string): Promise<void> {
  const folder = dirname(record);
  const others = (await recorded(folder)).map((sum) => recordOf(folder, sum)).filter((path) => path !== record);
  if (others.length === 0) return;
  const now = (await stat(record)).mtimeMs;
  for (const other of others) await removeIfOld(other, now);
}

/** Removes drafts of writers that were killed. They may run on other machines, so only the age by the disk's clock counts. */
async function sweep(drafts: string): Promise<void> {
  const probe = join(drafts, `probe-${randomBytes(6).toString('hex')}`);
  await writeFile(probe, '');
  const now = (await stat(probe)).mtimeMs;
  await rm(probe, { force: true });
  for (const name of await readdir(drafts)) await removeIfOld(join(drafts, name), now);
}

async function removeIfOld(path: string, now: number): Promise<void> {
  const info = await stat(path).catch(() => null);
  if (info && now - info.mtimeMs > DAY_MS) await rm(path, { force: true }).catch(() => undefined);
}

async function* walk(root: string, prefix: string): AsyncGenerator<string> {
  const start = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const folders = [start];
  if (start) checkName(start.slice(0, -1));
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const folder = await opendir(join(root, at)).catch(ifAbsent);
    for await (const entry of folder ?? []) {
      const name = at + entry.name;
      if (entry.name.startsWith('.') || !(name.startsWith(prefix) || prefix.startsWith(`${name}/`))) continue;
      if (entry.isDirectory()) folders.push(`${name}/`);
      else yield name;
    }
  }
}

function ifAbsent(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'EISDIR', NOT_A_FILE].includes(error.code ?? '')) return null;
  throw error;
}
