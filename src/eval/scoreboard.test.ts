import { describe, expect, it } from 'vitest';
import { type Contender, FLOORS, type MetricName, type Scoreboard, scoreboard, type ScoreRow } from './index.js';
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
const quick = { draws: 20, resamples: 200, ties: 'earlier' } as const;

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
    const { overall, byTopic, byVideo, interval } = ap5(board, 'other').subjectLead!;
    expect(overall).toBeCloseTo((2.75 / 3 - values[0]! + 0.25) / 2, 14);
    expect(byVideo!.meanDifference).toBeCloseTo((2.75 / 3 - values[0]! + 0 + 0.5) / 3, 14);
    expect(byVideo!.pairCount).toBe(3);
    // Ahead in both topics: only all signs as they are, or all reversed, are as far from zero.
    expect(byTopic).toMatchObject({ topicCount: 2, ahead: 2, p: 2 / 4 });
    expect(interval!.low).toBeLessThanOrEqual(overall);
    expect(interval!.high).toBeGreaterThanOrEqual(overall);
    expect(ap5(board, 'cvs').subjectLead).toBeNull();
    expect(ap5(board, 'humanMean').subjectLead).toMatchObject({ byTopic: null, byVideo: null, interval: null });
  });

  it('corrects the tests of a measure for all rows: the smallest p times their number', () => {
    const leads = board.rows.flatMap(({ scores }) => scores.ap5.subjectLead ?? []);
    for (const test of ['byTopic', 'byVideo'] as const) {
      const made = leads.flatMap((lead) => lead[test] ?? []).sort((one, another) => one.p - another.p);
      expect(made.length).toBeGreaterThan(3);
      expect(made[0]!.holm).toBe(Math.min(1, made.length * made[0]!.p));
      made.forEach(({ p, holm }) => expect(holm).toBeGreaterThanOrEqual(p));
    }
  });

  it('takes the mean over the seeds of a method', () => {
    const seeded = new Map([...cvs].map(([id, one]) => [id, [one, other.get(id)!]]));
    const three = scoreboard([a, b, c], { cvs, other, seeded }, quick);
    const at = (name: string): number => ap5(three, name).perVideo[0]!;
    expect(at('seeded')).toBeCloseTo((at('cvs') + at('other')) / 2, 14);
  });

  it('scores people by expectation where they tie: a judge of equal marks is chance to the others', () => {
    const fair = scoreboard([a], {}, { ...quick, ties: 'fraction' });
    const { p5, lift } = rowOf(fair, 'humanWorst').scores;
    expect(p5.overall).toBeCloseTo(0.4, 14);
    // first: shot 0, of 1 5 5 2 2 and 3 each: (1 − 3)/√2.8; second: shots 1 and 2 of 5 4 3 2 1: ½/√2.
    expect(lift.overall).toBeCloseTo(-2 / Math.sqrt(2.8), 8);
    expect(rowOf(fair, 'humanBest').scores.lift.overall).toBeCloseTo(0.5 / Math.SQRT2, 8);
    expect(rowOf(fair, 'humanMean').scores.lift.overall).toBeCloseTo((-2 / Math.sqrt(2.8) + 0.5 / Math.SQRT2) / 3, 8);
  });

  it('records its settings', () => {
    expect(board.rows.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'human humanWorst',
      'human humanMean',
      'human humanBest',
      'floor random',
      'floor uniform',
      'floor middle',
      'floor run',
      'floor first',
      'method cvs',
      'method other',
    ]);
    expect(board.topics).toEqual(['x', 'y']);
    expect(board.videos[0]).toEqual({ id: 'a', topic: 'x', shotCount: 5, judgeCount: 3 });
    expect(board.settings).toMatchObject({ seed: 1, draws: 20, resamples: 200, subject: 'cvs', level: 0.05 });
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

  it('is drawn anew for each order and each video, and the same again', () => {
    const twins = [labelled('one', 'x', a.judgements), labelled('two', 'x', a.judgements)];
    const values = rowOf(scoreboard(twins, {}, { ...quick, draws: 2 }), 'random').scores.kendall.perVideo;
    expect(values[0]).not.toBe(values[1]);
  });
});

describe('scoreboards of one video or one topic', () => {
  it('leaves out, for every row, what some method has no ranking of, and says so', () => {
    const board = scoreboard([a, b, c], { cvs, part: orders({ a: [0, 1, 2, 3, 4], c: [0, 1] }) }, quick);
    expect(board.leftOut).toEqual([{ video: 'b', missing: ['part'] }]);
    expect(board.videos.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(ap5(board, 'cvs').perVideo).toEqual([2.75 / 3, 1]);
    expect(ap5(board, 'random').perVideo).toHaveLength(2);
  });

  it('scores people and floors without any method', () => {
    const board = scoreboard([a], {}, quick);
    expect(board.rows.map(({ name }) => name)).toEqual([
      'humanWorst',
      'humanMean',
      'humanBest',
      ...Object.keys(FLOORS),
    ]);
    expect(ap5(board, 'random').subjectLead).toBeNull();
  });

  it('takes a single video: values, no interval, no test', () => {
    const { overall, interval, subjectLead } = ap5(scoreboard([a], { cvs, other }, quick), 'other');
    expect(overall).toBeGreaterThan(0);
    expect(interval).toBeNull();
    expect(subjectLead).toMatchObject({ interval: null, byTopic: null, byVideo: null });
  });

  it('takes a single topic, and methods that never differ', () => {
    const board = scoreboard([b, c], { cvs, twin: cvs }, quick);
    expect(ap5(board, 'cvs')).toMatchObject({ perTopic: [0.75], overall: 0.75, interval: { low: 0.5, high: 1 } });
    expect(ap5(board, 'twin').subjectLead).toMatchObject({ byTopic: null, byVideo: { t: 0, p: 1, power: 0.05 } });
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
    refused(() => scoreboard([a], { cvs }, { ties: 'later' as never }), 'one of fraction, earlier, found "later"');
    refused(() => scoreboard([a], { cvs }, { confidence: 95 }), 'confidence 95');
  });
});
