import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { random, StoreError } from '../../base/index.js';
import { readTvsum } from './tvsum.js';
import { scoredShots } from './tvsum.js';
import { frameScores, tvsumTables, writeTvsumMat, type WrittenVideo } from './tvsum.case.js';
import { refusalOf } from './refusal.case.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-tvsum-'));
});
afterEach(() => rm(folder, { recursive: true }));

const draw = random(7);
const madeVideo = (id: string, topic: string, fps: number, frameCount: number): WrittenVideo => {
  const pieceCount = Math.floor(frameCount / (2 * fps));
  const people = Array.from({ length: 20 }, () =>
    frameScores(
      Array.from({ length: pieceCount }, () => 1 + draw.below(5)),
      fps,
      frameCount,
    ),
  );
  return { id, topic, seconds: frameCount / fps, people };
};
const ntsc = 30000 / 1001;
const videos = [
  madeVideo('AwmHb44_ouw', 'VT', ntsc, 1019),
  madeVideo('-esJrBWj2d8', 'DS', 25, 263),
  madeVideo('Hl-__g2gn_A', 'MS', 24000 / 1001, 580),
];

const writeTables = async (written: readonly WrittenVideo[], damage = (text: string) => text): Promise<void> => {
  const { scores, facts } = tvsumTables(written);
  await writeFile(join(folder, 'ydata-tvsum50-anno.tsv'), damage(scores));
  await writeFile(join(folder, 'ydata-tvsum50-info.tsv'), facts);
};
const sentenceOf = (): Promise<string> => refusalOf(readTvsum(folder), 'github.com/yalesong/tvsum');

