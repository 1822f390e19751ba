import { describe, expect, it } from 'vitest';

import { findMoments } from './index.js';

/** Symmetric similarities by hand: pairs not listed are 0, each shot is 10 to itself. */
function likeness(sources: readonly number[], pairs: Readonly<Record<string, number>>) {
  const similarity = (a: number, b: number): number => (a === b ? 10 : (pairs[`${a} ${b}`] ?? pairs[`${b} ${a}`] ?? 0));
  return { sources, similarity, from: 5 };
}

describe('moments', () => {
  it('by hand: the shot that most videos show comes first, with what shows the same', () => {
    // Videos 0, 1, 2 with two shots each. Shots 0, 2, 4 show one thing; 1 and 3 another; 5 is alone.
    const moments = findMoments(likeness([0, 0, 1, 1, 2, 2], { '0 2': 6, '0 4': 8, '2 4': 7, '1 3': 5 }));
    expect(moments).toEqual([
      {
        videos: 3,
        members: [
          { place: 4, similarity: 10 },
          { place: 0, similarity: 8 },
          { place: 2, similarity: 7 },
        ],
      },
      {
        videos: 2,
        members: [
          { place: 1, similarity: 10 },
          { place: 3, similarity: 5 },
        ],
      },
    ]);
  });

  it('a chain is not one moment: its ends do not show the same', () => {
    const moments = findMoments(likeness([0, 1, 2, 3], { '0 1': 6, '1 2': 6.5, '2 3': 6 }));
    expect(moments.map(({ members }) => members.map(({ place }) => place))).toEqual([[1, 2, 0]]);
  });

  it('one video alone has none, however often it shows a thing', () => {
    expect(findMoments(likeness([7, 7, 7], { '0 1': 9, '1 2': 9, '0 2': 9 }))).toEqual([]);
    expect(findMoments(likeness([], {}))).toEqual([]);
  });

  it('shots of the same video belong to it, and count as one video', () => {
    const [moment] = findMoments(likeness([0, 0, 3], { '0 1': 9, '0 2': 6, '1 2': 2 }));
    expect(moment).toMatchObject({ videos: 2 });
    expect(moment!.members.map(({ place }) => place)).toEqual([0, 1, 2]);
  });
});
