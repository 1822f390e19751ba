import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { judgeShots, uniformShots, type FrameScores } from './source.js';

const scoresOf = (reference: FrameScores['reference'], ...people: number[][]): FrameScores => ({
  video: 'v',
  frameCount: people[0]!.length,
  reference,
  people: people.map((scores, index) => ({ judge: String(index + 1), scores: Float32Array.from(scores) })),
});
const cut = (...bounds: number[]) => bounds.slice(1).map((endFrame, shot) => ({ startFrame: bounds[shot]!, endFrame }));

describe('judgeShots', () => {
  it('averages frames over shots and takes the top half, ties to the earlier shot', () => {
    const { judgements, notes } = judgeShots(
      scoresOf('top-half', [1, 3, 5, 5, 2, 2, 2, 5, 4], [1, 1, 1, 1, 1, 1, 1, 1, 1]),
      cut(0, 2, 3, 5, 7, 9),
    );
    expect(notes).toEqual([]);
    expect(judgements).toEqual([
      // Marks 2, 5, 3.5, 2, 4.5: the best two of five shots are 1 and 4.
      { judge: '1', marks: Float64Array.of(2, 5, 3.5, 2, 4.5), order: [1, 4, 2, 0, 3], reference: new Set([1, 4]) },
      { judge: '2', marks: Float64Array.of(1, 1, 1, 1, 1), order: [0, 1, 2, 3, 4], reference: new Set([0, 1]) },
    ]);
  });

  it('has a reference even for a single shot', () => {
    expect(judgeShots(scoresOf('top-half', [1, 2]), cut(0, 2)).judgements[0]!.reference).toEqual(new Set([0]));
    expect(judgeShots(scoresOf('top-half', [1, 2, 3]), cut(0, 1, 2, 3)).judgements[0]!.reference).toEqual(new Set([2]));
  });

  it('takes shots that are at least half chosen, else the one chosen most', () => {
    const judged = (scores: number[], ...bounds: number[]) =>
      judgeShots(scoresOf('mostly-chosen', scores), cut(...bounds)).judgements[0]!.reference;
    expect(judged([1, 0, 1, 1, 0, 0, 1, 0, 0], 0, 2, 4, 6, 9)).toEqual(new Set([0, 1]));
    expect(judged([0, 0, 0, 0, 1, 0], 0, 3, 6)).toEqual(new Set([1]));
    expect(judged([0, 0, 0, 0], 0, 2, 4)).toEqual(new Set());
  });

  it('holds the last score where the file has a few frames more, and says so', () => {
    const scores = scoresOf('top-half', [...Array<number>(98).fill(1), 5, 5]);
    const { judgements, notes } = judgeShots(scores, cut(0, 98, 102));
    expect(judgements[0]!.marks).toEqual(Float64Array.of(1, 5));
    expect(notes).toEqual([
      'The labels of video "v" are of 100 frames, the file has 102: each frame takes the score of the nearest labelled one.',
    ]);
    // Shots may end before the file does: then the file's own count decides.
    expect(judgeShots(scores, cut(0, 40), 100).notes).toEqual([]);
  });

  it('refuses a file of another length', () => {
    const scores = scoresOf('top-half', Array<number>(100).fill(1));
    expect(() => judgeShots(scores, cut(0, 50, 103))).toThrow(/video "v" are of 100 frames, the file has 103/);
    expect(() => judgeShots(scores, cut(0, 97))).toThrow('at most 2 %');
    expect(() => judgeShots(scores, cut(0, 50, 50, 100))).toThrow('frames 50 to 50');
  });

  it('orders all shots, with the reference in front', () => {
    const people = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 30, maxLength: 30 });
    fc.assert(
      fc.property(people, fc.integer({ min: 1, max: 15 }), (scores, length) => {
        const shots = uniformShots(30, length);
        const { marks, order, reference } = judgeShots(scoresOf('top-half', scores), shots).judgements[0]!;
        expect([...order].sort((a, b) => a - b)).toEqual(shots.map((_, shot) => shot));
        expect(new Set(order.slice(0, reference.size))).toEqual(reference);
        const total = shots.reduce((sum, { startFrame, endFrame }, s) => sum + marks![s]! * (endFrame - startFrame), 0);
        expect(total).toBeCloseTo(
          scores.reduce((sum, score) => sum + score, 0),
          9,
        );
      }),
      { seed: 5 },
    );
  });
});

describe('uniformShots', () => {
  it('does not drift, and gives the rest to the last shot', () => {
    expect(uniformShots(7, 2)).toEqual(cut(0, 2, 4, 7));
    expect(uniformShots(1, 60)).toEqual(cut(0, 1));
    const shots = uniformShots(5994, 59.94);
    expect(shots).toHaveLength(100);
    expect(shots.at(-1)).toEqual({ startFrame: Math.round(99 * 59.94), endFrame: 5994 });
  });
});
