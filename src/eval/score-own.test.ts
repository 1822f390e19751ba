import { describe, expect, it } from 'vitest';
import { scoreOwnRanking, scoreOwnSummary } from './index.js';

describe('scoreOwnRanking', () => {
  it('by hand: {0, 1} found at 1 and 2, {1, 2} at 1 and 4, an empty reference left out', () => {
    const scores = scoreOwnRanking([1, 0, 4, 2, 3], [[0, 1], [1, 2], []], { shotCount: 5 });
    expect(scores.ap5).toEqual({ value: 0.875, perJudge: [1, 0.75, null] });
    expect(scores.ap15).toEqual(scores.ap5);
  });

  it('takes a ranking that stops early', () => {
    const { ap5, ap5Retrieved } = scoreOwnRanking([1], [new Set([0, 1])]);
    expect([ap5.value, ap5Retrieved.value]).toEqual([0.5, 1]);
  });

  it('has no value without references', () => {
    expect(scoreOwnRanking([0, 1], []).ap5).toEqual({ value: null, perJudge: [] });
  });

  it('refuses impossible shots', () => {
    expect(() => scoreOwnRanking([0, 0], [[0]])).toThrow('The ranking: expected each shot once, found 0 again');
    expect(() => scoreOwnRanking([0], [[0], [-1]])).toThrow('Reference 2: expected whole numbers for shots, found -1.');
    expect(() => scoreOwnRanking([5], [[0]], { shotCount: 5 })).toThrow('below 5 for shots, found 5');
  });
});

describe('scoreOwnSummary', () => {
  it('counts frames where lengths are known, shots where not', () => {
    const references = [[2, 3], [0, 2, 4], []];
    const frames = scoreOwnSummary([0, 2, 4], references, { lengths: [10, 20, 30, 40, 50] });
    expect(frames.f1Mean).toEqual({ value: (0.375 + 1) / 2, perJudge: [0.375, 1, null] });
    expect(frames.f1Max.value).toBe(1);
    expect(frames.precision.perJudge[0]).toBeCloseTo(1 / 3, 15);
    expect(frames.recall.perJudge[0]).toBeCloseTo(3 / 7, 15);
    expect(scoreOwnSummary([0, 2, 4], references).f1Mean.perJudge).toEqual([0.4, 1, null]);
  });

  it('scores an empty summary 0', () => {
    expect(scoreOwnSummary([], [[1]]).f1Mean.value).toBe(0);
  });

  it('refuses a shot without a length', () => {
    expect(() => scoreOwnSummary([3], [[0]], { lengths: [1, 1, 1] })).toThrow('The summary');
  });
});
