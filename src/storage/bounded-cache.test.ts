import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { boundedCache } from './workspace.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-bounded-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function keep(cache: ReturnType<typeof boundedCache>, key: string, bytes: number): Promise<void> {
  const draft = await cache.draft(key);
  await draft.append('pictures', Buffer.alloc(bytes, key));
  await draft.commit({}, ['pictures']);
}

it('removes what was not used for longest, until the rest fits', async () => {
  const folder = join(home, 'parts');
  const cache = boundedCache(folder, 10_000);
  await cache.trim();
  expect(await cache.find('a')).toBeNull();
  expect(await readdir(home)).toEqual([]);
  for (const [age, key] of ['d', 'c', 'b', 'a'].entries()) {
    await keep(cache, key, 3000);
    const then = new Date(Date.now() - 1000 * (100 - age));
    await utimes(join(folder, key), then, then);
  }
  // Used now, so that it is the latest.
  expect((await (await cache.find('d'))!.read('pictures')).equals(Buffer.alloc(3000, 'd'))).toBe(true);
  await cache.trim();
  expect((await readdir(folder)).toSorted()).toEqual(['a', 'b', 'd']);
  await cache.trim();
  expect((await readdir(folder)).toSorted()).toEqual(['a', 'b', 'd']);
  expect(await cache.find('c')).toBeNull();
});
