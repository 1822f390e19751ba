import { METRICS, type MetricName } from '../metrics/names.js';
import type { Lead, ScoreRow } from '../scoreboard-record.js';
import { formatDifference, formatInterval, formatP, formatValue, NONE } from './numbers.js';
import { confidenceOf, isBestMethod, paperMean, type Reading, rowLabel } from './read.js';

/** One column of a table in text; columns of one group stay side by side. */
export type Column = { readonly group: string; readonly heading: string; readonly cells: readonly string[] };

/** A table in text: the names of its lines, and its columns. */
export type Table = { readonly names: readonly string[]; readonly columns: readonly Column[] };

/** The main table, one line per row. Columns without any value are left out. */
export function mainTable(reading: Reading): Table {
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
export function topicTable({ board, topics, lead }: Reading, write: (value: string, best: boolean) => string): Table {
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
export function testTable({ board, lead: leading }: Reading): Table {
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
