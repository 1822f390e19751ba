import { describe, expect, it } from 'vitest';
import { type Matrix, matrixOf } from '../base/index.js';
import { groupVideos } from './index.js';
import { plantedTopic } from './planted.case.js';
import { wardDivisions } from './ward.js';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

describe('Ward', () => {
  it('joins as can be followed by hand', () => {
    // 0 and 1 lie 1 apart, 10 and 12 lie 2 apart; 30 is far.
    const ways = wardDivisions(matrixOf([[0], [10], [1], [30], [12]]), 5);
    expect(ways[5]).toEqual([0, 1, 2, 3, 4]);
    expect(ways[4]).toEqual([0, 1, 0, 3, 4]);
    expect(ways[3]).toEqual([0, 1, 0, 3, 1]);
    expect(ways[2]).toEqual([0, 0, 0, 3, 0]);
    expect(ways[1]).toEqual([0, 0, 0, 0, 0]);
  });

  it('ends where all points are one', () => {
    const ways = wardDivisions(matrixOf([[1], [1], [1], [1]]), 4);
    expect(new Set(ways[2]).size).toBe(2);
    expect(new Set(ways[1]).size).toBe(1);
  });
});

/** Videos of several topics, shuffled by taking turns, and the topic of each. */
function mixed(seed: number, sizes: readonly number[]): { videos: Matrix[]; topics: number[] } {
  const all = sizes.flatMap((size, topic) =>
    plantedTopic(seed * 50 + topic, size).map((video, turn) => ({ video, topic, turn })),
  );
  all.sort((a, b) => a.turn - b.turn || a.topic - b.topic);
  return { videos: all.map(({ video }) => video), topics: all.map(({ topic }) => topic) };
}

describe('a folder', () => {
  it('of several topics falls into them, their number not being told', () => {
    for (const seed of SEEDS) {
      for (const sizes of [
        [3, 4],
        [6, 4],
        [5, 7, 4],
        [4, 4, 4, 5],
      ]) {
        // prettier-ignore
        const { videos, topics } = mixed(seed, sizes);
        const { groups, alone, concordance } = groupVideos(videos);
        expect(alone, `seed ${seed}, ${sizes}`).toEqual([]);
        expect(groups.map((group) => new Set(group.map((v) => topics[v])).size)).toEqual(sizes.map(() => 1));
        expect(groups.map((group) => group.length)).toEqual(sizes.toSorted((a, b) => b - a));
        expect(concordance).toBeGreaterThan(0.9);
      }
    }
  });

  it('of one topic stays one', () => {
    for (const seed of SEEDS) {
      for (const size of [1, 2, 5, 9, 14]) {
        const { groups, alone, concordance } = groupVideos(plantedTopic(seed, size));
        expect(groups, `seed ${seed}, ${size}`).toEqual([Array.from({ length: size }, (_, v) => v)]);
        expect(alone).toEqual([]);
        expect(concordance).toBeNull();
      }
    }
  });

  it('keeps apart what belongs to none', () => {
    // What belongs to none may still be like one of two by chance, as three in eight are here.
    const alone = SEEDS.map(
      (seed) => groupVideos([...mixed(seed, [6, 6]).videos, ...plantedTopic(seed + 700, 1)]).alone,
    );
    expect(alone.filter((places) => places.includes(12)).length).toBe(5);
    expect(alone.flat().every((place) => place === 12)).toBe(true);
  });

  it('is divided into as many as asked for', () => {
    const { videos } = mixed(1, [4, 4]);
    for (const count of [1, 2, 3, 8]) {
      const { groups, alone } = groupVideos(videos, count);
      expect(groups).toHaveLength(count);
      expect(alone).toEqual([]);
    }
    expect(groupVideos(videos, 20).groups).toHaveLength(8);
  });

  it('falls apart the same way whatever the order of its videos', () => {
    const { videos } = mixed(3, [5, 4, 6]);
    const names = (found: ReturnType<typeof groupVideos>, at: (v: number) => number): string =>
      found.groups.map((group) => group.map(at).toSorted((a, b) => a - b).join(' ')).toSorted().join(' | '); // prettier-ignore
    const last = videos.length - 1;
    expect(names(groupVideos(videos.toReversed()), (v) => last - v)).toBe(names(groupVideos(videos), (v) => v));
  });
});
