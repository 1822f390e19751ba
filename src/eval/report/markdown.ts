import type { Benchmark } from '../benchmark.js';
import { mainTable, type Table, testTable, topicTable } from './columns.js';
import { headlines } from './headline.js';
import { confidenceOf, readBenchmark } from './read.js';
import { displayWidth, padEnd, padStart } from './text-table.js';

/** The main table, AP@5 by topic and the paired tests as GitHub markdown, padded so that its source is a table too. */
export function benchmarkMarkdown(benchmark: Benchmark): string {
  const reading = readBenchmark(benchmark);
  const { board, topics } = reading;
  const { subject, draws, resamples, level } = board.settings;
  const name = escapeMarkdown(subject);
  const tests = testTable(reading);
  const codes = topics.filter(({ code, title }) => code !== title);
  const parts = [
    headlines(reading).map(escapeMarkdown).join(' '),
    tableOf(mainTable(reading)),
    `Intervals: ${confidenceOf(board)}, from ${resamples} resamples of the videos inside topics. Random: the mean of ` +
      `${draws} orders per video. "${name} ahead", p and power: ${name} minus the row at AP@5.`,
    'AP@5 by topic, the best method of each in bold:',
    tableOf(topicTable(reading, (value, best) => (best ? `**${value}**` : value))),
    ...(codes.length > 0 ? [codes.map(({ code, title }) => escapeMarkdown(`${code}: ${title}`)).join(' · ')] : []),
    ...(tests.names.length > 0
      ? [`${name} against each row, paired by video; power at level ${level}:`, tableOf(tests)]
      : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function tableOf({ names, columns }: Table): string {
  const first = ['', ...names.map(escapeMarkdown)];
  const nameWidth = Math.max(3, ...first.map(displayWidth));
  const rest = columns.map(({ heading, cells }) => {
    const lines = [escapeMarkdown(heading), ...cells];
    return { lines, width: Math.max(3, ...lines.map(displayWidth)) };
  });
  const lines = first.map((name, line) => [
    padEnd(name, nameWidth),
    ...rest.map(({ lines, width }) => padStart(lines[line]!, width)),
  ]);
  const rule = ['-'.repeat(nameWidth), ...rest.map(({ width }) => `${'-'.repeat(width - 1)}:`)];
  return [lines[0]!, rule, ...lines.slice(1)].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Any text on one line, escaped so that none of it is read as markup. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').replace(/[\\`*_{}[\]<>|#~&]/g, '\\$&');
}
