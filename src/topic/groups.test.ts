import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf } from '../base/index.js';
import { divideBy } from './groups.js';
import { compareVideos, groupVideos } from './index.js';
import { plantedTopic } from './planted.case.js';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
/** As many numbers as vectors of pictures have, so that topics drawn apart are not alike by chance. */
const LONG = 512;

/** Points on a line: the nearer, the more alike. */
const onLine = (...points: number[]): Matrix => matrixOf(points.map((a) => points.map((b) => -Math.abs(a - b))));

describe('complete linkage', () => {
  it('joins as can be followed by hand', () => {
    // 0 and 1 lie 1 apart, 10 and 12 lie 2 apart; the farthest of {0, 1} and {10, 12} 12, of these and 30 20 and 30.
    const ways = divideBy('complete', onLine(0, 10, 1, 30, 12));
    expect(ways.map(({ labels }) => labels.join(' ')).slice(1)).toEqual(['0 0 0 0 0', '0 0 0 3 0', '0 1 0 3 1', '0 1 0 3 4', '0 1 2 3 4']); // prettier-ignore
    expect(ways.map(({ joined }) => joined).slice(1)).toEqual([-30, -12, -2, -1, Infinity]);
  });

  it('ends where all points are one', () => {
    const ways = divideBy('complete', onLine(1, 1, 1, 1));
    expect(new Set(ways[2]!.labels).size).toBe(2);
    expect(new Set(ways[1]!.labels).size).toBe(1);
  });
});

describe('average linkage', () => {
  it('joins as can be followed by hand', () => {
    // {0, 1} and {10, 12} lie 10.5 apart on average; 30 lies 24.25 from these four.
    const ways = divideBy('average', onLine(0, 10, 1, 30, 12));
    expect(ways.map(({ joined }) => joined).slice(1)).toEqual([-24.25, -10.5, -2, -1, Infinity]);
  });
});

/** Groups videos by their shots, without a background. */
async function group(videos: readonly Matrix[], count?: number) {
  const table = await compareVideos(videos.length, async (v) => videos[v]!, null, videos.length);
  const likeness = matrixOf(videos.map((_, v) => videos.map((__, w) => table === null ? 0 : (table.rows[v]![w]! + table.rows[w]![v]!) / 2))); // prettier-ignore
  return groupVideos({ likeness }, count);
}

/** Videos of several topics, shuffled by taking turns, and the topic of each. */
function mixed(seed: number, sizes: readonly number[]): { videos: Matrix[]; topics: number[] } {
  const all = sizes.flatMap((size, topic) =>
    plantedTopic(seed * 50 + topic, size, 12, LONG).map((video, turn) => ({ video, topic, turn })),
  );
  all.sort((a, b) => a.turn - b.turn || a.topic - b.topic);
  return { videos: all.map(({ video }) => video), topics: all.map(({ topic }) => topic) };
}

describe('a folder', () => {
  it('of several topics falls into them, their number not being told', async () => {
    for (const seed of SEEDS) {
      for (const sizes of [
        [3, 4],
        [6, 4],
        [5, 7, 4],
        [4, 4, 4, 5],
      ]) {
        // prettier-ignore
        const { videos, topics } = mixed(seed, sizes);
        const { groups, alone, concordance } = await group(videos);
        expect(alone, `seed ${seed}, ${sizes}`).toEqual([]);
        expect(groups.map((group) => new Set(group.map((v) => topics[v])).size)).toEqual(sizes.map(() => 1));
        expect(groups.map((group) => group.length)).toEqual(sizes.toSorted((a, b) => b - a));
        expect(concordance).toBeGreaterThan(0.9);
      }
    }
  });

  it('of one topic stays one', async () => {
    for (const seed of SEEDS) {
      for (const size of [1, 2, 5, 9, 14]) {
        const { groups, alone, concordance } = await group(plantedTopic(seed, size, 12, LONG));
        expect(groups, `seed ${seed}, ${size}`).toEqual([Array.from({ length: size }, (_, v) => v)]);
        expect(alone).toEqual([]);
        expect(concordance).toBeNull();
      }
    }
  });

  it('keeps apart what belongs to none', async () => {
    const alone: (readonly number[])[] = [];
    for (const seed of SEEDS)
      alone.push((await group([...mixed(seed, [6, 6]).videos, ...plantedTopic(seed + 700, 1, 12, LONG)])).alone);
    expect(alone.filter((places) => places.includes(12)).length).toBe(8);
    expect(alone.flat().every((place) => place === 12)).toBe(true);
  });

  it('leaves out of a group what is like it in the folder and unrelated otherwise', () => {
    // Two groups of four; the last video is unlike the first group, and so like the second.
    const pairs = (within: number, last: number): Matrix => matrixOf(Array.from({ length: 9 }, (_, v) => Array.from({ length: 9 }, (__, w) => v === w ? 1 : v === 8 || w === 8 ? (Math.min(v, w) < 4 ? -0.3 : last) : v < 4 === w < 4 ? within : -0.3))); // prettier-ignore
    expect(groupVideos({ likeness: pairs(0.4, 0.3) }).groups).toEqual([[4, 5, 6, 7, 8], [0, 1, 2, 3]]); // prettier-ignore
    const { groups, alone } = groupVideos({ likeness: pairs(0.4, 0.3), related: pairs(0.4, 0.1) });
    expect({ groups, alone }).toEqual({ groups: [[0, 1, 2, 3], [4, 5, 6, 7]], alone: [8] }); // prettier-ignore
  });

  it('is divided into as many as asked for', async () => {
    const { videos } = mixed(1, [4, 4]);
    for (const count of [1, 2, 3, 8]) {
      const { groups, alone } = await group(videos, count);
      expect(groups).toHaveLength(count);
      expect(alone).toEqual([]);
    }
    expect((await group(videos, 20)).groups).toHaveLength(8);
  });

  it('falls apart the same way whatever the order of its videos', async () => {
    const { videos } = mixed(3, [5, 4, 6]);
    const names = (found: ReturnType<typeof groupVideos>, at: (v: number) => number): string =>
      found.groups.map((group) => group.map(at).toSorted((a, b) => a - b).join(' ')).toSorted().join(' | '); // prettier-ignore
    const last = videos.length - 1;
    expect(names(await group(videos.toReversed()), (v) => last - v)).toBe(names(await group(videos), (v) => v));
  });
});
