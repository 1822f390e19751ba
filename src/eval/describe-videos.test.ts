import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { encodeNpy } from '../features/npy.case.js';
import { describeFromVectors } from './describe-videos.js';
import { judged, labelled } from './labelled.case.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'throughline-vectors-'))));
afterAll(() => rm(folder, { recursive: true }));

it('vectors made elsewhere have another version as soon as any of their files differs', async () => {
  const ids = Array.from({ length: 9 }, (_, at) => `video${at}`);
  const videos = ids.map((id) => labelled(id, 'x', [judged('only', [2, 1])], 2));
  const write = (id: string, ...rows: number[][]): Promise<void> =>
    writeFile(join(folder, `${id}.npy`), encodeNpy(rows));
  for (const id of ids) await write(id, [1, 2], [3, 4]);
  const versionOf = async (): Promise<string> => (await describeFromVectors(folder, videos, 'root')).features.version;
  const before = await versionOf();
  expect(await versionOf()).toBe(before);
  await write(ids.at(-1)!, [1, 2], [3, 5]);
  expect(await versionOf()).not.toBe(before);
});
