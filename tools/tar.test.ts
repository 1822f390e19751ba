import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { random, UsageError } from '../src/base/index.js';
import { readTarFiles } from './npm-package.js';
import { writeTar } from './tar.case.js';

const dice = random(4);
const content = (length: number): Buffer => Buffer.from(Array.from({ length }, () => dice.below(256)));
const long = `package/${'deep/'.repeat(22)}file.bin`;
const FILES = {
  'package/package.json': Buffer.from('{}'),
  'package/a/model.bin': content(1300),
  'package/empty': Buffer.alloc(0),
  'package/block': content(512),
  [long]: content(700),
};
const archive = writeTar(FILES);
const ALL = new Set(Object.keys(FILES).map((path) => path.slice('package/'.length)));

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('files of a tar archive', () => {
  it.each([1, 7, 512, 513, 100_000])('are found whatever the chunks, here of %i bytes', async (size) => {
    const found = await readTarFiles(inChunks(archive, size), ALL);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(FILES).map(([path, bytes]) => [path.slice('package/'.length), bytes])),
    );
  });

  it('are only those wanted, and only files', async () => {
    expect([...(await readTarFiles(inChunks(archive, 999), new Set(['block']))).keys()]).toEqual(['block']);
    expect((await readTarFiles(inChunks(writeTar(FILES, '2'), 999), ALL)).size).toBe(0);
  });

  it('may end without the blocks of zeros', async () => {
    expect((await readTarFiles(inChunks(archive.subarray(0, -1024), 999), ALL)).size).toBe(5);
  });

  it.skipIf(process.platform === 'win32')('are those that tar itself packed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'throughline-tar-'));
    try {
      await mkdir(join(folder, 'package', 'a'), { recursive: true });
      await writeFile(join(folder, 'package', 'a', 'model.bin'), FILES['package/a/model.bin']!);
      await promisify(execFile)('tar', ['-cf', 'made.tar', 'package'], { cwd: folder });
      const made = await readFile(join(folder, 'made.tar'));
      expect((await readTarFiles(inChunks(made, 4096), ALL)).get('a/model.bin')).toEqual(FILES['package/a/model.bin']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('of a damaged archive are refused with a sentence, or are what they were', async () => {
    const attempt = async (bytes: Uint8Array): Promise<Map<string, Buffer> | null> =>
      readTarFiles(inChunks(bytes, 700), new Set(['a/model.bin'])).catch((error: unknown) => {
        expect(error).toBeInstanceOf(UsageError);
        return null;
      });
    for (let length = 0; length < archive.length; length += 37) {
      const found = (await attempt(archive.subarray(0, length)))?.get('a/model.bin');
      if (found) expect(found).toEqual(FILES['package/a/model.bin']);
    }
    let refused = 0;
    for (let at = 0; at < archive.length - 1024; at += 5) {
      const bytes = Buffer.from(archive);
      bytes[at]! ^= 1 << dice.below(8);
      if ((await attempt(bytes)) === null) refused++;
    }
    expect(refused).toBeGreaterThan(100);
  });

  it('are not looked for without end', async () => {
    const block = Buffer.alloc(1 << 24);
    block.set(writeTar({ 'package/huge': Buffer.alloc(0) }).subarray(0, 512));
    // A file of almost 8 GB, of which only zeros come.
    block.write('77777777777 ', 124);
    block.write('        ', 148);
    const sum = block.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    let given = 0;
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      for (; given < 200; given++) yield block;
    };
    await expect(readTarFiles(endless(), ALL)).rejects.toMatchObject({ code: 'bad-package' });
    expect(given).toBeLessThan(70);
  });
});
