import { format } from 'prettier';
import { describe, expect, it } from 'vitest';

import { benchmarkDocument } from '../benchmark.js';
import { benchmarkMarkdown } from './columns.js';
import { serialiseBenchmark } from './text-table.js';
import { sampleBenchmark } from './sample.case.js';

const sample = sampleBenchmark();

/** The tables of a markdown text, cells as they stand; a bar behind a backslash is no border. */
function tablesOf(text: string): string[][][] {
  return text
    .split('\n\n')
    .filter((part) => part.startsWith('|'))
    .map((part) =>
      part
        .trimEnd()
        .split('\n')
        .map((line) =>
          line
            .split(/(?<!\\)\|/)
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ),
    );
}

describe('the benchmark as markdown', () => {
  it('has the main table, the topics and the tests, every line as long as its heading', () => {
    const tables = tablesOf(benchmarkMarkdown(sample));
    expect(tables).toHaveLength(3);
    for (const table of tables) for (const line of table) expect(line.length).toBe(table[0]!.length);
    const [main, topics, tests] = tables;
    expect(main!.slice(2).map(([name]) => name)).toEqual(topics!.slice(2).map(([name]) => name));
    expect(topics![0]).toEqual(['', 'VT', 'VU', 'GA', 'mean']);
    const each = ['95 %', 'topics', 'p topics', 'p videos'];
    expect(tests![0]).toEqual(['', ...['ρ', 'P@5', 'P@15 %', 'lift'].flatMap((name) => [name, ...each])]);
  });

  it('has the numbers of the record', () => {
    const [main, topics, tests] = tablesOf(benchmarkMarkdown(sample));
    const plain = (cell: string): string =>
      cell
        .replaceAll('**', '')
        .replace('−', '-')
        .replace(/^-(?=0\.000$)/, '');
    const three = (value: number): string => plain(value.toFixed(3));
    sample.scoreboard.rows.forEach(({ scores }, index) => {
      const cells = main![index + 2]!;
      const at = (heading: string): string => plain(cells[main![0]!.indexOf(heading)]!);
      const { spearman, p5, p15, lift, ap5, kendall } = scores;
      expect(plain(cells[1]!)).toBe(three(spearman.overall!));
      expect([at('P@5'), at('P@15 %'), at('lift')]).toEqual([p5, p15, lift].map(({ overall }) => three(overall!)));
      expect([at('AP@5'), at('Kendall τ')]).toEqual([ap5, kendall].map(({ overall }) => three(overall!)));
      const written = topics![index + 2]!.slice(1).map(plain);
      expect(written).toEqual([...spearman.perTopic, spearman.overall].map((value) => three(value!)));
    });
    const compared = sample.scoreboard.rows.filter(({ scores }) => scores.spearman.subjectLead);
    expect(tests!.slice(2)).toHaveLength(compared.length);
    compared.forEach(({ scores: { lift } }, index) => {
      const { overall, byTopic } = lift.subjectLead!;
      const [difference, , ahead] = tests![index + 2]!.slice(tests![0]!.indexOf('lift'));
      expect(Number(plain(difference!))).toBeCloseTo(overall, 3);
      expect(ahead).toBe(`${byTopic!.ahead}/${byTopic!.topicCount}`);
    });
  });

  it('is as the formatter of this repository would write it', async () => {
    const text = benchmarkMarkdown(sample);
    expect(await format(text, { parser: 'markdown', printWidth: 120 })).toBe(text);
  });

  it('lets no name become markup or a border', () => {
    const evil = 'a|b\n| x | <b>*c*</b> `d` [e](f)';
    const [main] = tablesOf(benchmarkMarkdown(sampleBenchmark({ noise: { cvs: 1, [evil]: 2 } })));
    for (const line of main!) expect(line.length).toBe(main![0]!.length);
    expect(main!.at(-1)![0]).toBe('a\\|b \\| x \\| \\<b\\>\\*c\\*\\</b\\> \\`d\\` \\[e\\](f)');
  });

  it('has no tests where there is no subject', () => {
    expect(tablesOf(benchmarkMarkdown(sampleBenchmark({ noise: { kmeans: 1 } })))).toHaveLength(2);
  });
});

describe('the benchmark as JSON', () => {
  it('reads back as the same record, to the last digit', () => {
    const text = serialiseBenchmark(sample);
    expect(JSON.parse(text)).toEqual(sample);
    expect(text.endsWith('}\n')).toBe(true);
    expect(text).toContain(String(sample.scoreboard.rows[5]!.scores.ap5.overall));
  });

  it('is the same bytes whatever order the fields came in', () => {
    const backwards = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(backwards);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, item]) => [name, backwards(item)]),
      );
    };
    const text = serialiseBenchmark(backwards(sample) as typeof sample);
    expect(text).toBe(serialiseBenchmark(sample));
    expect(text.slice(0, 30)).toBe('{\n  "schema": "benchmark.2",\n ');
  });

  it('is what its published schema says', () => {
    const written: unknown = JSON.parse(serialiseBenchmark(sample));
    expect(benchmarkDocument.parse(written)).toEqual(written);
  });

  it('keeps names that objects treat specially', () => {
    const topics = JSON.parse('{"__proto__": 0.5, "constructor": 1}') as Record<string, number>;
    const text = serialiseBenchmark({ ...sample, paper: { cvs: { mean: 0.5, topics } } });
    expect(text).toContain('"topics": {"__proto__": 0.5, "constructor": 1}');
  });

  it('leaves out what is not given, and refuses what JSON cannot say', () => {
    const row = {
      ...sample.rows[0]!,
      choice: { method: 'cvs', seed: undefined },
    } as unknown as (typeof sample.rows)[0];
    expect(serialiseBenchmark({ ...sample, rows: [row] })).toContain('"choice": {"method": "cvs"}');
    const broken = { ...sample, paper: { cvs: { mean: Number.NaN, topics: {} } } };
    expect(() => serialiseBenchmark(broken)).toThrow(
      'Expected a finite number in benchmark.paper.cvs.mean, found NaN. Give null for no value.',
    );
  });
});
