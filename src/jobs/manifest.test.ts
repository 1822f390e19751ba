import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openObjects } from '../storage/index.js';
import { readManifest, type Allowed } from './manifest.js';

let home: string;
let allowed: Allowed;
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'throughline-manifest-')));
  await mkdir(at('films', 'deep'), { recursive: true });
  await writeFile(at('films', 'a.mp4'), 'aaa');
  await writeFile(at('films', 'deep', 'b.mp4'), 'bb');
  await writeFile(at('secret.mp4'), 's');
  await symlink(at('secret.mp4'), at('films', 'link.mp4'));
  await symlink(home, at('films', 'up'));
  allowed = { objects: await openObjects(at('store')), buckets: ['films'] };
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** The videos of a manifest in the folder `films`, and what was said about its lines. */
async function read(lines: readonly (object | string)[], more: Partial<Allowed> = {}) {
  const file = at('films', 'list.jsonl');
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const said: string[] = [];
  const topics = await readManifest(file, undefined, { ...allowed, ...more }, (message) => said.push(message));
  return { topics, said };
}

const ETAG = { size: 3, etag: 'e' };

describe('a manifest', () => {
  it('names files and objects of any number of topics', async () => {
    const { topics, said } = await read([
      { source: 'a.mp4' },
      '',
      { source: at('films/deep/b.mp4'), size: 2, topic: 'paris' },
      '\r',
      { source: 's3://films/2019/c d.mp4', size: 7, etag: '"e1"', topic: 'paris' },
      { source: 's3://films/2019/e.mp4', size: 7, sha256: 'A'.repeat(64) },
      { source: 'a.mp4' },
    ]);
    expect(said).toEqual([]);
    expect([...topics.keys()]).toEqual(['list', 'paris']);
    expect(topics.get('list')).toEqual([
      { name: 'a.mp4', path: at('films/a.mp4'), bytes: 3 },
      { name: '2019/e.mp4', source: 's3://films/2019/e.mp4', bytes: 7, sha256: 'a'.repeat(64) },
    ]);
    expect(topics.get('paris')).toEqual([
      { name: join('deep', 'b.mp4'), path: at('films/deep/b.mp4'), bytes: 2 },
      { name: '2019/c d.mp4', source: 's3://films/2019/c d.mp4', bytes: 7, etag: '"e1"' },
    ]);
  });

  it.each<[string, object | string, RegExp]>([
    ['no JSON', 'a.mp4', /Expected one JSON object, found "a\.mp4"/],
    ['no object', '[1]', /Expected one JSON object, found \[1\]/],
    ['nothing named', { size: 3 }, /Expected a path, or an address .* as "source", found nothing/],
    ['a size in words', { ...ETAG, source: 's3://films/a', size: '3 MB' }, /as "size", found "3 MB"/],
    ['an unknown fact', { source: 'a.mp4', url: 'x' }, /Expected only source, size, .*, found "url"/],
    ['another size', { source: 'a.mp4', size: 4 }, /Expected 4 bytes in "a\.mp4", found 3/],
    ['a file that is not there', { source: 'none.mp4' }, /Expected a file at "none\.mp4", found none/],
    ['a folder', { source: 'deep' }, /Expected a file at "deep", found none/],
    ['a way out', { source: '../secret.mp4' }, /Expected a file inside ".*films".*--allow-folder/],
    ['a whole path', { source: '/etc/passwd' }, /Expected a file inside/],
    ['a link out', { source: 'link.mp4' }, /Expected a file inside/],
    ['a folder that is a link out', { source: 'up/secret.mp4' }, /Expected a file inside/],
    ['a path with a zero', { source: 'a.mp4\0' }, /Expected a file at/],
    ['a web address', { ...ETAG, source: 'https://films/a.mp4' }, /Expected an address s3:.*found "https:/],
    ['the address of a file', { source: 'file:///etc/passwd' }, /Expected an address s3:/],
    ['an address with a key', { ...ETAG, source: 's3://key:secret@films/a' }, /Expected an address s3:/],
    ['an address with a host', { ...ETAG, source: 's3://10.0.0.1:80/a' }, /Expected an address s3:/],
    ['a way out of the bucket', { ...ETAG, source: 's3://films/../other/a' }, /without empty parts/],
    ['an object without a version', { source: 's3://films/a', size: 3 }, /Expected "size", and "etag" or "sha256"/],
    ['a prefix', { ...ETAG, source: 's3://films/a/' }, /Submit a prefix as/],
    ['another bucket', { ...ETAG, source: 's3://salaries/a' }, /\(films\), found "salaries".*--allow-bucket/],
    ['other facts of the same', { source: 's3://films/z', size: 4, etag: 'e' }, /once per topic/],
    ['a line without end', `{"source":"${'a'.repeat(70_000)}"}`, /at most 65536 characters/],
  ])('may have bad lines, which are named; the others go on: %s', async (_, line, words) => {
    const { topics, said } = await read([{ ...ETAG, source: 's3://films/z' }, line, { source: 'a.mp4' }]);
    expect(said).toEqual([expect.stringMatching(words)]);
    expect(said[0]).toMatch(/^Line 2 of "list\.jsonl": Expected /);
    expect(topics.get('list')!.map(({ name }) => name)).toEqual(['z', 'a.mp4']);
  });

  it('reads files only in the folders that are allowed', async () => {
    const lines = [{ source: at('secret.mp4') }, { source: 'deep/b.mp4' }, { source: 'a.mp4' }];
    const { topics, said } = await read(lines, { folders: [at('films/deep'), at('store')] });
    expect([...topics.values()].flat().map(({ name }) => name)).toEqual(['b.mp4']);
    expect(said.map((message) => message.slice(0, 6))).toEqual(['Line 1', 'Line 3']);
    await expect(read(lines, { folders: [at('nowhere')] })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('must be there', async () => {
    const missing = readManifest(at('none.jsonl'), undefined, allowed, () => undefined);
    await expect(missing).rejects.toMatchObject({ name: 'UsageError', code: 'not-found' });
  });
});
