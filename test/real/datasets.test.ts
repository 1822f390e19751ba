import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { findVideos, judgeShots, uniformShots, type FrameLabelledDataset } from '../../src/eval/datasets/source.js';
import { readCosum, readSumme } from '../../src/eval/datasets/mat-labels.js';
import { readTvsum } from '../../src/eval/datasets/tvsum.js';
import { scoreboard } from '../../src/eval/index.js';
import type { Dataset } from '../../src/eval/types.js';
import { footage } from './folder.js';

const data = resolve(footage, '..');
const countOf = (values: readonly string[]): Record<string, number> =>
  values.reduce<Record<string, number>>((counts, value) => ({ ...counts, [value]: (counts[value] ?? 0) + 1 }), {});

describe('TVSum', () => {
  let tvsum: FrameLabelledDataset;
  beforeAll(async () => {
    tvsum = await readTvsum(join(data, 'tvsum'));
  });

  it('has 50 videos in 10 topics of 5, each scored by 20 people', () => {
    expect(tvsum.videos).toHaveLength(50);
    expect(Object.values(countOf(tvsum.videos.map(({ topic }) => topic)))).toEqual(Array<number>(10).fill(5));
    expect(tvsum.topics.map(({ code }) => code).join(' ')).toBe('VT VU GA MS PK PR FM BK BT DS');
    expect(tvsum.videos.every(({ judgements }) => judgements.length === 20)).toBe(true);
    expect(tvsum.notes).toEqual([]);
    expect(tvsum.files.map(({ path }) => path)).toEqual(['ydata-tvsum50.mat']);
  });

  it('has shots that are exactly what people scored: no shot mixes two scores of anyone', () => {
    for (const { id, shots, judgements } of tvsum.videos) {
      for (const { marks } of judgements) expect([...marks!].every(Number.isInteger), id).toBe(true);
      const lengths = shots.slice(0, -1).map(({ startFrame, endFrame }) => endFrame - startFrame);
      // The first shot of videos with a whole frame rate has a frame more, and time stamps are not all even.
      expect(Math.max(...lengths) - Math.min(...lengths), id).toBeLessThanOrEqual(2);
    }
    // Half the seconds of every video, rounded down, add up to 6267; kLxoNp-UchI lasts 130.008 s, but its frames 129.996.
    expect(tvsum.videos.reduce((sum, { shots }) => sum + shots.length, 0)).toBe(6266);
  });

  it('has a grid of time, which shots of 2·round(fps) frames drift away from', () => {
    const { shots, frameCount } = tvsum.videos.find(({ id }) => id === 'cjibtmSLxQ4')!;
    expect(shots[322]).toEqual({ startFrame: Math.floor(322 * 2 * (30000 / 1001)) + 1, endFrame: frameCount });
    const drifting = uniformShots(frameCount, 60);
    expect(drifting[322]!.startFrame - shots[322]!.startFrame).toBe(19);
    const judged = judgeShots(tvsum.frameScores.get('cjibtmSLxQ4')!, drifting).judgements;
    expect(judged.some(({ marks }) => [...marks!].some((mark) => !Number.isInteger(mark)))).toBe(true);
  });

  it('scores one person and orders that see no picture, on both grids', async () => {
    const figures = async (grid: 'scored' | 'frames'): Promise<Record<string, string>> => {
      const { videos } = await readTvsum(join(data, 'tvsum'), grid);
      const chosen = videos.filter(({ topic }) => ['VT', 'GA', 'PK', 'FM', 'BT'].includes(topic));
      const { rows } = scoreboard(chosen, {}, { draws: 20, resamples: 1 });
      const names = ['spearman', 'p5', 'p15', 'lift', 'ap5'] as const;
      return Object.fromEntries(
        rows.map(({ name, scores }) => [name, names.map((metric) => scores[metric].overall!.toFixed(3)).join(' ')]),
      );
    };
    // ρ, P@5, P@15 %, lift, AP@5. On the grid of frames, marks are means over two pieces, which breaks ties.
    expect(await figures('frames')).toMatchObject({
      humanMean: '0.239 0.669 0.650 0.751 0.583',
      middle: '0.179 0.577 0.585 0.379 0.496',
      first: '-0.015 0.390 0.418 -0.315 0.299',
    });
    expect(await figures('scored')).toMatchObject({
      humanMean: '0.220 0.662 0.644 0.744 0.571',
      middle: '0.156 0.575 0.580 0.379 0.486',
      first: '-0.004 0.384 0.414 -0.312 0.287',
    });
  });

  it('reads the same from tables as from the .mat file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'throughline-tvsum-'));
    try {
      await mkdir(join(folder, 'data'));
      const lines = tvsum.videos.flatMap(({ id, topic }) =>
        tvsum.frameScores.get(id)!.people.map(({ scores }) => `${id}\t${topic}\t${scores.join(',')}`),
      );
      await writeFile(join(folder, 'data', 'ydata-tvsum50-anno.tsv'), lines.join('\n'));
      const facts = 'ydata-tvsum50-info.tsv';
      await copyFile(join(data, 'tvsum', facts), join(folder, 'data', facts));
      // Lengths in this table are whole seconds, in the .mat file they are not: the grid is found all the same.
      expect((await readTvsum(folder)).videos).toEqual(tvsum.videos);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('finds the videos that are there', async () => {
    const { found, missing } = await findVideos(
      join(data, 'tvsum'),
      tvsum.videos.map(({ id }) => id),
    );
    const topicOf = new Map(tvsum.videos.map(({ id, topic }) => [id, topic]));
    expect(countOf([...found.keys()].map((id) => topicOf.get(id)!))).toEqual({ VT: 5, GA: 5, PK: 5, FM: 5, BT: 5 });
    expect(missing).toHaveLength(25);
  });
});

describe('CoSum', () => {
  let cosum: Dataset;
  beforeAll(async () => {
    cosum = await readCosum(join(data, 'cosum'));
  });

  it('has 51 videos in 10 topics, each with the choice of 3 judges', () => {
    expect(Object.values(countOf(cosum.videos.map(({ topic }) => topic)))).toEqual([5, 5, 7, 3, 6, 6, 3, 5, 5, 6]);
    for (const { judgements } of cosum.videos) {
      expect(judgements.map(({ judge }) => judge)).toEqual(['dualplus', 'kk', 'vv']);
      for (const { reference } of judgements) expect(reference.size).toBeGreaterThan(0);
    }
    expect(cosum.videos.reduce((sum, { shots }) => sum + shots.length, 0)).toBe(2750);
    expect(cosum.files).toHaveLength(51 + 3 * 51);
  });

  it('notes the shots one past the end, in three videos', () => {
    expect(
      cosum.notes.map((note) => /judge "(\w+)" chose shot (\d+) of video "([^"]+)"/.exec(note)!.slice(1, 4)),
    ).toEqual([
      ['kk', '39', 'kids_playing_in_leaves/1'],
      ['dualplus', '12', 'kids_playing_in_leaves/4'],
      ['kk', '12', 'kids_playing_in_leaves/4'],
      ['vv', '12', 'kids_playing_in_leaves/4'],
      ['dualplus', '136', 'surfing/3'],
    ]);
  });

  it('has frame numbers from 1: the one video that SumMe has too is as long there', async () => {
    const summe = await readSumme(join(data, 'summe'));
    const there = summe.videos.find(({ id }) => id === 'Excavators river crossing')!;
    expect(cosum.videos.find(({ id }) => id === 'excavators_river_xing/2')!.frameCount).toBe(there.frameCount);
  });
});

describe('SumMe', () => {
  it('has 25 videos, each summarised by 15 to 18 people', async () => {
    const summe = await readSumme(join(data, 'summe'));
    expect(summe.videos).toHaveLength(25);
    expect(summe.topics).toHaveLength(25);
    const people = summe.videos.map(({ judgements }) => judgements.length);
    expect([Math.min(...people), Math.max(...people), people.reduce((sum, count) => sum + count, 0)]).toEqual([
      15, 18, 390,
    ]);
    for (const { id, judgements } of summe.videos) {
      for (const { reference } of judgements) expect(reference.size, id).toBeGreaterThan(1);
    }
    // People were asked for summaries of 5 to 15 %.
    for (const { people: all } of summe.frameScores.values()) {
      for (const { scores } of all) {
        const share = scores.reduce((sum, score) => sum + score, 0) / scores.length;
        expect(share).toBeGreaterThan(0.04);
        expect(share).toBeLessThan(0.16);
      }
    }
    expect(summe.notes).toHaveLength(12);
  });
});
