import { createHash, type Hash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { StoreError } from '../base/index.js';
import {
  draftName,
  explainDisk,
  makeFolder,
  putInPlace,
  refuseLinks,
  sweepDrafts,
  writeAt,
  writeParts,
  hashFile,
  NOT_A_FILE,
  openFile,
  readText,
  sha256,
  unreadable,
} from './files.js';
import type { ObjectStore } from './objects.js';

/** A finished entry: a small JSON header and named sections of bytes, checked when it is found. */
type CacheEntry = {
  readonly header: unknown;
  /** `length` bytes of a section from `offset`, fewer where it ends before; by default the whole section. */
  read(section: string, offset?: number, length?: number): Promise<Buffer>;
};

/** An entry being made. Sections grow by appending and can be read while they grow. */
type CacheDraft = {
  append(section: string, bytes: Uint8Array): Promise<void>;
  read(section: string, offset: number, length: number): Promise<Buffer>;
  /** Finishes the entry with these sections of the draft; the others are dropped. */
  commit(header: unknown, sections: readonly string[]): Promise<CacheEntry>;
  discard(): Promise<void>;
};

/** Results by content: what was computed from the same bytes with the same options is not computed again. */
export type Cache = {
  readonly folder: string;
  /** The entry of a key; `null` if there is none. A damaged entry is removed. */
  find(key: string): Promise<CacheEntry | null>;
  draft(key: string): Promise<CacheDraft>;
};

const sealSchema = z.object({
  schema: z.literal('cache.1'),
  key: z.string(),
  sections: z.record(z.string().regex(/^[\w-]+$/), z.object({ bytes: z.int().nonnegative(), sha256: z.string() })),
  header: z.unknown(),
});
type Seal = z.infer<typeof sealSchema>;

/** The most bytes of an entry that are read at once; the times of the frames of a video have as many after 1,500 hours. */
const MAX_BYTES = 1 << 30;

/** How many bytes a reader gets of a section that has `bytes`. What was asked for may come from a header that is wrong. */
function bytesToRead(bytes: number, offset: number, length = Infinity): number {
  const wanted = Math.max(0, Math.min(length, bytes - offset));
  if (wanted <= MAX_BYTES) return wanted;
  throw new StoreError(
    'bad-entry',
    `Expected at most ${MAX_BYTES} bytes at a time from an entry of the cache, found ${wanted}. Clear the cache.`,
  );
}

/** Header file: the SHA-256 of the second line, which is the seal (lengths and hashes of all sections) as JSON. */
const SEAL_FILE = 'entry';

/** Opens a cache folder, and creates it if needed. Each entry is a folder, put in place by one rename. */
export async function openCache(folder: string): Promise<Cache> {
  try {
    await refuseLinks(folder);
    await makeFolder(folder);
    await sweepDrafts(folder);
  } catch (error) {
    throw explainCache(error, folder);
  }
  const find = async (key: string): Promise<CacheEntry | null> => {
    const home = join(folder, key);
    const entry = await openEntry(home, key);
    if (entry === 'damaged') {
      // Renamed before it is removed: another run may publish a valid entry under this key meanwhile.
      const aside = draftName(home);
      await rename(home, aside).catch(() => undefined);
      await rm(aside, { recursive: true, force: true }).catch(() => undefined);
    }
    return typeof entry === 'string' ? null : entry;
  };
  return { folder, find, draft: (key) => openDraft(folder, key, find) };
}

async function openEntry(home: string, key: string): Promise<CacheEntry | 'absent' | 'damaged'> {
  try {
    const text = await readText(join(home, SEAL_FILE));
    if (text === null) return (await stat(home).catch(() => null)) === null ? 'absent' : 'damaged';
    const [checksum, body = ''] = text.split('\n');
    if (checksum !== sha256(body)) return 'damaged';
    const { data: seal } = sealSchema.safeParse(JSON.parse(body));
    if (seal?.key !== key) return 'damaged';
    for (const [section, expected] of Object.entries(seal.sections)) {
      const found = await hashFile(join(home, section));
      if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256) return 'damaged';
    }
    return {
      header: seal.header,
      read: async (section, offset = 0, length) => {
        const wanted = bytesToRead(seal.sections[section]?.bytes ?? 0, offset, length);
        const bytes = await readSection(join(home, section), offset, wanted);
        if (bytes?.length === wanted) return bytes;
        throw vanished(dirname(home), 'was found before');
      },
    };
  } catch (error) {
    // Only what is certainly damaged is removed; a busy disk or a missing folder says nothing about the entry.
    const reason = error instanceof StoreError ? (error.cause as NodeJS.ErrnoException).code : undefined;
    const isWrong = reason === NOT_A_FILE || (reason === 'ENOENT' && (await stat(home).catch(() => null)) !== null);
    return isWrong || error instanceof SyntaxError ? 'damaged' : 'absent';
  }
}

