import pc from 'picocolors';

import { METRICS, type MetricName } from '../metrics/names.js';
import type { Lead, ScoreRow } from '../types.js';
import {
  formatDifference,
  formatInterval,
  formatP,
  formatValue,
  NONE,
  displayWidth,
  padEnd,
  padStart,
  layTable,
  type Paint,
  onOneLine,
  wrapText,
} from './text-table.js';
import { confidenceOf, isBestMethod, paperMean, type Reading, rowLabel, readBenchmark, judgesAVideo } from './read.js';
import type { Benchmark } from '../benchmark.js';
import { chosenLines, headlines, leftOutNotes } from './headline.js';

/** One column of a table in text; columns of one group stay side by side. */
export type Column = { readonly group: string; readonly heading: string; readonly cells: readonly string[] };

/** A table in text: the names of its lines, and its columns. */
export type Table = { readonly names: readonly string[]; readonly columns: readonly Column[] };

/** The main table, one line per row. Columns without any value are left out. */
function mainTable(reading: Reading): Table {
  const { board, lead: leading } = reading;
  const first = leading[0] ?? 'ap5';
  const column = (group: string, heading: string, cellOf: (row: ScoreRow) => string): Column => ({
    group,
    heading,
    cells: board.rows.map(cellOf),
  });
  const overall = (group: string, name: MetricName): Column =>
    column(group, METRICS[name], ({ scores }) => formatValue(scores[name].overall));
  const ahead = (heading: string, cellOf: (lead: Lead) => string | null): Column =>
    column('lead', heading, ({ scores }) => (scores[first].subjectLead && cellOf(scores[first].subjectLead)) ?? NONE);
  const columns = [
    overall('first', first),
    column('first', confidenceOf(board), ({ scores }) => formatInterval(scores[first].interval)),
    ...leading.slice(1).map((name) => overall('first', name)),
    overall('precision', 'ap5'),
    overall('precision', 'ap15'),
    overall('hits', 'ap5Retrieved'),
    overall('hits', 'ap15Retrieved'),
    overall('marks', 'highlightTop5'),
    overall('marks', 'kendall'),
    column('paper', 'paper AP@5', ({ name }) => formatValue(paperMean(reading, name))),
    ahead(`${board.settings.subject} ahead by ${METRICS[first]}`, ({ overall }) => formatDifference(overall)),
    ahead('topics', ({ byTopic }) => byTopic && `${byTopic.ahead}/${byTopic.topicCount}`),
    ahead('p topics', ({ byTopic }) => byTopic && formatP(byTopic.holm)),
    ahead('p videos', ({ byVideo }) => byVideo && formatP(byVideo.holm)),
  ];
  return {
    names: board.rows.map(rowLabel),
    columns: columns.filter(({ cells }) => cells.some((cell) => cell !== NONE)),
  };
}

/** The first leading measure of every row on every topic; `write` formats a value and learns whether it is the best method's. */
function topicTable({ board, topics, lead }: Reading, write: (value: string, best: boolean) => string): Table {
  const name = lead[0] ?? 'ap5';
  const column = (heading: string, valueOf: (row: ScoreRow) => number | null): Column => {
    const isBest = isBestMethod(board.rows, valueOf);
    return { group: heading, heading, cells: board.rows.map((row) => write(formatValue(valueOf(row)), isBest(row))) };
  };
  return {
    names: board.rows.map(rowLabel),
    columns: [
      ...topics.map(({ code }, topic) => column(code, ({ scores }) => scores[name].perTopic[topic]!)),
      column('mean', ({ scores }) => scores[name].overall),
    ],
  };
}

/** The subject against every other row by each leading measure. */
function testTable({ board, lead: leading }: Reading): Table {
  const rows = board.rows.filter(({ scores }) => leading.some((name) => scores[name].subjectLead !== null));
  const columns = leading.flatMap((name) => {
    const column = (heading: string, cellOf: (lead: Lead) => string | null): Column => ({
      group: name,
      heading,
      cells: rows.map(({ scores }) => (scores[name].subjectLead && cellOf(scores[name].subjectLead)) ?? NONE),
    });
    return [
      column(METRICS[name], ({ overall }) => formatDifference(overall)),
      column(confidenceOf(board), ({ interval }) => formatInterval(interval)),
      column('topics', ({ byTopic }) => byTopic && `${byTopic.ahead}/${byTopic.topicCount}`),
      column('p topics', ({ byTopic }) => byTopic && formatP(byTopic.holm)),
      column('p videos', ({ byVideo }) => byVideo && formatP(byVideo.holm)),
    ];
  });
  return { names: rows.map(rowLabel), columns };
}

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

/** Narrower terminals are treated as if they had this many columns. */
const NARROWEST = 40;

/**
 * The benchmark as text for a terminal `width` columns wide: the results in words, the main table, the first measure by topic, notes
 * and protocol. Columns that do not fit side by side go below each other.
 */
export function benchmarkTable(
  benchmark: Benchmark,
  { width, color }: { readonly width: number; readonly color: boolean },
): string {
  const reading = readBenchmark(benchmark);
  const colors = pc.createColors(color);
  const room = Math.max(NARROWEST, Math.floor(width));
  const paint: Paint = (line, index) =>
    index === null ? colors.dim(line) : colorOf(reading.board.rows[index]!, reading, colors)(line);
  const prose = (text: string, indent = ''): string[] =>
    wrapText(onOneLine(text), room - indent.length).map((line, at) => (at === 0 ? '' : indent) + line);
  const list = (title: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : ['', colors.bold(title), ...items.flatMap((item) => prose(`- ${item}`, '  '))];
  const lines = [
    ...prose(reading.title).map(colors.bold),
    ...prose(counts(reading)),
    '',
    ...headlines(reading).flatMap((sentence) => prose(sentence)),
    '',
    ...layTable(mainTable(reading), room, paint),
    '',
    colors.bold(`${METRICS[reading.lead[0] ?? 'ap5']} by topic`) + colors.dim('  * the best method'),
    ...layTable(
      topicTable(reading, (value, best) => value + (best ? '*' : ' ')),
      room,
      paint,
    ),
    ...prose(legend(reading)).map(colors.dim),
    ...list('Chosen for each topic on the other topics', chosenLines(reading)),
    ...list('Notes', [...benchmark.notes, ...benchmark.dataset.notes, ...leftOutNotes(reading)]),
    ...list(
      'Skipped',
      benchmark.skipped.map(({ path, code, message }) => `${path}: ${message} (${code})`),
    ),
    ...list('Protocol', benchmark.protocol),
  ];
  return `${lines.join('\n').replaceAll('\u00a0', ' ')}\n`;
}

function colorOf({ kind, name }: ScoreRow, { board }: Reading, colors: ReturnType<typeof pc.createColors>) {
  if (name === board.settings.subject) return colors.bold;
  return kind === 'human' ? colors.cyan : kind === 'floor' ? colors.dim : (line: string) => line;
}

function counts({ benchmark, board, topics }: Reading): string {
  return [
    `${topics.length} ${topics.length === 1 ? 'topic' : 'topics'}`,
    `${board.videos.length} of ${benchmark.dataset.labelledVideos} labelled videos`,
    judgesAVideo(board).join(' '),
    `throughline ${benchmark.throughline}`,
  ].join(' · ');
}

/** The titles of topics whose codes do not say them. */
function legend({ topics }: Reading): string {
  const said = (code: string): string => code.replaceAll('_', ' ').toLowerCase();
  return topics
    .filter(({ code, title }) => said(code) !== title.toLowerCase())
    .map(({ code, title }) => `${code} ${title}`)
    .join(', ');
}
