import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { judgeShots } from './source.js';
import { readSumme } from './mat-labels.js';
import { encodeMat5, type MatValue } from './mat5.case.js';
import { refusalOf } from './refusal.case.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-summe-'));
  await mkdir(join(folder, 'GT'));
});
afterEach(() => rm(folder, { recursive: true }));

const number = (value: number): MatValue => ({ dims: [1, 1], values: [value] });
/** Two people; the first chose frames 2 to 5 and then 0, the second frame 9. Ten frames, 1.5 a second. */
const variables: Record<string, MatValue> = {
  all_userIDs: { cells: [{ text: 'ME' }] },
  nFrames: number(10),
  FPS: number(1.5),
  user_score: { dims: [10, 2], values: [2, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3], as: 'uint8' },
};
const write = (name: string, changes: Record<string, MatValue> = {}): Promise<void> =>
  writeFile(join(folder, 'GT', `${name}.mat`), encodeMat5({ ...variables, ...changes }));
const sentenceOf = (): Promise<string> => refusalOf(readSumme(folder), 'gyglim.github.io/me/vsum');

describe('readSumme', () => {
  it('reads summaries as shots of two seconds, each video a topic of its own', async () => {
    await write('Bike_Polo');
    await write('Air Force One', { all_userIDs: { cells: [{ text: 'ME' }, { text: 'UNI' }] } });
    const dataset = await readSumme(folder);
    expect(dataset.topics).toEqual([
      { code: 'Air Force One', title: 'Air Force One' },
      { code: 'Bike_Polo', title: 'Bike Polo' },
    ]);
    expect(dataset.videos[1]).toEqual({
      id: 'Bike_Polo',
      topic: 'Bike_Polo',
      frameCount: 10,
      // Three frames a shot, the tenth belongs to the last.
      shots: [
        { startFrame: 0, endFrame: 3 },
        { startFrame: 3, endFrame: 6 },
        { startFrame: 6, endFrame: 10 },
      ],
      judgements: [
        { judge: '1', marks: Float64Array.of(2 / 3, 1, 0), order: [1, 0, 2], reference: new Set([1, 0]) },
        { judge: '2', marks: Float64Array.of(0, 0, 1 / 4), order: [2, 0, 1], reference: new Set([2]) },
      ],
    });
    expect(dataset.notes).toEqual([
      'SumMe: 2 people summarised "Bike_Polo", 1 are named; all are known by number.',
      'SumMe: expected 25 videos, found 2.',
    ]);
    expect(dataset.files.map(({ path }) => path)).toEqual(['GT/Air Force One.mat', 'GT/Bike_Polo.mat']);
    const own = judgeShots(dataset.frameScores.get('Bike_Polo')!, [
      { startFrame: 0, endFrame: 5 },
      { startFrame: 5, endFrame: 10 },
    ]);
    expect(own.judgements.map(({ reference }) => [...reference])).toEqual([[0], [1]]);
  });

  it('says what is missing or damaged', async () => {
    expect(await sentenceOf()).toContain('GT/Air_Force_One.mat');
    await write('a', { nFrames: number(11) });
    expect(await sentenceOf()).toContain('a row for each of 11 frames');
    await write('a', { FPS: number(0) });
    expect(await sentenceOf()).toContain('a number "FPS"');
    await write('a', { user_score: { text: 'none' } });
    expect(await sentenceOf()).toContain('found text of 1 × 4');
    await writeFile(join(folder, 'GT', 'a.mat'), encodeMat5(variables).subarray(0, 300));
    expect(await sentenceOf()).toContain('a.mat');
  });
});
