import { describe, expect, it } from 'vitest';
import { type Contender, type MetricName, type Scoreboard, scoreboard, type ScoreRow } from './index.js';
import { judged, labelled } from './labelled.case.js';
import { expectedAveragePrecision } from './metrics/expected-precision.case.js';

const a = labelled('a', 'x', [
  judged('first', [5, 4, 3, 2, 1], 2),
  judged('second', [1, 5, 5, 2, 2], 2),
  judged('third', [3, 3, 3, 3, 3], 2),
]);
const b = labelled('b', 'y', [judged('only', [2, 1], 1)], 2);
const c = labelled('c', 'y', [judged('only', [2, 1], 1)], 2);
const orders = (given: Record<string, number[]>): Map<string, Contender> =>
  new Map(Object.entries(given).map(([id, order]) => [id, { order }]));
const cvs = orders({ a: [1, 0, 4, 2, 3], b: [1, 0], c: [0, 1] });
const other = orders({ a: [4, 3, 2, 1, 0], b: [1, 0], c: [1, 0] });
const quick = { draws: 20, resamples: 200 };

const rowOf = (board: Scoreboard, name: string): ScoreRow => board.rows.find((row) => row.name === name)!;
const ap5 = (board: Scoreboard, name: string): ScoreRow['scores']['ap5'] => rowOf(board, name).scores.ap5;

describe('scoreboard by hand', () => {
  const board = scoreboard([a, b, c], { cvs, other }, quick);

  it('averages judges, then videos, then topics', () => {
    expect(ap5(board, 'cvs').perVideo).toEqual([2.75 / 3, 0.5, 1]);
    expect(ap5(board, 'cvs').perTopic).toEqual([2.75 / 3, 0.75]);
    expect(ap5(board, 'cvs').overall).toBeCloseTo((2.75 / 3 + 0.75) / 2, 14);
  });

  it('scores each person against the others, and has none where one person judged', () => {
    // first: (7/12 + 1)/2; second: (1 + 2/5)/2 twice; third as first.
    expect(ap5(board, 'humanWorst').perVideo).toEqual([0.7, null, null]);
    expect(ap5(board, 'humanMean').perVideo[0]).toBeCloseTo((2 * (19 / 24) + 0.7) / 3, 14);
    expect(ap5(board, 'humanBest').perVideo[0]).toBeCloseTo(19 / 24, 14);
    expect(ap5(board, 'humanMean').perTopic[1]).toBeNull();
    expect(rowOf(board, 'humanBest').scores.kendall.perVideo[0]).toBeCloseTo(0, 14);
    expect(ap5(board, 'cvs').relative).toBeCloseTo(ap5(board, 'cvs').overall! / ap5(board, 'humanMean').overall!, 14);
    expect(ap5(board, 'humanMean').relative).toBe(1);
  });

  it('compares every row with the subject, video by video', () => {
    // other: {0, 1} found at places 4 and 5, {1, 2} at 3 and 4; then ½ twice.
    const values = [(2 * ((1 / 4 + 2 / 5) / 2) + (1 / 3 + 2 / 4) / 2) / 3, 0.5, 0.5];
    const { overall, test, interval } = ap5(board, 'other').subjectLead!;
    expect(overall).toBeCloseTo((2.75 / 3 - values[0]! + 0.25) / 2, 14);
    expect(test!.meanDifference).toBeCloseTo((2.75 / 3 - values[0]! + 0 + 0.5) / 3, 14);
    expect(test!.pairCount).toBe(3);
    expect(interval!.low).toBeLessThanOrEqual(overall);
    expect(interval!.high).toBeGreaterThanOrEqual(overall);
    expect(ap5(board, 'cvs').subjectLead).toBeNull();
    expect(ap5(board, 'humanMean').subjectLead).toMatchObject({ test: null, interval: null });
  });

  it('says what it is made of', () => {
    expect(board.rows.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'human humanWorst',
      'human humanMean',
      'human humanBest',
      'random random',
      'method cvs',
      'method other',
    ]);
    expect(board.topics).toEqual(['x', 'y']);
    expect(board.videos[0]).toEqual({ id: 'a', topic: 'x', shotCount: 5, judgeCount: 3 });
    expect(board.settings).toMatchObject({ seed: 1, draws: 20, resamples: 200, subject: 'cvs', level: 0.01 });
    expect(board.leftOut).toEqual([]);
  });

  it('is plain data, and the same bytes from the same seed', () => {
    const text = JSON.stringify(board);
    expect(JSON.parse(text)).toEqual(board);
    expect(JSON.stringify(scoreboard([a, b, c], { cvs, other }, quick))).toBe(text);
    expect(JSON.stringify(scoreboard([a, b, c], { cvs, other }, { ...quick, seed: 2 }))).not.toBe(text);
  });
});

