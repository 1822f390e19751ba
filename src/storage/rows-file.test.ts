import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, it } from 'vitest';

import { inMemory, type Matrix } from '../base/index.js';
import { openRowsFile } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'throughline-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A thread that reads the matrix it is given, at once and when told to, and says whether it could. */
const READER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const read = async () => {
    const { register } = await import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))});
    register();
    const { inMemory } = await import(${JSON.stringify(new URL('../base/index.ts', import.meta.url).href)});
    try {
      inMemory(workerData);
      parentPort.postMessage('read');
    } catch (error) {
      parentPort.postMessage(error.code);
    }
  };
  parentPort.on('message', read);
  read();`;

const block = (rows: number, cols: number, from: number): Matrix => ({
  ...{ rows, cols },
  data: Float64Array.from({ length: rows * cols }, (_, k) => from + k),
});
async function* slowly(blocks: readonly Matrix[]): AsyncGenerator<Matrix> {
  for (const each of blocks) {
    await new Promise(setImmediate);
    yield each;
  }
}

it('keeps matrices that arrive at the same time apart, under no name', async () => {
  const file = openRowsFile(folder);
  expect(readdirSync(folder)).toEqual([]);
  const stored = await Promise.all([
    file.store(3, 2, slowly([block(2, 2, 0), block(1, 2, 4)])),
    file.store(2, 5, slowly([block(1, 5, 100), block(1, 5, 105)])),
    file.store(0, 4, []),
  ]);
  expect(readdirSync(folder)).toEqual([]);
  expect(stored.map(inMemory)).toEqual([block(3, 2, 0), block(2, 5, 100), block(0, 4, 0)]);
  await file.close();
  expect(() => inMemory(stored[0]!)).toThrow();
});

it('is not read once it is closed, nor is the file that has its number then', async () => {
  const file = openRowsFile(folder);
  const stored = await file.store(3, 2, [block(3, 2, 0)]);
  const worker = new Worker(READER, { eval: true, workerData: stored });
  const [first] = (await once(worker, 'message')) as [string];
  const others = join(folder, 'of others');
  writeFileSync(others, Buffer.alloc(4096, 7));
  await file.close();
  const taken = Array.from({ length: 50 }, () => openSync(others, 'r'));
  expect(taken).toContain(stored.file);
  expect(() => inMemory(stored)).toThrow('was closed meanwhile');
  worker.postMessage('again');
  const [second] = (await once(worker, 'message')) as [string];
  expect([first, second]).toEqual(['read', 'rows-closed']);
  await worker.terminate();
  await expect(file.store(1, 1, [block(1, 1, 0)])).rejects.toThrow('was closed meanwhile');
  for (const each of taken) closeSync(each);
  rmSync(others);
});

it('says what happened to the blocks themselves in their own words', async () => {
  const file = openRowsFile(folder);
  const failing = async function* (): AsyncGenerator<Matrix> {
    yield block(1, 1, 0);
    throw Object.assign(new Error('EISDIR: of the source'), { code: 'EISDIR' });
  };
  await expect(file.store(2, 1, failing())).rejects.toThrow('EISDIR: of the source');
  await file.close();
});

it('costs nothing where nothing is stored', async () => {
  await openRowsFile(join(folder, 'not there')).close();
  expect(existsSync(join(folder, 'not there'))).toBe(false);
});

it('says which folder cannot be written to', async () => {
  const missing = join(folder, 'not there');
  const file = openRowsFile(missing);
  await expect(file.store(1, 1, [block(1, 1, 0)])).rejects.toMatchObject({
    ...{ code: 'folder-gone', message: expect.stringContaining(missing) },
  });
  await file.close();
});
