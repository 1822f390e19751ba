import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readOwnResult, readReferences, scoreOwnRanking } from './index.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'own-'))));
afterAll(() => rm(folder, { recursive: true }));

async function file(text: string): Promise<string> {
  const path = join(folder, 'given.txt');
  await writeFile(path, text);
  return path;
}

describe('one’s own result', () => {
  it('is read from lists and records, in JSON and in plain text', async () => {
    const list = { order: [3, 0, 7], chosen: null, lengths: null };
    expect(await readOwnResult(await file('[3, 0, 7]'))).toEqual(list);
    expect(await readOwnResult(await file('\ufeff[3, 0, 7]'))).toEqual(list);
    expect(await readOwnResult(await file('3\n0\n7\n'))).toEqual(list);
    expect(await readOwnResult(await file('{ "order": [1, 0], "chosen": [1], "lengths": [10, 20] }'))).toEqual({
      order: [1, 0],
      chosen: [1],
      lengths: [10, 20],
    });
  });

  it.each([
    ['a number below zero', '[-1]'],
    ['a fraction', '1.5'],
    ['a word', 'best\nworst'],
    ['broken JSON', '[1, 2'],
    ['a record of something else', '{ "shots": [1] }'],
  ])('is refused with a sentence: %s', async (_name, text) => {
    await expect(readOwnResult(await file(text))).rejects.toMatchObject({ code: 'bad-result' });
  });

  it('from a summary that is damaged is refused by the name of its file', async () => {
    await expect(readOwnResult(await file('{ "schema": "summary.1", "videos": 3 }'))).rejects.toThrow('given.txt"');
  });

  it('that is not there is refused', async () => {
    await expect(readOwnResult(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'unreadable' });
  });
});

describe('one’s own references', () => {
  it('are lists in JSON, or one per line', async () => {
    const lists = [[0, 4], [1, 4, 9]]; // prettier-ignore
    expect(await readReferences(await file('[[0, 4], [1, 4, 9]]'))).toEqual(lists);
    expect(await readReferences(await file('{ "references": [[0, 4], [1, 4, 9]] }'))).toEqual(lists);
    expect(await readReferences(await file('0 4\n\n1, 4, 9\n'))).toEqual(lists);
  });

  it('must be there', async () => {
    for (const text of ['', '[]', '{}']) {
      await expect(readReferences(await file(text))).rejects.toMatchObject({ code: 'bad-references' });
    }
  });

  it('score as by hand: hits at places 1 and 3 of five, reference of two', async () => {
    const { order } = await readOwnResult(await file('[4, 2, 0, 1, 3]'));
    const { ap5 } = scoreOwnRanking(order!, await readReferences(await file('[[0, 4]]')));
    expect(ap5.value).toBeCloseTo((1 / 1 + 2 / 3) / 2, 12);
  });
});
