import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startS3, type S3 } from '../../test/fixtures/s3.js';
import { openObjectCache, openObjects, type Cache, type ObjectStore } from './index.js';

let s3: S3;
beforeAll(async () => {
  s3 = await startS3();
  Object.assign(process.env, s3.env);
});
afterAll(() => s3.close());

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-object-cache-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const scratch = (): string => join(folder, 'scratch');

async function keep(cache: Cache, header: unknown, sections: Record<string, Uint8Array>): Promise<void> {
  const draft = await cache.draft('k');
  for (const [name, bytes] of Object.entries(sections)) {
    await draft.append(name, bytes.subarray(0, 3));
    await draft.append('scratch', text('not kept'));
    await draft.append(name, bytes.subarray(3));
    expect((await draft.read(name, 1, 4)).equals(bytes.subarray(1, 5))).toBe(true);
  }
  await draft.commit(header, Object.keys(sections));
}

describe.each(['folder', 'bucket'])('cache of analyses on objects in a %s', (kind) => {
  let objects: ObjectStore;
  let cache: Cache;
  beforeEach(async () => {
    objects = await openObjects(
      kind === 'folder' ? join(folder, 'store') : `s3://${s3.bucket}/${randomBytes(4).toString('hex')}`,
    );
    cache = openObjectCache(objects, scratch());
  });

  it('gives back what was kept, in any range, from one object', async () => {
    const long = randomBytes(200_000);
    const header = { answer: 42, long: 'x'.repeat(100_000) };
    await keep(cache, header, { short: text('hello world'), long, none: text('') });
    const entry = await cache.find('k');
    expect(entry?.header).toEqual(header);
    expect((await entry?.read('short'))?.toString()).toBe('hello world');
    expect((await entry?.read('short', 6, 3))?.toString()).toBe('wor');
    expect((await entry?.read('none'))?.length).toBe(0);
    expect((await entry?.read('long'))?.equals(long)).toBe(true);
    for (const [offset, length] of [
      [0, 1],
      [65_535, 2],
      [65_536, 65_536],
      [131_071, 60_000],
      [199_999, 50],
    ] as const) {
      expect(
        (await entry?.read('long', offset, length))?.equals(long.subarray(offset, offset + length)),
        `${offset}`,
      ).toBe(true);
    }
    expect(await cache.find('other')).toBeNull();
    const names = [];
    for await (const name of objects.list('')) names.push(name);
    expect(names).toEqual(['analyses/k']);
    expect(await readdir(scratch())).toEqual([]);
  });

  it('makes the same bytes of the same entry, and lets two runs finish it', async () => {
    await keep(cache, { a: 1 }, { body: text('hello') });
    const first = await objects.head('analyses/k');
    await Promise.all([keep(cache, { a: 1 }, { body: text('hello') }), keep(cache, { a: 1 }, { body: text('hello') })]);
    expect(await objects.head('analyses/k')).toEqual(first);
  });

  it('shows an entry only when it is whole, and nothing of one that is given up', async () => {
    const draft = await cache.draft('k');
    await draft.append('body', text('half'));
    expect(await cache.find('k')).toBeNull();
    await draft.discard();
    expect(await readdir(scratch())).toEqual([]);
    expect(await cache.find('k')).toBeNull();
  });
});

describe('a damaged entry', () => {
  it('is noticed at whatever byte, removed, and can be made again', async () => {
    const objects = await openObjects(join(folder, 'store'));
    const cache = openObjectCache(objects, scratch());
    const path = join(folder, 'store', 'analyses', 'k');
    await keep(cache, { answer: 42 }, { body: text('hello world') });
    const whole = await readFile(path);
    for (let at = 0; at <= whole.length; at++) {
      const damaged = Buffer.from(whole);
      if (at < whole.length) damaged[at]! ^= 1;
      await objects.write('analyses/k', at < whole.length ? damaged : whole.subarray(0, -1));
      const entry = await cache.find('k');
      if (entry) await expect(entry.read('body'), `byte ${at}`).rejects.toMatchObject({ code: 'object-damaged' });
      expect(await objects.head('analyses/k'), `byte ${at}`).toBeNull();
    }
    await keep(cache, { answer: 42 }, { body: text('hello world') });
    expect((await readFile(path)).equals(whole)).toBe(true);
  });

  it('is not taken for another', async () => {
    const objects = await openObjects(join(folder, 'store'));
    const cache = openObjectCache(objects, scratch());
    await keep(cache, {}, { body: text('hello') });
    await objects.write('analyses/other', (await objects.read('analyses/k'))!);
    expect(await cache.find('other')).toBeNull();
    await writeFile(join(folder, 'store', 'analyses', 'k'), '');
    expect(await cache.find('k')).toBeNull();
  });
});
