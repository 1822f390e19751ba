import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { hashFile, keyOf, openCache, writeParts, writeWhole } from './index.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function keep(key: string, header: unknown, body: string): Promise<void> {
  const cache = await openCache(folder);
  const draft = await cache.draft(key);
  await draft.append('body', text(body.slice(0, 3)));
  await draft.append('scratch', text('not kept'));
  await draft.append('body', text(body.slice(3)));
  await draft.commit(header, ['body']);
}

describe('cache', () => {
  it('gives back what was kept, and nothing for other keys', async () => {
    await keep('k', { answer: 42 }, 'hello world');
    const cache = await openCache(folder);
    const entry = await cache.find('k');
    expect(entry?.header).toEqual({ answer: 42 });
    expect((await entry?.read('body'))?.toString()).toBe('hello world');
    expect((await entry?.read('body', 6, 3))?.toString()).toBe('wor');
    expect(await cache.find('other')).toBeNull();
    expect(await readdir(join(folder, 'k'))).toEqual(['body', 'entry']);
  });

  it(
    'recomputes rather than trusts: any flipped byte of any file makes the entry vanish',
    { tags: 'slow' },
    async () => {
      for (const file of ['body', 'entry']) {
        await keep('k', { answer: 42 }, 'hello world');
        const path = join(folder, 'k', file);
        const bytes = await readFile(path);
        for (let at = 0; at < bytes.length; at++) {
          await keep('k', { answer: 42 }, 'hello world');
          const damaged = Buffer.from(bytes);
          damaged[at]! ^= 1;
          await writeFile(path, damaged);
          expect(await (await openCache(folder)).find('k'), `${file} byte ${at}`).toBeNull();
        }
      }
    },
  );

  it('shows an entry only when it is whole', async () => {
    const cache = await openCache(folder);
    const draft = await cache.draft('k');
    await draft.append('body', text('half'));
    expect(await cache.find('k')).toBeNull();
    await draft.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  it('lets two runs finish the same entry', async () => {
    const cache = await openCache(folder);
    const [first, second] = [await cache.draft('k'), await cache.draft('k')];
    await first.append('body', text('same'));
    await second.append('body', text('same'));
    await first.commit({}, ['body']);
    const entry = await second.commit({}, ['body']);
    expect((await entry.read('body')).toString()).toBe('same');
    expect(await readdir(folder)).toEqual(['k']);
  });

  it('removes drafts of runs that are gone, and leaves those that are written to', async () => {
    const gone = '.throughline-draft-999999999-aa';
    const mine = `.throughline-draft-${process.pid}-bb`;
    const age = async (name: string, seconds: number): Promise<void> => {
      const then = Date.now() / 1000 - seconds;
      await writeFile(join(folder, name, 'section'), '');
      for (const path of [join(folder, name, 'section'), join(folder, name)]) await utimes(path, then, then);
    };
    await mkdir(join(folder, gone));
    await mkdir(join(folder, mine));
    await age(gone, 10);
    await age(mine, 3600);
    await openCache(folder);
    expect((await readdir(folder)).sort()).toEqual([gone, mine].sort());
    await age(gone, 120);
    await openCache(folder);
    expect(await readdir(folder)).toEqual([mine]);
    await age(mine, 90_000);
    await openCache(folder);
    expect(await readdir(folder)).toEqual([]);
  });

  it('keeps an entry that another run puts in place while this one looks', { tags: 'slow' }, async () => {
    const cache = await openCache(folder);
    const commit = async (): Promise<void> => {
      const draft = await cache.draft('k');
      await draft.append('body', text('same'));
      await draft.commit({}, ['body']);
    };
    for (let round = 0; round < 50; round++) {
      await Promise.all([commit(), cache.find('k'), cache.find('k'), commit(), cache.find('k')]);
      expect(await cache.find('k'), `round ${round}`).not.toBeNull();
      await rm(join(folder, 'k'), { recursive: true });
    }
  });

  it('puts an entry in the place of one that is not whole', async () => {
    const cache = await openCache(folder);
    const draft = await cache.draft('k');
    await draft.append('body', text('whole'));
    await mkdir(join(folder, 'k'));
    await writeFile(join(folder, 'k', 'body'), 'half');
    expect((await (await draft.commit({}, ['body'])).read('body')).toString()).toBe('whole');
    expect(await readdir(folder)).toEqual(['k']);
  });

  it('says what happened when what was written is no longer what it was', async () => {
    const draft = await (await openCache(folder)).draft('k');
    await draft.append('body', text('whole'));
    await writeFile(join(folder, (await readdir(folder))[0]!, 'body'), 'half');
    await expect(draft.commit({}, ['body'])).rejects.toMatchObject({ code: 'entry-vanished' });
  });
});

describe('files', () => {
  it('appear whole or not at all', async () => {
    const path = join(folder, 'deep', 'file.txt');
    await writeParts(path, ['one ', text('two')]);
    expect(await readFile(path, 'utf8')).toBe('one two');
    await expect(
      writeWhole(path, async (draft) => {
        await writeFile(draft, 'half');
        throw new Error('power cut');
      }),
    ).rejects.toThrow('power cut');
    expect(await readFile(path, 'utf8')).toBe('one two');
    expect(await readdir(join(folder, 'deep'))).toEqual(['file.txt']);
  });

  it('say in a sentence that the disk is full', async () => {
    // /dev/full refuses every byte as a full disk does.
    const write = writeWhole(join(folder, 'a'), () => writeFile('/dev/full', 'x', { flag: 'r+' }));
    await expect(write).rejects.toMatchObject({
      code: 'disk-full',
      message: expect.stringContaining('Free some space'),
    });
  });

  it('say in a sentence that their folder was removed meanwhile, here and in the cache', async () => {
    const index = join(folder, 'short-lived');
    const removed = async (): Promise<void> => rm(index, { recursive: true });
    const gone = (path: string) => ({ code: 'folder-gone', message: expect.stringContaining(`"${path}"`) as string });
    const write = writeWhole(join(index, 'a'), (draft) => removed().then(() => writeFile(draft, 'x')));
    await expect(write).rejects.toMatchObject(gone(join(index, 'a')));
    const cache = await openCache(index);
    const draft = await cache.draft('k');
    await removed();
    await expect(draft.append('body', text('x'))).rejects.toMatchObject(gone(index));
    await expect(cache.draft('k')).rejects.toMatchObject(gone(index));
    // A file elsewhere that is missing is not the fault of this folder.
    const elsewhere = writeWhole(join(folder, 'a'), () => rm(join(index, 'b')));
    await expect(elsewhere).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('say in a sentence that a file stands in the way', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(writeParts(join(folder, 'file', 'inside'), ['x'])).rejects.toMatchObject({ code: 'not-a-folder' });
  });
});

describe('hashes', () => {
  it('are SHA-256 of the content', async () => {
    const path = join(folder, 'abc');
    await writeFile(path, 'abc');
    expect(await hashFile(path)).toEqual({
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      bytes: 3,
    });
    await expect(hashFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('name equal records equally', () => {
    expect(keyOf({ a: 1, b: ['x'] })).toBe(keyOf({ a: 1, b: ['x'] }));
    expect(keyOf({ a: 1 })).not.toBe(keyOf({ a: 2 }));
  });
});
