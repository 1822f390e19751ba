import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { inMemory, type Matrix } from '../base/index.js';
import { openRowsFile } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'throughline-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

it('costs nothing where nothing is stored', async () => {
  await openRowsFile(join(folder, 'not there')).close();
});

it('says which folder cannot be written to', async () => {
  const missing = join(folder, 'not there');
  const file = openRowsFile(missing);
  await expect(file.store(1, 1, [block(1, 1, 0)])).rejects.toThrow(missing);
  await file.close();
});
