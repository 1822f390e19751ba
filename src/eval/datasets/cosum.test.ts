import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { readCosum } from './mat-labels.js';
import { encodeMat5 } from './mat5.case.js';
import { refusalOf } from './refusal.case.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-cosum-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = async (path: string, content: string | Buffer): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
};
const shotFile = (name: string, ...bounds: number[]) => write(`shots/${name}_shots.txt`, `${bounds.join('\n')}\n`);
const choice = (name: string, shots: number[], labels = shots.map(() => 1)) =>
  write(
    `annotation/${name}.mat`,
    encodeMat5(
      { labels: { dims: [shots.length, 2], values: [...shots, ...labels], as: 'uint8' } },
      { compressed: true },
    ),
  );
const sentenceOf = (): Promise<string> => refusalOf(readCosum(folder), 'github.com/l2ior/cosum');

describe('readCosum', () => {
  it('reads shots and what judges chose', async () => {
    await shotFile('10_surfing/surf2', 9, 20, 60, 100);
    await shotFile('10_surfing/surf10', 1, 30, 41);
    await shotFile('01_base_jump/base1', 1, 51, 62, 151, 201);
    for (const judge of ['dualplus', 'kk', 'vv']) {
      await choice(`10_surfing/2__${judge}`, [3]);
      await choice(`10_surfing/10__${judge}`, [1]);
    }
    await choice('01_base_jump/1__dualplus', [2, 4]);
    await choice('01_base_jump/1__kk', [4]);
    await choice('01_base_jump/1__vv', [1, 3], [1, 2]);
    const dataset = await readCosum(folder);
    expect(dataset.name).toBe('cosum');
    expect(dataset.topics).toEqual([
      { code: 'base_jump', title: 'Base Jumping' },
      { code: 'surfing', title: 'Surfing' },
    ]);
    expect(dataset.videos.map(({ id }) => id)).toEqual(['base_jump/1', 'surfing/2', 'surfing/10']);
    // Frame numbers count from 1 and the last is one past the end: frames 0 to 49 are the first shot, 200 the length.
    expect(dataset.videos[0]).toEqual({
      id: 'base_jump/1',
      topic: 'base_jump',
      frameCount: 200,
      shots: [
        { startFrame: 0, endFrame: 50 },
        { startFrame: 50, endFrame: 61 },
        { startFrame: 61, endFrame: 150 },
        { startFrame: 150, endFrame: 200 },
      ],
      judgements: [
        { judge: 'dualplus', marks: null, order: [1, 3, 0, 2], reference: new Set([1, 3]) },
        { judge: 'kk', marks: null, order: [3, 0, 1, 2], reference: new Set([3]) },
        { judge: 'vv', marks: null, order: [2, 0, 1, 3], reference: new Set([0, 2]) },
      ],
    });
    expect(dataset.videos[1]!.shots[0]).toEqual({ startFrame: 8, endFrame: 19 });
    expect(dataset.notes).toEqual(['CoSum: expected 51 videos, found 3.']);
    expect(dataset.files).toHaveLength(12);
    expect(dataset.files[0]!.path).toBe('annotation/01_base_jump/1__dualplus.mat');
  });

  it('takes the last shot for one past the end, and says so', async () => {
    await shotFile('05_kids_playing_in_leaves/kids4', 7, 70, 220, 300);
    await choice('05_kids_playing_in_leaves/4__kk', [2, 4]);
    await choice('05_kids_playing_in_leaves/4__vv', [3, 4]);
    const { videos, notes } = await readCosum(folder);
    expect(videos[0]!.judgements.map(({ reference }) => [...reference])).toEqual([[1, 2], [2]]);
    expect(notes.slice(0, 3)).toEqual([
      'CoSum: judge "kk" chose shot 4 of video "kids_playing_in_leaves/4", which has 3; the last shot was taken for it.',
      'CoSum: judge "vv" chose shot 4 of video "kids_playing_in_leaves/4", which has 3; the last shot was taken for it.',
      'CoSum: expected 3 judges for video "kids_playing_in_leaves/4", found 2.',
    ]);
  });

  it('says what is missing', async () => {
    expect(await sentenceOf()).toContain('shots/01_base_jump');
    await mkdir(join(folder, 'shots/01_base_jump'), { recursive: true });
    expect(await sentenceOf()).toContain('shots/01_base_jump/base1_shots.txt');
    await shotFile('01_base_jump/base1', 1, 51);
    expect(await sentenceOf()).toContain('annotation/01_base_jump/1__*.mat');
  });

  it.each([
    ['no numbers', 'one\ntwo\n', 'rising frame numbers'],
    ['falling numbers', '1\n60\n50\n', '"1 60 50 …"'],
    ['a single number', '1\n', 'rising frame numbers'],
    ['endless numbers', '1\n1e999\n', 'rising frame numbers'],
  ])('refuses a shot list with %s', async (_, text, found) => {
    await write('shots/01_base_jump/base1_shots.txt', text);
    expect(await sentenceOf()).toContain(found);
  });

  it('refuses files that are far too large', async () => {
    await shotFile('01_base_jump/base1', 1, 51);
    await truncate(join(folder, 'shots/01_base_jump/base1_shots.txt'), 1 << 30);
    expect(await sentenceOf()).toContain('at most 1048576 bytes');
  });

  it('refuses impossible choices', async () => {
    await shotFile('01_base_jump/base1', 1, 51, 90);
    await choice('01_base_jump/1__kk', [1, 4]);
    expect(await sentenceOf()).toContain('shot numbers from 1 to 2');
    await choice('01_base_jump/1__kk', [0]);
    expect(await sentenceOf()).toContain('found 0');
    await write('annotation/01_base_jump/1__kk.mat', encodeMat5({ labels: { dims: [1, 3], values: [1, 1, 1] } }));
    expect(await sentenceOf()).toContain('numbers of 1 × 3');
    await write('annotation/01_base_jump/1__kk.mat', encodeMat5({ other: { text: 'labels' } }));
    expect(await sentenceOf()).toContain('a matrix "labels" of two columns');
    await write('annotation/01_base_jump/1__kk.mat', 'Not Found');
    expect(await sentenceOf()).toContain('a MAT file of level 5');
  });
});
