import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openObjects } from './index.js';
import { describeObjectStore } from './objects.case.js';

const OWN = '.throughline-store';
const DAY_S = 24 * 3600;

describeObjectStore('objects in a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-directory-'));
  return {
    url: folder,
    damage: async (name) => {
      const bytes = await readFile(join(folder, name));
      bytes[bytes.length >> 1]! ^= 1;
      await writeFile(join(folder, name), bytes);
    },
    leftovers: async () => (await readdir(join(folder, OWN, 'drafts'))).length,
    close: () => rm(folder, { recursive: true, force: true }),
  };
});

describe('a folder as store', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'throughline-directory-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const ageOf = (path: string, seconds: number): Promise<void> => {
    const then = Date.now() / 1000 - seconds;
    return utimes(path, then, then);
  };

  it('holds plain files under their own names', async () => {
    const objects = await openObjects(new URL(`file://${folder}`).href);
    await objects.write('topics/t/out/summary.json', '{}');
    expect(objects.url).toBe(folder);
    expect(objects.localPath('topics/t/out/summary.json')).toBe(join(folder, 'topics/t/out/summary.json'));
    expect(await readFile(join(folder, 'topics/t/out/summary.json'), 'utf8')).toBe('{}');
    expect((await readdir(folder)).sort()).toEqual([OWN, 'topics']);
  });

  it('does not trust a file that was put there by hand, or cut short', async () => {
    const objects = await openObjects(folder);
    await writeFile(join(folder, 'foreign'), 'x');
    expect(await objects.head('foreign')).toBeNull();
    await expect(objects.read('foreign')).rejects.toMatchObject({ code: 'object-damaged' });
    await objects.write('short', 'hello');
    await writeFile(join(folder, 'short'), 'hell');
    expect(await objects.head('short')).toBeNull();
  });

  it('tells contents of one size apart by reading them', async () => {
    const objects = await openObjects(folder);
    const [first] = [await objects.write('x', 'one'), await objects.write('x', 'two')];
    await writeFile(join(folder, 'x'), 'one');
    expect(await objects.head('x')).toEqual(first);
    await writeFile(join(folder, 'x'), 'six');
    expect(await objects.head('x')).toBeNull();
  });

  it('forgets checksums of earlier contents after a day, not before: a writer may be about to rename', async () => {
    const objects = await openObjects(folder);
    const first = await objects.write('x', 'first');
    await objects.write('x', 'second');
    const sums = join(folder, OWN, 'sums', 'x');
    expect((await readdir(sums)).length).toBe(2);
    await ageOf(join(sums, `${first.sha256}-5`), DAY_S + 60);
    await objects.write('x', 'third');
    expect((await readdir(sums)).length).toBe(2);
    expect(await readdir(sums)).not.toContain(`${first.sha256}-5`);
    expect((await objects.read('x'))?.toString()).toBe('third');
  });

  it('sweeps drafts that nobody wrote to for a day', async () => {
    const drafts = join(folder, OWN, 'drafts');
    await mkdir(drafts, { recursive: true });
    for (const name of ['old', 'young']) await writeFile(join(drafts, name), 'half');
    await ageOf(join(drafts, 'old'), DAY_S + 60);
    await ageOf(join(drafts, 'young'), DAY_S - 600);
    await openObjects(folder);
    expect(await readdir(drafts)).toEqual(['young']);
  });

  it('says in a sentence what stands in the way', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(openObjects(join(folder, 'file'))).rejects.toMatchObject({ code: 'not-a-folder' });
    const objects = await openObjects(folder);
    await objects.write('a', '');
    await expect(objects.write('a/b', '')).rejects.toMatchObject({ code: 'not-a-folder' });
  });
});

describe('the address of a store', () => {
  it('is refused when it holds a secret, without repeating it', async () => {
    for (const url of ['s3://KEY:hunter2@bucket/x', 's3://bucket/x?X-Amz-Signature=hunter2', 's3://hunter2@bucket']) {
      const refusal = await openObjects(url).catch((error: Error) => error);
      expect(refusal).toMatchObject({ code: 'store-url-secret' });
      expect(String(refusal)).not.toMatch(/hunter2|KEY:/);
    }
  });

  it('is a folder or a bucket', async () => {
    for (const url of ['http://host/x', 'redis://host', 's3:///prefix', 's3://bucket:80', 's3://bucket/../x/.y']) {
      await expect(openObjects(url), url).rejects.toMatchObject({ name: 'UsageError' });
    }
  });
});