describe('the random row', () => {
  it('agrees with the expectation in closed form', () => {
    const sizes = [3, 4, 6];
    const video = labelled('r', 'x', sizes.map((size) => judged(`${size}`, [1, 2, 3, 4, 5, 4, 3, 2, 1], size)), 9); // prettier-ignore
    const board = scoreboard([video], {}, { draws: 6000, resamples: 1 });
    const mean = (k: number, form: 'textbook' | 'retrieved'): number =>
      sizes.reduce((sum, size) => sum + expectedAveragePrecision(9, size, k)[form], 0) / sizes.length;
    const of = (name: MetricName): number => rowOf(board, 'random').scores[name].overall!;
    // Five standard errors of 6000 draws with a deviation of about 0.25.
    const near = 5 * (0.25 / Math.sqrt(6000));
    expect(Math.abs(of('ap5') - mean(5, 'textbook'))).toBeLessThan(near);
    expect(Math.abs(of('ap15') - mean(15, 'textbook'))).toBeLessThan(near);
    expect(Math.abs(of('ap5Retrieved') - mean(5, 'retrieved'))).toBeLessThan(near);
    expect(Math.abs(of('ap15Retrieved') - mean(15, 'retrieved'))).toBeLessThan(near);
    expect(Math.abs(of('kendall'))).toBeLessThan(near);
  });

  it('asks for every order of every video with a seed of its own', () => {
    const seeds: number[] = [];
    const drawOrder = (shotCount: number, seed: number): number[] => {
      seeds.push(seed);
      return [...Array(shotCount).keys()];
    };
    const board = scoreboard([a, b, c], {}, { ...quick, drawOrder });
    expect(new Set(seeds).size).toBe(60);
    expect(ap5(board, 'random').perVideo[0]).toBeCloseTo((2 + 7 / 12) / 3, 14);
  });
});

describe('boards at their edges', () => {
  it('leaves out, for every row, what some method has no ranking of, and says so', () => {
    const board = scoreboard([a, b, c], { cvs, part: orders({ a: [0, 1, 2, 3, 4], c: [0, 1] }) }, quick);
    expect(board.leftOut).toEqual([{ video: 'b', missing: ['part'] }]);
    expect(board.videos.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(ap5(board, 'cvs').perVideo).toEqual([2.75 / 3, 1]);
    expect(ap5(board, 'random').perVideo).toHaveLength(2);
  });

  it('scores people and chance without any method', () => {
    const board = scoreboard([a], {}, quick);
    expect(board.rows.map(({ name }) => name)).toEqual(['humanWorst', 'humanMean', 'humanBest', 'random']);
    expect(ap5(board, 'random').subjectLead).toBeNull();
  });

  it('takes a single video: values, no interval, no test', () => {
    const { overall, interval, subjectLead } = ap5(scoreboard([a], { cvs, other }, quick), 'other');
    expect(overall).toBeGreaterThan(0);
    expect(interval).toBeNull();
    expect(subjectLead).toMatchObject({ interval: null, test: null });
  });

  it('takes a single topic, and methods that never differ', () => {
    const board = scoreboard([b, c], { cvs, twin: cvs }, quick);
    expect(ap5(board, 'cvs')).toMatchObject({ perTopic: [0.75], overall: 0.75, interval: { low: 0.5, high: 1 } });
    expect(ap5(board, 'twin').subjectLead!.test).toMatchObject({ t: 0, p: 1, power: 0.01 });
  });

  it('has null all through where labels have no marks', () => {
    const bare = { ...a, judgements: a.judgements.map((one) => ({ ...one, marks: null })) };
    const board = scoreboard([bare], { cvs, other }, quick);
    expect(rowOf(board, 'other').scores.kendall).toEqual({
      perVideo: [null],
      perTopic: [null],
      overall: null,
      interval: null,
      relative: null,
      subjectLead: null,
    });
    expect(rowOf(board, 'humanMean').scores.highlightTop5.overall).toBeNull();
  });

  it('refuses boards that cannot be made', () => {
    const refused = (make: () => unknown, sentence: string): void => expect(make).toThrow(sentence);
    refused(() => scoreboard([a], { cvs, empty: new Map() }, quick), 'found none among 1: empty lacks 1');
    refused(() => scoreboard([], { cvs }, quick), 'found none among 0.');
    refused(() => scoreboard([a, a], { cvs }, quick), 'each video name once, found "a"');
    refused(() => scoreboard([a], { random: cvs }, quick), 'each row name once, found "random"');
    refused(() => scoreboard([a], { cvs: orders({ a: [0] }) }, quick), 'cvs, video a: expected all 5 shots');
    refused(() => scoreboard([a], { cvs }, { draws: 0 }), 'whole draws');
    refused(() => scoreboard([a], { cvs }, { confidence: 95 }), 'confidence 95');
  });
});
