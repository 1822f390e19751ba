import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Benchmark } from '../benchmark.js';
import { benchmarkTable } from './columns.js';
import { sampleBenchmark, TEN_TOPICS } from './sample.case.js';
import { displayWidth, wrapText } from './text-table.js';

const ten = sampleBenchmark({ topics: TEN_TOPICS, videosPerTopic: 2 });
const plain = (benchmark: Benchmark, width: number): string => benchmarkTable(benchmark, { width, color: false });

const LABELS: Readonly<Record<string, string>> = {
  humanWorst: 'worst person',
  humanMean: 'one person',
  humanBest: 'best person',
};
const three = (value: number): string =>
  value
    .toFixed(3)
    .replace('-', '−')
    .replace(/^−(?=0\.000$)/, '');

/** What stands in the lines of a row, name left out, before and after the title of the topics. */
function cellsOf(text: string, label: string): { main: string[]; topics: string[] } {
  const [main = '', topics = ''] = text.split('ρ by topic');
  const cells = (part: string): string[] =>
    part
      .split('\n')
      .filter((line) => line.startsWith(`${label} `) && /\d\.\d/.test(line))
      .flatMap((line) => line.slice(label.length).trim().split(/ {2,}/));
  return { main: cells(main.slice(main.indexOf('\n\n', main.indexOf('\n\n') + 2))), topics: cells(topics) };
}

describe('the table for a terminal', () => {
  it.each([80, 200])('prints the numbers of the record at %i columns', (width) => {
    const text = plain(ten, width);
    for (const row of ten.scoreboard.rows) {
      const { spearman, ...scores } = row.scores;
      const { main, topics } = cellsOf(text, LABELS[row.name] ?? row.name);
      const paper = ten.paper![row.name]?.mean;
      const lead = spearman.subjectLead;
      const p = (value: number): string => (value < 0.001 ? value.toExponential(1) : three(value));
      expect(main).toEqual([
        three(spearman.overall!),
        `[${three(spearman.interval!.low)}, ${three(spearman.interval!.high)}]`,
        ...[scores.p5, scores.p15, scores.lift, scores.ap5, scores.ap15].map(({ overall }) => three(overall!)),
        ...[scores.ap5Retrieved, scores.ap15Retrieved].map(({ overall }) => three(overall!)),
        ...[scores.highlightTop5, scores.kendall].map(({ overall }) => three(overall!)),
        paper === undefined ? '–' : three(paper),
        lead ? (three(lead.overall) === '0.000' ? '' : lead.overall > 0 ? '+' : '') + three(lead.overall) : '–',
        lead ? `${lead.byTopic!.ahead}/10` : '–',
        lead ? p(lead.byTopic!.holm) : '–',
        lead ? p(lead.byVideo!.holm) : '–',
      ]);
      expect(topics.map((cell) => cell.replace('*', ''))).toEqual(
        [...spearman.perTopic, spearman.overall].map((value) => three(value!)),
      );
    }
  });

  it('marks the best method of every topic, and people never, not even as good', () => {
    const { scores } = ten.scoreboard.rows.at(-1)!;
    const rows = ten.scoreboard.rows.map((row) => (row.name === 'humanBest' ? { ...row, scores } : row));
    const text = plain({ ...ten, scoreboard: { ...ten.scoreboard, rows } }, 200);
    const methods = ten.scoreboard.rows.filter(({ kind }) => kind === 'method');
    for (const row of ten.scoreboard.rows) {
      const marks = cellsOf(text, LABELS[row.name] ?? row.name).topics.map((cell) => cell.endsWith('*'));
      const best = [...row.scores.spearman.perTopic, row.scores.spearman.overall].map((value, index) => {
        const others = methods.map(({ scores: { spearman } }) => [...spearman.perTopic, spearman.overall][index]!);
        return row.kind === 'method' && value === Math.max(...others);
      });
      expect(marks).toEqual(best);
    }
  });

  it.each([80, 100, 132, 200])('keeps within %i columns', (width) => {
    for (const line of plain(ten, width).split('\n')) expect([...line].length).toBeLessThanOrEqual(width);
  });

  it('is one table where there is room, and loses no number where there is none', () => {
    const numbers = (text: string): string[] => (text.match(/[−+]?\d+\.\d+(e-\d+)?/g) ?? []).sort();
    expect(plain(ten, 200).match(/^random /gm)).toHaveLength(2);
    expect(plain(ten, 80).match(/^random /gm)).toHaveLength(5);
    for (const width of [0, 40, 60, 80]) expect(numbers(plain(ten, width))).toEqual(numbers(plain(ten, 200)));
  });

  it('colours without changing a character', () => {
    const colored = benchmarkTable(ten, { width: 90, color: true });
    expect(colored).toContain('\u001b[');
    expect(plain(ten, 90)).not.toContain('\u001b');
    expect(stripVTControlCharacters(colored)).toBe(plain(ten, 90));
  });

  it('leaves out columns the labels have no values for', () => {
    const text = plain(sampleBenchmark({ marks: false, paper: false }), 200);
    expect(text).not.toMatch(/Kendall|ρ {2}|lift {2}|highlight|paper/);
    expect(text).toMatch(/AP@15/);
  });

  it('prints one video, one judge and no interval', () => {
    const alone = sampleBenchmark({ topics: TEN_TOPICS.slice(0, 1), videosPerTopic: 1, judges: 1, noise: { cvs: 1 } });
    const text = plain(alone, 80);
    expect(text).toContain('1 topic · 1 of 1 labelled videos · 1 judge per video');
    expect(text.replaceAll('\n', ' ')).toContain('No video has two judges, so people have no score');
    expect(text).not.toMatch(/95 %|NaN|undefined|null|Infinity/);
  });

  it('compares with nothing if the subject was not run', () => {
    const text = plain(sampleBenchmark({ noise: { kmeans: 1 } }), 120);
    expect(text).toContain('cvs is not among the rows');
    expect(text).not.toMatch(/ahead|p topics/);
  });

  it('says what was skipped, left out, noted and how it was done', () => {
    const change = {
      notes: ['A remark.'],
      skipped: [{ path: 'a/b.mp4', code: 'truncated', message: 'Expected a whole file, found half.' }],
    };
    const sample = sampleBenchmark({ change });
    const leftOut = [{ video: 'lost', missing: ['smrs', 'cvs'] }];
    const text = plain({ ...sample, scoreboard: { ...sample.scoreboard, leftOut } }, 100);
    expect(text).toContain('- A remark.\n');
    expect(text).toContain('- Left out lost: no ranking by smrs, cvs.\n');
    expect(text).toContain('- a/b.mp4: Expected a whole file, found half. (truncated)\n');
    for (const sentence of sample.protocol) expect(text.replaceAll('\n  ', ' ')).toContain(`- ${sentence}`);
  });
});

