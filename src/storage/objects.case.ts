import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { contentHash } from './files.js';
import { openObjects, type ObjectStore } from './index.js';

/** A store of its own for one run of the contract. */
export type StoreCase = {
  /** What `openObjects` is given; other processes can open it too, in this one's environment. */
  readonly url: string;
  /** Changes a byte of an object behind the store's back. */
  damage(name: string): Promise<void>;
  /** Drafts and parts of uploads that nobody will finish. */
  leftovers(): Promise<number>;
  close(): Promise<void>;
};

/** Names that would leave the store's folder, or mean something else on some system. */
const UNSAFE_NAMES = [
  '../x',
  'a/../../x',
  '/x',
  'a//b',
  '',
  'a/',
  '.',
  'a/.',
  '.x',
  'a\\..\\x',
  'C:/x',
  'a\0b',
  'a\nb',
  'a.',
  `${'long/'.repeat(200)}x`,
];

const MEGABYTE = 1 << 20;

/** The tests of every kind of store, with and without faults. */
export function describeObjectStore(title: string, open: () => Promise<StoreCase>, trouble = false): void {
  describe(title, () => {
    let store: StoreCase;
    let objects: ObjectStore;
    let scratch: string;
    beforeAll(async () => {
      store = await open();
      objects = await openObjects(store.url);
      scratch = await mkdtemp(join(tmpdir(), 'throughline-objects-'));
    });
    afterAll(async () => {
      await store.close();
      await rm(scratch, { recursive: true, force: true });
    });
    const file = async (bytes: Uint8Array): Promise<string> => {
      const path = join(scratch, randomBytes(6).toString('hex'));
      await writeFile(path, bytes);
      return path;
    };
    const namesUnder = async (prefix: string): Promise<string[]> => {
      const names: string[] = [];
      for await (const name of objects.list(prefix)) names.push(name);
      return names.sort();
    };

    it('gives back what was written, by every way in and out', async () => {
      for (const bytes of [Buffer.alloc(0), Buffer.from('hello world'), randomBytes(300_000)]) {
        for (const way of ['write', 'upload'] as const) {
          const name = `ways/${way}-${bytes.length}`;
          const said = await (way === 'write' ? objects.write(name, bytes) : objects.upload(name, await file(bytes)));
          expect(said).toEqual(contentHash(bytes));
          expect(await objects.head(name)).toEqual(contentHash(bytes));
          expect((await objects.read(name))?.equals(bytes), name).toBe(true);
          const path = join(scratch, 'down', name);
          expect(await objects.download(name, path)).toBe(true);
          expect((await readFile(path)).equals(bytes), name).toBe(true);
          const local = objects.localPath(name);
          if (local !== null) expect((await readFile(local)).equals(bytes)).toBe(true);
        }
      }
      await objects.write('ways/text', 'größe');
      expect((await objects.read('ways/text'))?.toString()).toBe('größe');
    });

    it('says that nothing is there', async () => {
      expect(await objects.head('none/x')).toBeNull();
      expect(await objects.read('none/x')).toBeNull();
      expect(await objects.read('none/x', { offset: 0, length: 5 })).toBeNull();
      const path = join(scratch, 'none');
      expect(await objects.download('none/x', path)).toBe(false);
      expect(await readdir(scratch)).not.toContain('none');
      expect(await namesUnder('none/')).toEqual([]);
      await objects.remove('none/x');
      await expect(objects.upload('none/x', path)).rejects.toMatchObject({ code: 'unreadable' });
      expect(await objects.head('none/x')).toBeNull();
    });

    it('reads ranges, as far as there are bytes', async () => {
      const bytes = randomBytes(1000);
      await objects.write('range/x', bytes);
      const cases = [
        [0, 1],
        [0, 1000],
        [10, 20],
        [999, 1],
        [990, 100],
        [1000, 5],
        [2000, 5],
        [5, 0],
      ] as const;
      for (const [offset, length] of cases) {
        const part = await objects.read('range/x', { offset, length });
        expect(part?.equals(bytes.subarray(offset, offset + length)), `${offset}+${length}`).toBe(true);
      }
      await objects.write('range/empty', '');
      expect((await objects.read('range/empty', { offset: 0, length: 5 }))?.length).toBe(0);
    });

    it('lists names by the letters they start with, and forgets removed ones', async () => {
      const names = ['list/a', 'list/a-b/c', 'list/ab', 'list/deep/er/x', 'list/zürich (1).mp4'];
      for (const name of [...names, 'listing']) await objects.write(name, name);
      expect(await namesUnder('list/')).toEqual([...names].sort());
      expect(await namesUnder('list/a')).toEqual(['list/a', 'list/a-b/c', 'list/ab']);
      expect(await namesUnder('list/deep/er/x')).toEqual(['list/deep/er/x']);
      expect((await objects.read('list/zürich (1).mp4'))?.toString()).toBe('list/zürich (1).mp4');
      const sizes: [string, number][] = [];
      const now = Date.now();
      for await (const { name, bytes, modifiedMs } of objects.entries('list/a')) {
        sizes.push([name, bytes]);
        expect(Math.abs(modifiedMs - now)).toBeLessThan(3_600_000);
      }
      expect(sizes.sort()).toEqual([['list/a', 6], ['list/a-b/c', 10], ['list/ab', 7]]); // prettier-ignore
      await objects.remove('list/ab');
      await objects.remove('list/ab');
      expect(await objects.head('list/ab')).toBeNull();
      expect(await namesUnder('list/a')).toEqual(['list/a', 'list/a-b/c']);
    });

    it('takes 20 MB in parts, and gives them back', { tags: 'slow' }, async () => {
      const bytes = randomBytes(20 * MEGABYTE + 17);
      expect(await objects.upload('large/file', await file(bytes))).toEqual(contentHash(bytes));
      await objects.write('large/bytes', bytes);
      for (const name of ['large/file', 'large/bytes']) {
        expect(await objects.head(name)).toEqual(contentHash(bytes));
        expect((await objects.read(name))?.equals(bytes), name).toBe(true);
        expect(await objects.download(name, join(scratch, 'large'))).toBe(true);
        expect((await readFile(join(scratch, 'large'))).equals(bytes), name).toBe(true);
        const part = await objects.read(name, { offset: 9 * MEGABYTE, length: 100 });
        expect(part?.equals(bytes.subarray(9 * MEGABYTE, 9 * MEGABYTE + 100))).toBe(true);
      }
      expect(await store.leftovers()).toBe(0);
    });

    it('replaces: readers see the old or the new, never a mix', { tags: 'slow' }, async () => {
      const contents = [randomBytes(200_000), randomBytes(350_000)];
      await objects.write('swap/x', contents[0]!);
      let isWriting = true;
      const write = async (): Promise<void> => {
        for (let round = 1; round <= 20; round++) await objects.write('swap/x', contents[round % 2]!);
        isWriting = false;
      };
      const read = async (): Promise<void> => {
        while (isWriting) {
          const seen = await objects.read('swap/x');
          expect(contents.some((content) => seen?.equals(content))).toBe(true);
          const found = await objects.head('swap/x');
          expect(contents.map((content) => contentHash(content))).toContainEqual(found);
        }
      };
      await Promise.all([write(), read(), read()]);
      expect((await objects.read('swap/x'))?.equals(contents[0]!)).toBe(true);
    });

    it('lets one of several writers win, whole', async () => {
      // A large one whose last answer is lost, and which is then overtaken, cannot know that it was done: it says that it failed.
      const isLarge = (i: number): boolean => i === 5 && !trouble;
      const contents = Array.from({ length: 6 }, (_, i) => randomBytes(isLarge(i) ? 9 * MEGABYTE : 100_000 + i));
      await Promise.all(contents.map((content) => objects.write('race/x', content)));
      const seen = await objects.read('race/x');
      expect(contents.some((content) => seen?.equals(content))).toBe(true);
      expect(await objects.head('race/x')).toEqual(contentHash(seen!));
      expect(await store.leftovers()).toBe(0);
    });

    it('refuses names that could leave its place', async () => {
      for (const name of UNSAFE_NAMES) {
        const refusal = { code: 'object-name' };
        await expect(objects.write(name, 'x'), name).rejects.toMatchObject(refusal);
        await expect(objects.upload(name, scratch), name).rejects.toMatchObject(refusal);
        await expect(objects.read(name), name).rejects.toMatchObject(refusal);
        await expect(objects.head(name), name).rejects.toMatchObject(refusal);
        await expect(objects.download(name, join(scratch, 'x')), name).rejects.toMatchObject(refusal);
        await expect(objects.remove(name), name).rejects.toMatchObject(refusal);
      }
    });

    it('stops on request, and leaves nothing', async () => {
      const path = await file(randomBytes(40 * MEGABYTE));
      await objects.remove('stop/x');
      const stopped = AbortSignal.abort();
      await expect(objects.write('stop/x', 'x', stopped)).rejects.toMatchObject({ code: 'cancelled' });
      await expect(objects.upload('stop/x', path, stopped)).rejects.toMatchObject({ code: 'cancelled' });
      for (const ms of [1, 20, 60]) {
        const signal = AbortSignal.timeout(ms);
        const outcome = await objects.upload('stop/x', path, signal).catch((error: { code: string }) => error.code);
        if (typeof outcome !== 'string') continue;
        expect(outcome).toBe('cancelled');
        expect(await objects.head('stop/x')).toBeNull();
      }
      await objects.upload('stop/x', path);
      const to = join(scratch, 'stopped');
      await expect(objects.download('stop/x', to, AbortSignal.timeout(2))).rejects.toMatchObject({ code: 'cancelled' });
      await expect(objects.read('stop/x', undefined, stopped)).rejects.toMatchObject({ code: 'cancelled' });
      expect((await readdir(scratch)).filter((name) => name.includes('draft') || name === 'stopped')).toEqual([]);
      expect(await store.leftovers()).toBe(0);
    });

    it('notices bytes that changed since', async () => {
      for (const size of [11, 9 * MEGABYTE]) {
        await objects.write('damage/x', randomBytes(size));
        await store.damage('damage/x');
        await expect(objects.read('damage/x')).rejects.toMatchObject({ code: 'object-damaged' });
        await expect(objects.download('damage/x', join(scratch, 'damaged'))).rejects.toMatchObject({
          code: 'object-damaged',
          message: expect.stringContaining('"damage/x"'),
        });
        expect(await readdir(scratch)).not.toContain('damaged');
        await objects.write('damage/x', 'whole again');
        expect((await objects.read('damage/x'))?.toString()).toBe('whole again');
      }
    });

    // A process of its own uploads one of two files again and again under one name, until it is killed.
    it.skipIf(trouble)('shows nothing of an upload whose process is killed', { tags: 'slow' }, async () => {
      const contents = [randomBytes(30 * MEGABYTE), randomBytes(25 * MEGABYTE)];
      const paths = await Promise.all(contents.map(file));
      const script = fileURLToPath(new URL('./upload-for-ever.case.ts', import.meta.url));
      for (const ms of [30, 300, 700]) {
        const child = spawn(process.execPath, ['--import', 'tsx', script, store.url, 'kill/x', ...paths], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const gone = new Promise((closed) => child.once('close', closed));
        const isReady = new Promise((ready) => child.stdout.once('data', ready)).then(() => true);
        expect(await Promise.race([isReady, gone])).toBe(true);
        await new Promise((passed) => setTimeout(passed, ms));
        child.kill('SIGKILL');
        await gone;
        const seen = await objects.read('kill/x');
        expect(seen === null || contents.some((content) => seen.equals(content)), `after ${ms} ms`).toBe(true);
        expect(['', 'kill/x']).toContain((await namesUnder('kill/')).join());
      }
    });
  });
}
