import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { StoreError } from '../base/index.js';
import { bytesToRead, openCache, type Cache, type CacheDraft, type CacheEntry } from './cache.js';
import { writeParts } from './files.js';
import { sha256 } from './hash.js';
import type { ObjectStore } from './objects.js';

/**
 * An entry is one object: a line with the SHA-256 and the length of the seal, the seal as JSON, then the sections back to
 * back. The seal has a SHA-256 of every block, so that any range can be read and checked alone.
 */
const sealSchema = z.object({
  schema: z.literal('cache-object.1'),
  key: z.string(),
  sections: z.record(
    z.string(),
    z.object({ offset: z.int().nonnegative(), bytes: z.int().nonnegative(), blocks: z.array(z.string()) }),
  ),
  header: z.unknown(),
});
type Seal = z.infer<typeof sealSchema>;

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
  const seal: Seal = { schema: 'cache-object.1', key, sections: {}, header: entry.header };
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
): Promise<(Seal & { readonly start: number }) | 'damaged' | null> {
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
  const { data: seal } = sealSchema.safeParse(parsed(body.toString()));
  return seal ? { ...seal, start: FIRST_LINE + length } : 'damaged';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function entryOf(objects: ObjectStore, name: string, seal: Seal & { readonly start: number }): CacheEntry {
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
