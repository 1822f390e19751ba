import {
  link,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
  copyFile,
  truncate,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { hashFile, openCache, openKnownFiles, stampOf } from './index.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-known-'));
  path = join(folder, 'a.bin');
  await writeFile(path, 'some content');
  // Whole seconds, which can be set again exactly.
  await utimes(path, 1_700_000_000, 1_700_000_000);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const openFiles = async (verify = false) => openKnownFiles(await openCache(join(folder, 'cache')), verify);

/** Waits until the clock has left the step in which a file last changed. */
async function settle(...paths: readonly string[]): Promise<void> {
  for (const each of paths) {
    while (Date.now() - (await stat(each)).ctimeMs <= 2001) await sleep(50);
  }
}

/** Keeps what a file contains now. */
async function learn(): Promise<void> {
  await settle(path);
  const files = await openFiles();
  await files.hash(path);
  expect(await files.known(path)).toEqual(await hashFile(path));
}

/** Ways to give a file other content of the same size, with the time of its content as it was. */
const changes: Record<string, () => Promise<void>> = {
  'written to in place': async () => {
    const file = await open(path, 'r+');
    await file.write(Buffer.from('X'), 0, 1, 3);
    await file.close();
  },
  'replaced by a copy': async () => {
    const other = join(folder, 'other');
    await writeFile(other, 'other contem');
    await rename(other, path);
  },
  'cut off and written again': async () => {
    await truncate(path, 0);
    await writeFile(path, 'third conten');
  },
  'copied over': async () => {
    const other = join(folder, 'other');
    await writeFile(other, 'fourth conte');
    await copyFile(other, path);
  },
};

describe('known files', () => {
  it('knows a file again, under any name, without reading it', { tags: 'slow' }, async () => {
    expect(await (await openFiles()).known(path)).toBeNull();
    await learn();
    const asked = await openFiles();
    const facts = await stat(path, { bigint: true });
    expect(await asked.hash(path)).toEqual(await hashFile(path));
    await hashFile(path);
    // A name by which the file was not read before; the link itself counts as a change.
    await link(path, join(folder, 'b.bin'));
    expect((await stat(path, { bigint: true })).mtimeNs).toBe(facts.mtimeNs);
    expect(await asked.known(join(folder, 'b.bin'))).toBeNull();
    await learn();
    expect(await asked.known(join(folder, 'b.bin'))).toEqual(await hashFile(path));
  });

  it.for(Object.keys(changes))('notices a file that was %s, its time set back', { tags: 'slow' }, async (how) => {
    await learn();
    const { atime, mtime } = await stat(path);
    const before = await hashFile(path);
    await changes[how]!();
    await utimes(path, atime, mtime);
    const now = await stat(path);
    expect([now.size, now.mtimeMs]).toEqual([12, mtime.getTime()]);
    const files = await openFiles();
    expect(await files.known(path)).toBeNull();
    const after = await files.hash(path);
    expect(after.sha256).not.toBe(before.sha256);
    expect(after).toEqual(await hashFile(path));
  });

  it('does not trust a file that changed within a step of the clock', async () => {
    const files = await openFiles();
    const { sha256 } = await files.hash(path);
    expect(await files.known(path)).toBeNull();
    const stamp = await stampOf(path);
    await writeFile(path, 'OTHER CONTENT'.slice(0, 12));
    // Whether the clock has moved on or not, the second content is seen.
    expect((await files.hash(path)).sha256).not.toBe(sha256);
    expect(stamp).not.toBe('');
  });

  it(
    'does not trust a file whose time lies within a step of now, whatever the clock of the disk',
    { tags: 'slow' },
    async () => {
      await settle(path);
      const soon = new Date(Date.now() + 3500);
      await utimes(path, soon, soon);
      await settle(path);
      const files = await openFiles();
      await files.hash(path);
      expect(await files.known(path)).toBeNull();
    },
  );

  it('reads again what is to be verified, and corrects what was kept', { tags: 'slow' }, async () => {
    await learn();
    const good = await hashFile(path);
    const cache = await openCache(join(folder, 'cache'));
    const wrong = { ...good, sha256: 'f'.repeat(64) };
    const [key] = await entryNames();
    await rm(join(cache.folder, key!), { recursive: true });
    await (await cache.draft(key!)).commit(wrong, []);
    expect(await (await openFiles()).hash(path)).toEqual(wrong);
    const verifying = await openFiles(true);
    expect(await verifying.known(path)).toBeNull();
    expect(await verifying.hash(path)).toEqual(good);
    expect(await verifying.known(path)).toEqual(good);
    expect(await (await openFiles()).hash(path)).toEqual(good);
  });

  it('hashes a file all the same where nothing can be kept', { tags: 'slow' }, async () => {
    await settle(path);
    const cache = await openCache(join(folder, 'cache'));
    await rm(cache.folder, { recursive: true });
    expect(await openKnownFiles(cache).hash(path)).toEqual(await hashFile(path));
  });
});

async function entryNames(): Promise<string[]> {
  return (await readdir(join(folder, 'cache'))).filter((name) => !name.startsWith('.'));
}
