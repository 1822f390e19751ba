import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { METRIC_NAMES, scoreVideo } from './index.js';
import { anyVideo, judged, labelled } from './labelled.case.js';

// Five shots of ten frames; the third judge gave every shot the same, the second has two pairs of ties.
const video = labelled('a', 'x', [
  judged('first', [5, 4, 3, 2, 1], 2),
  judged('second', [1, 5, 5, 2, 2], 2),
  judged('third', [3, 3, 3, 3, 3], 2),
]);
const contender = { order: [1, 0, 4, 2, 3], scores: [4, 5, 2, 1, 3] };

describe('one video by hand', () => {
  const scores = scoreVideo(video, contender, { summaryShare: 0.4 });

  it('AP: references {0, 1}, {1, 2}, and two of five that are all tied', () => {
    // Any two of five: place i is in with chance 2/5, and one before it too with 2/5 · 1/4 each.
    const tied = [1, 2, 3, 4, 5].reduce((sum, i) => sum + (0.4 + 0.1 * (i - 1)) / i, 0) / 2;
    [1, 0.75, tied].forEach((ap, judge) => expect(scores.ap5.perJudge[judge]).toBeCloseTo(ap, 14));
    expect(scores.ap5.value).toBeCloseTo((1.75 + tied) / 3, 14);
    expect(scores.ap15).toEqual(scores.ap5);
    expect(scores.ap5Retrieved.perJudge).toEqual(scores.ap5.perJudge);
  });

  it('AP with ties to the earlier shot: references {0, 1}, {1, 2}, {0, 1}', () => {
    const earlier = scoreVideo(video, contender, { summaryShare: 0.4, ties: 'earlier' });
    expect(earlier.ap5.perJudge).toEqual([1, 0.75, 1]);
    expect(earlier.p15.perJudge).toEqual([1, 1, 1]);
  });

  it('P: two of five shots in each; the first 15 % is shot 1, in with certainty twice and once in 2 of 5', () => {
    expect(scores.p5.perJudge).toEqual([0.4, 0.4, 0.4]);
    expect(scores.p15.perJudge).toEqual([1, 1, 0.4]);
    expect(scores.p15.value).toBeCloseTo(0.8, 14);
  });

  it('lift: shot 1 has the sum 12 of 9 12 11 7 6, mean 9, deviation √(26/5)', () => {
    expect(scores.lift).toEqual({ value: expect.closeTo(3 / Math.sqrt(26 / 5), 8), perJudge: [] });
  });

  it('highlights: {0, 1}, {1, 2}, and nothing above the median', () => {
    expect(scores.highlightTop5.perJudge[0]).toBe(1);
    expect(scores.highlightTop5.perJudge[1]).toBeCloseTo(0.5 + 5 / 24, 14);
    expect(scores.highlightTop5.perJudge[2]).toBe(0);
    expect(scores.highlightTop5.value).toBeCloseTo((1.5 + 5 / 24) / 3, 14);
  });

  it('τ: 7 − 3 of 10 pairs, 4 − 4, and a judge who says nothing is left out', () => {
    expect(scores.kendall.perJudge).toEqual([0.4, 0, null]);
    expect(scores.kendall.value).toBe(0.2);
  });

  it('ρ: ranks differ by 1 1 1 1 2, so 1 − 6·8/120', () => {
    expect(scores.spearman.perJudge[0]).toBeCloseTo(0.6, 14);
    expect(scores.spearman.perJudge[2]).toBeNull();
  });

  it('the mean mark: sums 9 12 11 7 6 agree in 7 pairs of 10, and ranks differ by 1 0 2 1 2', () => {
    expect(scores.kendallConsensus).toEqual({ value: 0.4, perJudge: [] });
    expect(scores.spearmanConsensus.value).toBeCloseTo(0.5, 14);
  });

  it('F1: two shots fit; people’s own are {0, 1}, {1, 2}, {0, 1}', () => {
    expect(scores.f1Mean.perJudge).toEqual([1, 0.5, 1]);
    expect(scores.f1Mean.value).toBeCloseTo(2.5 / 3, 14);
    expect(scores.f1Max.value).toBe(1);
  });

  it('F1 where references are too long: the best mark that fits is shot 0, 1, 0', () => {
    const short = scoreVideo(video, contender, { summaryShare: 0.2 });
    expect(short.f1Mean.perJudge).toEqual([0, 1, 0]);
    expect(short.f1Max.value).toBe(1);
  });

  it('F1 takes a reference that fits for the person’s summary, whatever the marks', () => {
    const judge = { ...judged('short', [5, 4, 3, 2, 1]), reference: new Set([4]) };
    const scores = scoreVideo({ ...video, judgements: [judge] }, { ...contender, chosen: [4] }, { summaryShare: 0.4 });
    expect(scores.f1Mean.value).toBe(1);
  });

  it('takes the summary it is given', () => {
    expect(scoreVideo(video, { ...contender, chosen: [2] }, { summaryShare: 0.4 }).f1Mean.perJudge).toEqual([
      0,
      2 / 3,
      0,
    ]);
    expect(scoreVideo(video, { ...contender, chosen: [] }, { summaryShare: 0.4 }).f1Mean.value).toBe(0);
  });

  it('scores a ranking of equal scores 0 in agreement', () => {
    const { kendall, spearman } = scoreVideo(video, { ...contender, scores: [1, 1, 1, 1, 1] });
    expect([kendall.value, spearman.value]).toEqual([0, 0]);
  });
});

