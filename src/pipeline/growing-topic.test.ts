import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { beginTopic, describeTopic, includeVideos, keepOptions, withdrawVideos } from './index.js';

let home: string;
let folder: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-project-'));
  folder = join(home, 'topic');
  // Large enough that reading it takes longer than writing the record.
  for (const [value, name] of ['a.mp4', 'b.mp4'].entries()) await writeFile(join(home, name), Buffer.alloc(2e7, value));
});
afterEach(() => rm(home, { recursive: true, force: true }));

it('loses none of several changes to a topic that are made at the same time', async () => {
  await beginTopic(folder, []);
  const [{ added }] = await Promise.all([
    includeVideos(folder, [join(home, 'a.mp4')]),
    keepOptions(folder, { length: '30%' }),
    includeVideos(folder, [join(home, 'b.mp4'), join(home, 'a.mp4')]),
    keepOptions(folder, { method: 'random' }),
  ]);
  const { project } = await describeTopic(folder);
  expect(project.videos.map(({ path }) => path).toSorted()).toEqual(['../a.mp4', '../b.mp4']);
  expect(project.options).toEqual({ length: '30%', method: 'random' });

  await Promise.all([withdrawVideos(folder, added), keepOptions(folder, { shared: 1 })]);
  const { project: left } = await describeTopic(folder);
  expect([left.videos.length, left.options['shared']]).toEqual([2 - added.length, 1]);
});

it('goes on after a change that failed', async () => {
  await beginTopic(folder, []);
  await expect(includeVideos(folder, [join(home, 'nothing.mp4')])).rejects.toThrow();
  await keepOptions(folder, { length: '30%' });
  expect((await describeTopic(folder)).project.options).toEqual({ length: '30%' });
});
