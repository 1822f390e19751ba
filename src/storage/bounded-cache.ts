import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { openCache, type Cache } from './cache.js';
import { draftName } from './files.js';

/** A cache that holds a limited number of bytes. */
export type BoundedCache = Pick<Cache, 'find' | 'draft'> & {
  /** Removes entries, those unused for longest first, until the others fit. */
  trim(): Promise<void>;
};

/** A cache in a folder of its own, which is made when it is first used. */
export function boundedCache(folder: string, mostBytes: number): BoundedCache {
  let opened: Promise<Cache> | null = null;
  const cache = (): Promise<Cache> => (opened ??= openCache(folder));
  return {
    async find(key) {
      if (opened === null && (await stat(folder).catch(() => null)) === null) return null;
      const entry = await (await cache()).find(key);
      const now = new Date();
      // When it was last used; a cache that may only be read forgets that.
      if (entry) await utimes(join(folder, key), now, now).catch(() => undefined);
      return entry;
    },
    draft: async (key) => (await cache()).draft(key),
    async trim() {
      const entries = await Promise.all((await namesIn(folder)).map((name) => sizeOf(join(folder, name))));
      const latestFirst = entries.toSorted((a, b) => b.usedMs - a.usedMs);
      let held = 0;
      for (const { path, bytes } of latestFirst) {
        held += bytes;
        if (held <= mostBytes) continue;
        // Renamed first, so that nobody finds it while it is being removed.
        const aside = draftName(path);
        await rename(path, aside).then(() => rm(aside, { recursive: true, force: true })).catch(() => undefined); // prettier-ignore
      }
    },
  };
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.'));

async function sizeOf(path: string): Promise<{ path: string; bytes: number; usedMs: number }> {
  const files = await Promise.all((await namesIn(path)).map((name) => stat(join(path, name)).catch(() => null)));
  const bytes = files.reduce((sum, facts) => sum + (facts?.size ?? 0), 0);
  return { path, bytes, usedMs: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
}
