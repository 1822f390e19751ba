import { describe, expect, it } from 'vitest';

import type { Benchmark } from '../benchmark.js';
import type { Lead, Score } from '../scoreboard-record.js';
import { headlines } from './headline.js';
import { readBenchmark } from './read.js';
import { sampleBenchmark } from './sample.case.js';

const sample = sampleBenchmark({ noise: { kmeans: 1, 'cvs-neighborhood': 1, cvs: 1 } });

const lead = (overall: number, p: number): Lead => ({
  overall,
  interval: { low: overall - 0.02, high: overall + 0.02 },
  test: { pairCount: 9, meanDifference: overall, effectSize: 1, t: 3, degreesOfFreedom: 8, p, power: 0.5 },
});

/** The sample with the AP@5 of some rows said by hand. */
function said(scores: Readonly<Record<string, Partial<Score>>>, change: Partial<Benchmark> = {}): readonly string[] {
  const rows = sample.scoreboard.rows.map((row) => ({
    ...row,
    scores: { ...row.scores, ap5: { ...row.scores.ap5, ...scores[row.name] } },
  }));
  const benchmark = { ...sample, paper: null, ...change, scoreboard: { ...sample.scoreboard, rows } };
  return headlines(readBenchmark(benchmark)).map((sentence) => sentence.replaceAll('\u00a0', ' '));
}

const usual = {
  random: { overall: 0.3, subjectLead: lead(0.1, 1e-5) },
  humanMean: { overall: 0.5 },
  cvs: { overall: 0.4, relative: 0.8, subjectLead: null },
  kmeans: { subjectLead: lead(0.05, 0.002) },
  'cvs-neighborhood': { subjectLead: lead(0.04, 0.2) },
};

describe('the results in words', () => {
  it('places cvs between chance and people: 0.4 is half of the way from 0.3 to 0.5', () => {
    expect(said(usual)).toEqual([
      'cvs reaches 0.400 at AP@5: 50 % of the way from chance (0.300) to the mean human (0.500).',
      'It is ahead of 2 of 2 other methods, with p < 0.01 against kmeans (+0.050).',
      'Seeing the other videos is worth +0.040 (95 % interval [0.020, 0.060], p = 0.200).',
    ]);
  });

  it('says when the lead over chance may be luck', () => {
    const random = { overall: 0.3, subjectLead: lead(0.1, 0.04) };
    expect(said({ ...usual, random })[0]).toMatch(/, which may be luck \(p = 0\.040 against random\)\.$/);
  });

  it('says when cvs is above people, below chance, or has no scale', () => {
    expect(said({ ...usual, cvs: { overall: 0.6 } })[0]).toBe(
      'cvs reaches 0.600 at AP@5, above the mean human (0.500); chance is at 0.300.',
    );
    expect(said({ ...usual, cvs: { overall: 0.2 } })[0]).toBe(
      'cvs reaches 0.200 at AP@5, below chance (0.300); the mean human is at 0.500.',
    );
    expect(said({ ...usual, humanMean: { overall: 0.3 } })[0]).toBe(
      'cvs reaches 0.400 at AP@5; the mean human (0.300) is not above chance (0.300) here, so there is no scale to place it on.',
    );
    expect(said({ ...usual, humanMean: { overall: null } })[0]).toBe(
      'cvs reaches 0.400 at AP@5, +0.100 from chance (0.300). No video has two judges: people have no score.',
    );
    expect(said({ ...usual, cvs: { overall: null } })).toEqual(['cvs has no AP@5: the labels allow none.']);
  });

  it('says what people and chance reach where no method was run', () => {
    const [sentence] = headlines(readBenchmark(sampleBenchmark({ noise: {} })));
    expect(sentence).toMatch(/^No method was run: at AP@5 chance reaches 0\.\d{3}, the mean human 0\.\d{3}\.$/);
  });

  it('names the only other method', () => {
    const two = { ...usual, 'cvs-neighborhood': { subjectLead: null } };
    expect(said(two)[1]).toBe('It is ahead of kmeans (+0.050), p = 0.002.');
  });

  it('names rows by the kind of benchmark', () => {
    expect(said(usual, { kind: 'ablation' })[1]).toMatch(/^It is ahead of 2 of 2 other variants, /);
  });

  it('names the methods that are better', () => {
    expect(said({ ...usual, kmeans: { subjectLead: lead(-0.05, 0.002) } }).slice(1, 3)).toEqual([
      'It is ahead of 1 of 2 other methods, with p < 0.01 against none.',
      'It is behind kmeans (−0.050).',
    ]);
    expect(said({ ...usual, kmeans: { subjectLead: lead(0, 1) } })[2]).toBe('It is level with kmeans (0.000).');
  });

  it('sets the paper beside it, each against its own people', () => {
    const paper = { cvs: { mean: 0.372, topics: {} }, humanMean: { mean: 0.5, topics: {} } };
    expect(said(usual, { paper }).at(-1)).toBe(
      'The paper reports 0.372 for cvs, 74.4 % of its mean human; here it is 80.0 %.',
    );
    expect(said(usual, { paper: { cvs: paper.cvs } }).at(-1)).toBe('The paper reports 0.372 for cvs.');
  });
});
