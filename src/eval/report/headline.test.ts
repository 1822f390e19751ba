import { describe, expect, it } from 'vitest';

import type { Benchmark } from '../benchmark.js';
import type { MetricName } from '../metrics/names.js';
import type { Lead, Score } from '../types.js';
import { chosenLines, headlines } from './columns.js';
import { readBenchmark } from './text-table.js';
import { sampleBenchmark, TEN_TOPICS } from './sample.case.js';

const noise = { kmeans: 1, 'cvs-neighborhood': 1, cvs: 1 };
const three = sampleBenchmark({ noise });
const ten = sampleBenchmark({ noise, topics: TEN_TOPICS, videosPerTopic: 2 });

const test = { pairCount: 9, meanDifference: 1, effectSize: 1, t: 3, degreesOfFreedom: 8, p: 0.002, power: 0.5 };
const lead = (overall: number, topics: number, videos: number): Lead => ({
  overall,
  interval: { low: overall - 0.02, high: overall + 0.02 },
  byTopic: { topicCount: 3, ahead: 2, p: 0.25, holm: topics },
  byVideo: { ...test, holm: videos },
});

type Said = Readonly<Record<string, Partial<Score>>>;

/** A sample with the values of some rows by one measure given by hand, and every other lead none. */
function said(
  scores: Said,
  { metric = 'spearman', change = {}, from = three }: { metric?: MetricName; change?: Partial<Benchmark>; from?: Benchmark } = {}, // prettier-ignore
): readonly string[] {
  const rows = from.scoreboard.rows.map((row) => {
    const silent = Object.entries(row.scores).map(([name, score]) => [name, { ...score, subjectLead: null }]);
    const spoken = { ...row.scores[metric], subjectLead: null, ...scores[row.name] };
    return { ...row, scores: { ...(Object.fromEntries(silent) as typeof row.scores), [metric]: spoken } };
  });
  const benchmark = { ...from, paper: null, ...change, scoreboard: { ...from.scoreboard, rows } };
  return headlines(readBenchmark(benchmark)).map((sentence) => sentence.replaceAll('\u00a0', ' '));
}

const usual: Said = {
  random: { subjectLead: lead(0.1, 0.3, 0.01) },
  humanMean: { subjectLead: lead(-0.1, 0.3, 0.02) },
  kmeans: { subjectLead: lead(0.05, 0.03, 0.049) },
  middle: { subjectLead: lead(0.02, 0.8, 0.05) },
  humanBest: { subjectLead: lead(-0.5, 0.001, 0.001) },
};

describe('the results in words', () => {
  it('gives the leading measures of the subject, of people, of the middle and of chance', () => {
    const [sentence] = said(usual);
    const figure = '−?\\d\\.\\d{3}';
    const figures = `ρ ${figure}, P@5 ${figure}, P@15 % ${figure}, lift ${figure}`;
    expect(sentence).toMatch(
      new RegExp(
        `^cvs reaches ${figures}\\. One person against the others reaches ${figures}; ` +
          `the middle of the film, which sees no picture, ${figures}; chance ${figures}\\.$`,
      ),
    );
    const { scores } = three.scoreboard.rows.find(({ name }) => name === 'cvs')!;
    expect(sentence).toContain(
      `cvs reaches ρ ${scores.spearman.overall!.toFixed(3)}, P@5 ${scores.p5.overall!.toFixed(3)}`,
    );
  });

  it('tests over videos where topics are too few for any p below the level, and says so', () => {
    expect(said(usual).slice(1)).toEqual([
      '3 topics allow no p below 0.250, too much for 10 comparisons, so rows are tested over videos, which are not independent inside a topic (paired t-tests, corrected by Holm’s method, level 0.05):',
      'By ρ, cvs is ahead of random (+0.100) and kmeans (+0.050); behind one person (−0.100); not told apart from middle.',
    ]);
  });

  it('tests over topics where there are enough', () => {
    expect(said(usual, { from: ten }).slice(1)).toEqual([
      'Tested over 10 topics (exact sign flips), corrected by Holm’s method, at level 0.05:',
      'By ρ, cvs is ahead of kmeans (+0.050); not told apart from one person, random and middle.',
    ]);
  });

  it('says so measure by measure', () => {
    expect(said({ kmeans: { subjectLead: lead(0.3, 1, 1) } }, { metric: 'lift' }).at(-1)).toBe(
      'By lift, cvs is not told apart from kmeans.',
    );
    expect(said({})).toHaveLength(1);
  });

  it('says what seeing the other videos is worth, with both tests', () => {
    const alone = { 'cvs-neighborhood': { subjectLead: lead(0.04, 1, 1) } };
    expect(said(alone).at(-1)).toBe(
      'Seeing the other videos is worth +0.040 ρ (95 % interval [0.020, 0.060]; better in 2 of 3 topics, p = 0.250; over videos p = 0.002).',
    );
  });

  it('says what people and floors reach where no method was run, and when the subject is missing', () => {
    const [sentence] = headlines(readBenchmark(sampleBenchmark({ noise: {} })));
    expect(sentence).toMatch(/^No method was run\. One person against the others reaches ρ 0\.\d{3}, /);
    const [missing] = headlines(readBenchmark(sampleBenchmark({ noise: { kmeans: 1 } })));
    expect(missing).toBe('cvs is not among the rows, so nothing is compared with it.');
  });

  it('gives no percentage of the paper unless its people score as ours do', () => {
    const people = ['humanWorst', 'humanMean', 'humanBest'] as const;
    const ours = people.map((name) => three.scoreboard.rows.find((row) => row.name === name)!.scores.ap5.overall!);
    const paperWith = (by: number): Benchmark['paper'] => ({
      cvs: { mean: 0.372, topics: {} },
      ...Object.fromEntries(people.map((name, at) => [name, { mean: ours[at]! + by, topics: {} }])),
    });
    expect(said({}, { change: { paper: paperWith(0.019) } }).at(-1)).toMatch(
      /^The paper reports an AP@5 of 0\.372 for cvs, \d+\.\d % of its mean human; here it is \d+\.\d %\.$/,
    );
    const apart = said({}, { change: { paper: paperWith(0.021) } }).at(-1);
    expect(apart).toMatch(/do not score as these do \(.*\), so the two are not on one scale\.$/);
    expect(apart).not.toContain('%');
  });
});

describe('what was chosen', () => {
  it('is a line per topic after the criterion, and nothing without nested rows', () => {
    expect(chosenLines(readBenchmark(three))).toEqual([]);
    const candidate = { name: 'a', choice: { method: 'cvs' as const }, options: {}, onOthers: [0.5, 0.6, 0.7] };
    const perTopic = { spearman: [0, 0, 0], p5: [0, 0, 0], p15: [0, 0, 0], lift: [0, 0, 0] };
    const chosen = [{ topic: 'VT', candidate: 'a', onOthers: 0.5 }];
    const rows = [{ name: 'nested', candidates: [{ ...candidate, perTopic }], chosen }];
    expect(chosenLines(readBenchmark({ ...three, nested: { criterion: 'By all.', rows } }))).toEqual([
      'By all.',
      'nested on VT: a (of 1; 50.0 % of the way from chance to one person on the other topics).',
    ]);
  });
});
