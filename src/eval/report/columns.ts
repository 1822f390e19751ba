import pc from 'picocolors';
import { type Benchmark, WITH_AND_WITHOUT } from '../benchmark.js';
import { type MetricName, METRICS } from '../metrics/names.js';
import type { Lead, ScoreRow } from '../types.js';
import {
  comparisons,
  confidenceOf,
  isBestMethod,
  judgesAVideo,
  paperMean,
  readBenchmark,
  type Reading,
  rowLabel,
  displayWidth,
  formatDifference,
  formatInterval,
  formatP,
  formatRelative,
  formatValue,
  layTable,
  NONE,
  onOneLine,
  padEnd,
  padStart,
  type Paint,
  wrapText,
} from './text-table.js';

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

/** The results in sentences, by the leading measures. Non-breaking spaces keep numbers and signs together. */
export function headlines(reading: Reading): readonly string[] {
  return sentences(reading).map((sentence) => sentence.replace(/ (?=[%=<])|(?<=[=<]) |(?<=\[\S+,) /g, '\u00a0'));
}

/** What was chosen for each topic on the others, a line per row and topic; empty without nested rows. */
export function chosenLines({ benchmark: { nested } }: Reading): readonly string[] {
  if (nested === null) return [];
  const lines = nested.rows.flatMap(({ name, chosen, candidates }) =>
    chosen.map(({ topic, candidate, onOthers }) => {
      const from = `${formatRelative(onOthers)} of the way from chance to one person on the other topics`;
      return `${name} on ${topic}: ${candidate} (of ${candidates.length}; ${from}).`;
    }),
  );
  return [nested.criterion, ...lines];
}

function sentences(reading: Reading): readonly string[] {
  const { subject, board, lead } = reading;
  if (lead.length === 0) return ['The labels allow no measure.'];
  if (!board.rows.some(({ kind }) => kind === 'method')) return [`No method was run. ${yardsticks(reading)}`];
  if (!subject) return [`${board.settings.subject} is not among the rows, so nothing is compared with it.`];
  return [
    `${subject.name} reaches ${figures(reading, subject)}. ${yardsticks(reading)}`,
    ...verdicts(reading),
    ...context(reading, subject),
    ...paper(reading, subject),
  ];
}

/** The leading measures of a row: `ρ 0.090, P@5 0.602`. */
function figures({ lead }: Reading, { scores }: ScoreRow): string {
  return lead.map((name) => `${METRICS[name]} ${formatValue(scores[name].overall)}`).join(', ');
}

/** What people and blind orders reach. */
function yardsticks(reading: Reading): string {
  const { board, people, chance } = reading;
  const middle = board.rows.find(({ name }) => name === 'middle');
  const parts = [
    ...(people && people.scores[reading.lead[0]!].overall !== null
      ? [`One person against the others reaches ${figures(reading, people)}`]
      : ['No video has two judges, so people have no score']),
    ...(middle ? [`the middle of the film, which sees no picture, ${figures(reading, middle)}`] : []),
    ...(chance ? [`chance ${figures(reading, chance)}`] : []),
  ];
  return `${parts.join('; ')}.`;
}

/** Which rows the subject is ahead of, behind, and not told apart from, measure by measure, as the corrected tests say. */
function verdicts(reading: Reading): readonly string[] {
  const { board, lead } = reading;
  const { level } = board.settings;
  const topics = board.topics.length;
  const { count, isByTopic } = comparisons(board);
  const pOf = ({ byTopic, byVideo }: Lead): number | null => (isByTopic ? byTopic : byVideo)?.holm ?? null;
  const measuresBySaid = new Map<string, string[]>();
  for (const name of lead) {
    const said = verdict(reading, name, pOf);
    if (said !== null) measuresBySaid.set(said, [...(measuresBySaid.get(said) ?? []), METRICS[name]]);
  }
  if (measuresBySaid.size === 0) return [];
  const how = isByTopic
    ? `Tested over ${topics} topics (exact sign flips), corrected by Holm’s method, at level ${level}:`
    : `${topics === 1 ? 'One topic allows' : `${topics} topics allow`} no p below ${formatP(2 ** (1 - topics))}, too much for ${count} comparisons, so rows are tested over videos, which are not independent inside a topic (paired t-tests, corrected by Holm’s method, level ${level}):`;
  const { subject } = board.settings;
  return [how, ...[...measuresBySaid].map(([said, measures]) => `By ${listOf(measures)}, ${subject} is ${said}.`)];
}

function verdict({ board }: Reading, name: MetricName, pOf: (lead: Lead) => number | null): string | null {
  const compared = board.rows.flatMap((row) => {
    const lead = row.scores[name].subjectLead;
    const isExtreme = row.kind === 'human' && row.name !== 'humanMean';
    const p = lead && pOf(lead);
    return lead && p !== null && !isExtreme ? [{ row, lead, isClear: p < board.settings.level }] : [];
  });
  const list = (words: string, rows: typeof compared, withLead = true): string[] => {
    const names = rows.map(({ row, lead }) =>
      withLead ? `${rowLabel(row)} (${formatDifference(lead.overall)})` : rowLabel(row),
    );
    return names.length === 0 ? [] : [`${words} ${listOf(names)}`];
  };
  const parts = [
    ...list('ahead of', compared.filter(({ isClear, lead }) => isClear && lead.overall > 0)),
    ...list('behind', compared.filter(({ isClear, lead }) => isClear && lead.overall < 0)),
    ...list('not told apart from', compared.filter(({ isClear }) => !isClear), false),
  ]; // prettier-ignore
  return parts.length === 0 ? null : parts.join('; ');
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** What seeing the other videos is worth to the subject. */
function context({ board, lead }: Reading, subject: ScoreRow): readonly string[] {
  const without = WITH_AND_WITHOUT.find(([name]) => name === subject.name)?.[1];
  const row = board.rows.find(({ name }) => name === without);
  const parts = lead.flatMap((name) => {
    const gain = row?.scores[name].subjectLead;
    if (!gain) return [];
    const { overall, interval, byTopic, byVideo } = gain;
    const sure = [
      ...(interval ? [`${confidenceOf(board)} interval ${formatInterval(interval)}`] : []),
      ...(byTopic ? [`better in ${byTopic.ahead} of ${byTopic.topicCount} topics, p = ${formatP(byTopic.p)}`] : []),
      ...(byVideo ? [`over videos p = ${formatP(byVideo.p)}`] : []),
    ];
    return [`${formatDifference(overall)} ${METRICS[name]}${sure.length > 0 ? ` (${sure.join('; ')})` : ''}`];
  });
  return parts.length === 0 ? [] : [`Seeing the other videos is worth ${listOf(parts)}.`];
}

/** Human rows that differ by more are not on one scale. */
const SAME_SCALE = 0.02;

/** The paper's figure, and its share of its people only where its people score as ours do. */
function paper(reading: Reading, subject: ScoreRow): readonly string[] {
  const theirs = paperMean(reading, subject.name);
  if (theirs === null) return [];
  const people = reading.board.rows.filter(({ kind }) => kind === 'human');
  const pairs = people.map((row) => [paperMean(reading, row.name), row.scores.ap5.overall] as const);
  const agrees =
    pairs.length > 0 &&
    pairs.every(([one, other]) => one !== null && other !== null && Math.abs(one - other) <= SAME_SCALE);
  const [human, ours] = [paperMean(reading, 'humanMean'), subject.scores.ap5.relative];
  const reported = `The paper reports an AP@5 of ${formatValue(theirs)} for ${subject.name}`;
  if (agrees && human !== null && ours !== null)
    return [`${reported}, ${formatRelative(theirs / human)} of its mean human; here it is ${formatRelative(ours)}.`];
  const list = (side: 0 | 1): string => pairs.map((pair) => formatValue(pair[side])).join(', ');
  return [
    `${reported}; its people (worst, mean, best: ${list(0)}) do not score as these do (${list(1)}), so the two are not on one scale.`,
  ];
}

/** Why videos that were read are not in the tables. */
export function leftOutNotes({ board }: Reading): readonly string[] {
  return board.leftOut.map(({ video, missing }) => `Left out ${video}: no ranking by ${missing.join(', ')}.`);
}
