import type { Benchmark } from '../benchmark.js';
import { mainTable, type Table, testTable, topicTable } from './columns.js';
import { METRICS } from '../metrics/names.js';
import { chosenLines, headlines } from './headline.js';
import { confidenceOf, readBenchmark } from './read.js';
import { displayWidth, padEnd, padStart } from './text-table.js';

/** The main table, the first measure by topic and the tests as GitHub markdown, padded so that its source is a table too. */
export function benchmarkMarkdown(benchmark: Benchmark): string {
  const reading = readBenchmark(benchmark);
  const { board, topics } = reading;
  const { subject, draws, resamples, ties } = board.settings;
  const name = escapeMarkdown(subject);
  const tests = testTable(reading);
  const chosen = chosenLines(reading).map(escapeMarkdown);
  const codes = topics.filter(({ code, title }) => code !== title);
  const first = METRICS[reading.lead[0] ?? 'ap5'];
  const parts = [
    headlines(reading).map(escapeMarkdown).join(' '),
    tableOf(mainTable(reading)),
    `Intervals: ${confidenceOf(board)}, from ${resamples} resamples of topics and of the videos in them. random, run: the mean of ` +
      `${draws} orders per video. Ties: ${ties}. p by exact sign flips over topics and by t-tests over videos, both corrected by Holm’s method.`,
    ...(chosen.length > 0 ? [[chosen[0]!, chosen.slice(1).map((line) => `- ${line}`).join('\n')].join('\n\n')] : []), // prettier-ignore
    `${first} by topic, the best method of each in bold:`,
    tableOf(topicTable(reading, (value, best) => (best ? `**${value}**` : value))),
    ...(codes.length > 0 ? [codes.map(({ code, title }) => escapeMarkdown(`${code}: ${title}`)).join(' · ')] : []),
    ...(tests.names.length > 0
      ? [`${name} minus each row by each leading measure; topics: in how many ${name} is better:`, tableOf(tests)]
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