describe('labels that allow less', () => {
  it('without marks there are AP and F1 against the references alone', () => {
    const bare = { ...video, judgements: video.judgements.map((one) => ({ ...one, marks: null })) };
    const scores = scoreVideo(bare, contender, { summaryShare: 0.4 });
    expect(scores.ap5.perJudge).toEqual([1, 0.75, 1]);
    expect(scores.p5.perJudge).toEqual([0.4, 0.4, 0.4]);
    expect(scores.f1Mean.perJudge).toEqual([1, 0.5, 1]);
    for (const name of [
      'lift',
      'highlightTop5',
      'kendall',
      'spearman',
      'kendallConsensus',
      'spearmanConsensus',
    ] as const)
      expect(scores[name].value, name).toBeNull();
  });

  it('a judge who chose nothing is left out of AP; if all did, there is none', () => {
    const nothing = { ...judged('nobody', [1, 2, 3, 4, 5]), reference: new Set<number>() };
    const some = scoreVideo({ ...video, judgements: [nothing, ...video.judgements] }, contender, { ties: 'earlier' });
    expect(some.ap5.perJudge).toEqual([null, 1, 0.75, 1]);
    expect(some.p5.perJudge).toEqual([null, 0.4, 0.4, 0.4]);
    expect(some.ap5.value).toBeCloseTo(2.75 / 3, 14);
    for (const name of ['ap15', 'p5', 'p15'] as const)
      expect(scoreVideo({ ...video, judgements: [nothing] }, contender)[name].value).toBeNull();
  });

  it('has null for a video without judges, without shots, and no agreement over a single shot', () => {
    for (const name of METRIC_NAMES) {
      expect(scoreVideo({ ...video, judgements: [] }, contender)[name].value).toBeNull();
      expect(scoreVideo(labelled('none', 'x', [judged('j', [])], 0), { order: [] })[name].value ?? 0).toBe(0);
    }
    const single = scoreVideo(labelled('one', 'x', [judged('j', [3], 1)], 1), { order: [0] }, { summaryShare: 1 });
    expect([single.ap5.value, single.f1Mean.value, single.kendall.value]).toEqual([1, 1, null]);
  });
});

describe('impossible rankings are refused', () => {
  it.each([
    ['a shot twice', { order: [1, 0, 4, 2, 2] }, 'found 2 again'],
    ['a shot too many', { order: [1, 0, 4, 2, 3, 5] }, 'below 5 for shots, found 5'],
    ['a shot missing', { order: [1, 0, 4, 2] }, 'all 5 shots, found 4'],
    ['half a shot', { order: [1, 0, 4, 2, 2.5] }, 'found 2.5'],
    ['too few scores', { ...contender, scores: [1, 2] }, 'each of 5 shots, found 2'],
    ['scores that are no numbers', { ...contender, scores: [1, 2, 3, Number.NaN, 1] }, 'found NaN at place 3'],
    ['a summary of other shots', { ...contender, chosen: [7] }, 'found 7'],
  ])('%s', (_what, bad, sentence) => {
    expect(() => scoreVideo(video, bad)).toThrow(sentence);
  });

  it('a judge’s shot that the video does not have', () => {
    const wrong = { ...video.judgements[0]!, reference: new Set([5]) };
    expect(() => scoreVideo({ ...video, judgements: [wrong] }, contender)).toThrow('Judge first, video a');
  });
});

describe('any video', () => {
  it('has every measure within its bounds, textbook below retrieved', () => {
    fc.assert(
      fc.property(anyVideo, ({ video, order }) => {
        const scores = scoreVideo(video, { order });
        for (const name of METRIC_NAMES) {
          const { value } = scores[name];
          if (value === null || name === 'lift') continue;
          expect(Math.abs(value), name).toBeLessThanOrEqual(1 + 1e-12);
          if (!/kendall|spearman/.test(name)) expect(value, name).toBeGreaterThanOrEqual(0);
        }
        expect(scores.ap5.value ?? 0).toBeLessThanOrEqual((scores.ap5Retrieved.value ?? 0) + 1e-12);
        expect(scores.ap15.value ?? 0).toBeLessThanOrEqual((scores.ap15Retrieved.value ?? 0) + 1e-12);
        expect(scores.f1Mean.value ?? 0).toBeLessThanOrEqual((scores.f1Max.value ?? 0) + 1e-12);
      }),
    );
  });

  it('scores the same whatever the order of the judges', () => {
    fc.assert(
      fc.property(anyVideo, ({ video, order }) => {
        const [here, there] = [video, { ...video, judgements: video.judgements.toReversed() }].map((one) =>
          scoreVideo(one, { order }),
        );
        for (const name of METRIC_NAMES) {
          if (here![name].value === null) expect(there![name].value).toBeNull();
          else expect(there![name].value, name).toBeCloseTo(here![name].value!, 12);
        }
      }),
    );
  });

  it('gives a lone judge’s own ranking full marks', () => {
    fc.assert(
      fc.property(anyVideo, ({ video }) => {
        const [judge] = video.judgements;
        const own = { order: judge!.order, scores: judge!.marks! };
        const scores = scoreVideo({ ...video, judgements: [judge!] }, own, { ties: 'earlier' });
        for (const name of ['ap5', 'ap15', 'ap5Retrieved', 'ap15Retrieved'] as const)
          expect(scores[name].value).toBe(judge!.reference.size === 0 ? null : 1);
        for (const name of ['kendall', 'spearman', 'kendallConsensus', 'spearmanConsensus'] as const)
          expect(scores[name].value ?? 1, name).toBeCloseTo(1, 12);
      }),
    );
  });
});