/** Bytes of a file, as many as there are; `null` if there is no such file any more. */
async function readSection(path: string, offset: number, length: number): Promise<Buffer | null> {
  try {
    const file = await openFile(path);
    return await readAt(file, offset, length).finally(() => file.close());
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', NOT_A_FILE].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw unreadable(path, error);
  }
}

function vanished(folder: string, what: string): StoreError {
  return new StoreError(
    'entry-vanished',
    `Expected what ${what} in the cache "${resolve(folder)}", found it gone or damaged: another program changes that folder. Run again, or choose another folder with --cache.`,
  );
}

/** Messages name the cache folder: keys of entries mean nothing to people. */
function explainCache(error: unknown, folder: string): unknown {
  return explainDisk(error, resolve(folder), 'another folder with --cache');
}

/** A section being written; the hash covers the bytes so far. */
type GrowingSection = { readonly handle: FileHandle; bytes: number; readonly hash: Hash };

async function openDraft(folder: string, key: string, find: Cache['find']): Promise<CacheDraft> {
  const home = draftName(join(folder, key));
  await mkdir(home).catch((error: unknown) => Promise.reject(explainCache(error, folder)));
  const files = new Map<string, GrowingSection>();
  const section = async (name: string): Promise<GrowingSection> => {
    let file = files.get(name);
    if (!file) {
      file = { handle: await open(join(home, name), 'w+'), bytes: 0, hash: createHash('sha256') };
      files.set(name, file);
    }
    return file;
  };
  const close = async (): Promise<void> => {
    for (const file of files.values()) await file.handle.close().catch(() => undefined);
    files.clear();
  };
  return {
    async append(name, bytes) {
      try {
        const file = await section(name);
        const at = file.bytes;
        file.bytes += bytes.byteLength;
        file.hash.update(bytes);
        await writeAt(file.handle, bytes, at);
      } catch (error) {
        throw explainCache(error, folder);
      }
    },
    read: async (name, offset, length) => readAt((await section(name)).handle, offset, length),
    async commit(header, sections) {
      try {
        const seal: Seal = { schema: 'cache.1', key, sections: {}, header };
        for (const name of sections) {
          const file = await section(name);
          await file.handle.datasync();
          seal.sections[name] = { bytes: file.bytes, sha256: file.hash.digest('hex') };
        }
        const scratch = [...files.keys()].filter((name) => !sections.includes(name));
        await close();
        for (const name of scratch) await rm(join(home, name));
        const body = JSON.stringify(seal);
        await writeFile(join(home, SEAL_FILE), `${sha256(body)}\n${body}`, { flush: true });
        // Another run may have finished the same entry. Equal keys mean equal contents, so theirs is used if it is whole;
        // a damaged one is removed when it is looked for.
        const publish = (): Promise<void> => putInPlace(home, join(folder, key), 'folder');
        await publish().catch(async (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
          await ((await find(key)) ? rm(home, { recursive: true, force: true }) : publish());
        });
      } catch (error) {
        throw explainCache(error, folder);
      }
      const entry = await find(key);
      if (entry) return entry;
      throw vanished(folder, 'was just written');
    },
    async discard() {
      await close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  const { bytesRead } = await file.read(bytes, 0, length, offset);
  return bytes.subarray(0, bytesRead);
}

/**
 * An entry is one object: a line with the SHA-256 and the length of the seal, the seal as JSON, then the sections back to
 * back. The seal has a SHA-256 of every block, so that any range can be read and checked alone.
 */
const objectSealSchema = z.object({
  schema: z.literal('cache-object.1'),
  key: z.string(),
  sections: z.record(
    z.string(),
    z.object({ offset: z.int().nonnegative(), bytes: z.int().nonnegative(), blocks: z.array(z.string()) }),
  ),
  header: z.unknown(),
});
type ObjectSeal = z.infer<typeof objectSealSchema>;

/** Small enough for one picture, large enough that the hashes are a thousandth of the bytes. */
const BLOCK_BYTES = 64 << 10;
const LENGTH_DIGITS = 12;
const FIRST_LINE = 64 + 1 + LENGTH_DIGITS + 1;

/**
 * The cache of analyses on an object store. Drafts grow in the local folder `scratch`. A damaged entry is removed: a bad
 * seal when the entry is looked for, a bad block when it is read, which also throws.
 */
export function openObjectCache(objects: ObjectStore, scratch: string): Cache {
  const nameOf = (key: string): string => `analyses/${key}`;
  let local: Promise<Cache> | undefined;

  const find = async (key: string): Promise<CacheEntry | null> => {
    const name = nameOf(key);
    const seal = await readSeal(objects, name);
    if (seal && seal !== 'damaged' && seal.key === key) return entryOf(objects, name, seal);
    if (seal) await objects.remove(name);
    return null;
  };

  const draft = async (key: string): Promise<CacheDraft> => {
    const cache = await (local ??= openCache(scratch));
    // Another task on this machine may be making the same entry.
    const localKey = `${key}-${randomBytes(6).toString('hex')}`;
    const growing = await cache.draft(localKey);
    const sizes = new Map<string, number>();
    return {
      async append(section, bytes) {
        await growing.append(section, bytes);
        sizes.set(section, (sizes.get(section) ?? 0) + bytes.byteLength);
      },
      read: growing.read,
      discard: growing.discard,
      async commit(header, sections) {
        const packed = join(scratch, `${localKey}.packed`);
        try {
          const entry = await growing.commit(header, sections);
          const kept = sections.map((section) => ({ section, bytes: sizes.get(section) ?? 0 }));
          await writeParts(packed, pack(key, entry, kept));
          await objects.upload(nameOf(key), packed);
        } finally {
          await rm(join(scratch, localKey), { recursive: true, force: true });
          await rm(packed, { force: true });
        }
        const entry = await find(key);
        if (!entry)
          throw new StoreError(
            'entry-vanished',
            `Expected "${nameOf(key)}" in ${objects.url}, which was just written, found nothing. Run again; do not empty the store while it is used.`,
          );
        return entry;
      },
    };
  };
  return { folder: objects.url, find, draft };
}

async function* pack(
  key: string,
  entry: CacheEntry,
  kept: readonly { section: string; bytes: number }[],
): AsyncGenerator<string | Uint8Array> {
  const seal: ObjectSeal = { schema: 'cache-object.1', key, sections: {}, header: entry.header };
  let offset = 0;
  for (const { section, bytes } of kept) {
    const blocks: string[] = [];
    for await (const block of blocksOf(entry, section, bytes)) blocks.push(sha256(block));
    seal.sections[section] = { offset, bytes, blocks };
    offset += bytes;
  }
  const body = Buffer.from(JSON.stringify(seal));
  yield `${sha256(body)} ${String(body.length).padStart(LENGTH_DIGITS, '0')}\n`;
  yield body;
  for (const { section, bytes } of kept) yield* blocksOf(entry, section, bytes);
}

async function* blocksOf(entry: CacheEntry, section: string, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += BLOCK_BYTES) {
    yield await entry.read(section, at, Math.min(BLOCK_BYTES, bytes - at));
  }
}

/** Reads the seal of an entry; `start` is where its sections begin. */
async function readSeal(
  objects: ObjectStore,
  name: string,
): Promise<(ObjectSeal & { readonly start: number }) | 'damaged' | null> {
  const first = await objects.read(name, { offset: 0, length: BLOCK_BYTES });
  if (!first) return null;
  const [, checksum, digits] = /^([0-9a-f]{64}) (\d{12})\n/.exec(first.toString('latin1', 0, FIRST_LINE)) ?? [];
  const length = Number(digits);
  if (checksum === undefined || length > 1 << 28) return 'damaged';
  const missing = FIRST_LINE + length - first.length;
  const rest = missing > 0 ? await objects.read(name, { offset: first.length, length: missing }) : Buffer.alloc(0);
  if (!rest) return null;
  const body = Buffer.concat([first, rest]).subarray(FIRST_LINE, FIRST_LINE + length);
  if (sha256(body) !== checksum) return 'damaged';
  const { data: seal } = objectSealSchema.safeParse(parsed(body.toString()));
  return seal ? { ...seal, start: FIRST_LINE + length } : 'damaged';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function entryOf(objects: ObjectStore, name: string, seal: ObjectSeal & { readonly start: number }): CacheEntry {
  return {
    header: seal.header,
    async read(section, offset = 0, length) {
      const stored = seal.sections[section];
      const end = offset + bytesToRead(stored?.bytes ?? 0, offset, length);
      if (!stored || end <= offset) return Buffer.alloc(0);
      const firstBlock = Math.floor(offset / BLOCK_BYTES);
      const from = firstBlock * BLOCK_BYTES;
      const to = Math.min(stored.bytes, Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES);
      const bytes = await objects.read(name, { offset: seal.start + stored.offset + from, length: to - from });
      for (let at = from, i = firstBlock; at < to; at += BLOCK_BYTES, i++) {
        const block = bytes?.subarray(at - from, at - from + BLOCK_BYTES);
        if (block && sha256(block) === stored.blocks[i]) continue;
        await objects.remove(name);
        throw new StoreError(
          'object-damaged',
          `Expected "${name}" in the store ${objects.url} to be as it was written, found it damaged, and removed it. Run again; it will be recomputed.`,
        );
      }
      return bytes!.subarray(offset - from, end - from);
    },
  };
}