describe('readTvsum', () => {
  it('reads the same from the .mat file and from the tables', async () => {
    await writeTvsumMat(join(folder, 'ydata-tvsum50.mat'), videos);
    const { scores, facts } = tvsumTables(videos);
    const nested = join(folder, 'ydata-tvsum50-v1_1', 'data');
    await mkdir(nested, { recursive: true });
    await writeFile(join(nested, 'ydata-tvsum50-anno.tsv'), scores);
    await writeFile(join(nested, 'ydata-tvsum50-info.tsv'), facts.replaceAll('\n', '\r\n'));
    const dataset = await readTvsum(folder);
    expect(dataset.files).toEqual([{ path: 'ydata-tvsum50.mat', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);

    await rm(join(folder, 'ydata-tvsum50.mat'));
    const fromTables = await readTvsum(folder);
    expect(fromTables.files.map(({ path }) => path)).toEqual([
      'ydata-tvsum50-v1_1/data/ydata-tvsum50-anno.tsv',
      'ydata-tvsum50-v1_1/data/ydata-tvsum50-info.tsv',
    ]);
    expect(fromTables.videos).toEqual(dataset.videos);
    expect(fromTables.frameScores).toEqual(dataset.frameScores);
  });

  it('gives topics, people and the shots people scored', async () => {
    await writeTables(videos);
    const dataset = await readTvsum(folder);
    expect(dataset.name).toBe('tvsum');
    expect(dataset.videos.map(({ id, topic, frameCount }) => [id, topic, frameCount])).toEqual([
      ['AwmHb44_ouw', 'VT', 1019],
      ['-esJrBWj2d8', 'DS', 263],
      ['Hl-__g2gn_A', 'MS', 580],
    ]);
    expect(dataset.topics).toEqual([
      { code: 'VT', title: 'Changing Vehicle Tire' },
      { code: 'MS', title: 'Making Sandwich' },
      { code: 'DS', title: 'Dog Show' },
    ]);
    expect(dataset.notes).toEqual(['TVSum: expected 50 videos, found 3.']);
    for (const [index, video] of dataset.videos.entries()) {
      expect(video.judgements.map(({ judge }) => judge)).toEqual(Array.from({ length: 20 }, (_, n) => String(n + 1)));
      const { people } = dataset.frameScores.get(video.id)!;
      expect(people[3]!.scores).toEqual(Float32Array.from(videos[index]!.people[3]!));
      // Whole marks: no shot mixes two of the pieces people scored.
      for (const { marks } of video.judgements) expect([...marks!].every(Number.isInteger)).toBe(true);
    }
    // 1019 frames at 29.97 a second are 17 pieces of 59.94 frames; the last begins at ⌊16 · 59.94⌋ + 1.
    expect(dataset.videos[0]!.shots).toHaveLength(17);
    expect(dataset.videos[0]!.shots.at(-1)).toEqual({ startFrame: 960, endFrame: 1019 });
    expect(dataset.videos[0]!.judgements[0]!.reference.size).toBe(8);
  });

  it('says what is missing', async () => {
    expect(await sentenceOf()).toContain('found none of them');
    await writeFile(join(folder, 'ydata-tvsum50-anno.tsv'), tvsumTables(videos).scores);
    expect(await sentenceOf()).toContain('found only "ydata-tvsum50-anno.tsv"');
  });

  it.each([
    ['no numbers', (text: string) => text.replace('\t1,', '\tone,').replace('\t2,', '\tone,'), 'in line '],
    ['a score too many', (text: string) => text.replace(/\n/, ',3\n'), '1020 scores|as in its first line'],
    ['scores of shots', (text: string) => text.replace(/(,\d){900}/g, ''), 'a score for every frame'],
    ['scores off the scale', (text: string) => text.replace(/\t\d,/, '\t9,'), 'scores from 1 to 5'],
    ['a path for an id', (text: string) => text.replaceAll('AwmHb44_ouw', '../secret'), 'the id of a video'],
    [
      'an unknown video',
      (text: string) => text.replaceAll('AwmHb44_ouw', 'someone_else'),
      'a line for video "someone_else"',
    ],
    ['nothing', () => '\n', 'a line of scores'],
  ])('refuses a table with %s', async (_, damage, found) => {
    await writeTables(videos, damage);
    expect(await sentenceOf()).toMatch(new RegExp(found));
  });

  it('refuses a .mat file that is damaged or something else', async () => {
    const path = join(folder, 'ydata-tvsum50.mat');
    await writeFile(path, 'version https://git-lfs.github.com/spec/v1');
    expect(await sentenceOf()).toContain('an HDF5 file');
    await writeTvsumMat(path, videos);
    const whole = await readFile(path);
    await writeFile(path, whole.subarray(0, whole.length / 2));
    expect(await sentenceOf()).toContain(path);
  });

  it('reads or refuses a randomly damaged .mat file', async () => {
    const path = join(folder, 'ydata-tvsum50.mat');
    await writeTvsumMat(path, [videos[1]!]);
    const whole = await readFile(path);
    const spot = random(11);
    for (let run = 0; run < 2; run++) {
      const bytes = Buffer.from(whole);
      // Most of the file is scores; structure, where damage does harm, fills its first quarter.
      for (let change = 0; change < 6; change++) bytes[spot.below(bytes.length >> 2)] = spot.below(256);
      await writeFile(path, bytes);
      const result = await readTvsum(folder).catch((thrown: unknown) => thrown);
      if (result instanceof Error) expect(result).toBeInstanceOf(StoreError);
    }
  });
});

describe('scoredShots', () => {
  const refuse = (expected: string, found: string) =>
    new StoreError('refused', `Expected ${expected}, found ${found}.`);
  const shotsOf = (pieces: number[], fps: number, frameCount: number) =>
    scoredShots([Float32Array.from(frameScores(pieces, fps, frameCount))], frameCount / fps, refuse).map(
      ({ startFrame }) => startFrame,
    );

  it('finds the grid in the scores', () => {
    // At 25 a second, frame 50 is at the two seconds exactly and still of the first piece.
    expect(shotsOf([1, 2, 3], 25, 160)).toEqual([0, 51, 101]);
    expect(shotsOf([1, 2, 3, 4, 5, 4, 3, 2, 1], ntsc, 540)).toEqual([0, 60, 120, 180, 240, 300, 360, 420, 480]);
  });

  it('divides evenly where nobody changed their mind', () => {
    expect(shotsOf([1, 2, 2, 2, 5], 24, 240)).toEqual([0, 49, 97, 145, 193]);
    expect(shotsOf([2, 2, 3, 3, 3], 24, 250)).toEqual([0, 49, 97, 146, 194]);
    expect(shotsOf([3], 24, 100)).toEqual([0, 48]);
  });

  it('refuses scores that follow no grid', () => {
    const scores = Float32Array.from({ length: 500 }, (_, frame) => (frame < 75 ? 1 : 2));
    expect(() => scoredShots([scores], 20, refuse)).toThrow('a change at frame 75');
  });
});