describe('names from outside', () => {
  it('stand in columns of their own width', () => {
    const noise = { cvs: 1, 世界: 1, 'e\u0301te\u0301': 1, été: 2, '😀': 2 };
    const lines = plain(sampleBenchmark({ noise }), 200).split('\n');
    const ends = ['cvs', '世界', 'e\u0301te\u0301', 'été', '😀'].map((name) => {
      const found = lines.filter((line) => line.startsWith(`${name}  `));
      expect(found).toHaveLength(2);
      return found.map((line) => displayWidth(/^.*?\d\.\d{3}/.exec(line)![0]));
    });
    for (const end of ends) expect(end).toEqual(ends[0]);
  });

  it('cannot move the cursor or start a line', () => {
    const evil = 'x\u001b[2J\r\nworst person 9.999\u202e';
    const text = plain(
      sampleBenchmark({
        topics: [{ code: evil, title: evil }],
        noise: { cvs: 1, [evil]: 2 },
        change: { notes: [evil] },
      }),
      80,
    );
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
    expect(text).not.toMatch(/^worst person 9/m);
  });

  it('are wrapped when long; their numbers stay on the first line', () => {
    const long = 'cvs on features of a network nobody has heard of yet';
    const text = plain(sampleBenchmark({ noise: { cvs: 1, [long]: 2 } }), 80);
    const at = text.split('\n').findIndex((line) => line.startsWith('cvs on features') && /\d\.\d/.test(line));
    const lines = text.split('\n').slice(at, at + 3);
    expect(lines[0]).toMatch(/^cvs on features of a {7,}−?\d\.\d{3} +\[/);
    expect(lines.slice(1)).toEqual(['  network nobody has heard', '  of yet']);
  });

  it('of topics become headings of several lines', () => {
    const topics = [{ code: 'excavators_river_xing', title: 'Excavators River Xing' }, ...TEN_TOPICS.slice(0, 1)];
    const text = plain(sampleBenchmark({ topics }), 80);
    expect(text).toMatch(/ {18}excavators\n {18}river xing {7}VT {5}mean\n/);
    expect(text).toContain('\nVT Changing Vehicle Tire\n');
  });
});

describe('wrapping', () => {
  it('keeps every word and the width', () => {
    const words = fc.array(fc.stringMatching(/^[a-z界]{1,9}$/), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(words, fc.integer({ min: 18, max: 60 }), (given, width) => {
        const lines = wrapText(given.join(' '), width);
        expect(lines.join(' ')).toBe(given.join(' '));
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('breaks a word that is longer than a line', () => {
    expect(wrapText('ab 世界地図cd', 5)).toEqual(['ab', '世界', '地図c', 'd']);
  });
});
