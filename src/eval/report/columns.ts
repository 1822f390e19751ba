import { METRICS, type MetricName } from '../metrics/names.js';
import type { Lead, ScoreRow } from '../scoreboard-record.js';
import {
  formatDifference,
  formatInterval,
  formatP,
  formatRelative,
  formatRatio,
  formatValue,
  NONE,
} from './numbers.js';
import { confidenceOf, isBestMethod, paperMean, type Reading, rowLabel } from './read.js';

/** One column of a table in text; columns of one group stay side by side. */
export type Column = { readonly group: string; readonly heading: string; readonly cells: readonly string[] };

/** A table in text: the names of its lines, and its columns. */
export type Table = { readonly names: readonly string[]; readonly columns: readonly Column[] };

/** The main table, one line per row. Columns without any value are left out. */
export function mainTable(reading: Reading): Table {
  const { board } = reading;
  const column = (group: string, heading: string, cellOf: (row: ScoreRow) => string): Column => ({
    group,
    heading,
    cells: board.rows.map(cellOf),
  });
  const overall = (group: string, name: MetricName): Column =>
    column(group, METRICS[name], ({ scores }) => formatValue(scores[name].overall));
  const lead = (heading: string, cellOf: (lead: Lead) => string | null): Column =>
    column('lead', heading, ({ scores }) => (scores.ap5.subjectLead && cellOf(scores.ap5.subjectLead)) ?? NONE);
  const columns = [
    overall('first', 'ap5'),
    column('first', confidenceOf(board), ({ scores }) => formatInterval(scores.ap5.interval)),
    column('first', 'of mean human', ({ scores }) => formatRelative(scores.ap5.relative)),
    overall('deeper', 'ap15'),
    overall('hits', 'ap5Retrieved'),
    overall('hits', 'ap15Retrieved'),
    overall('marks', 'highlightTop5'),
    overall('marks', 'kendall'),
    overall('marks', 'spearman'),
    column('paper', 'paper AP@5', ({ name }) => formatValue(paperMean(reading, name))),
    lead(`${board.settings.subject} ahead`, ({ overall }) => formatDifference(overall)),
    lead('p', ({ test }) => test && formatP(test.p)),
    lead('power', ({ test }) => test && formatValue(test.power)),
  ];
  return {
    names: board.rows.map(rowLabel),
    columns: columns.filter(({ cells }) => cells.some((cell) => cell !== NONE)),
  };
}

/** AP@5 of every row on every topic; `write` formats a value and learns whether it is the best method's. */
export function topicTable({ board, topics }: Reading, write: (value: string, best: boolean) => string): Table {
  const column = (heading: string, valueOf: (row: ScoreRow) => number | null): Column => {
    const isBest = isBestMethod(board.rows, valueOf);
    return { group: heading, heading, cells: board.rows.map((row) => write(formatValue(valueOf(row)), isBest(row))) };
  };
  return {
    names: board.rows.map(rowLabel),
    columns: [
      ...topics.map(({ code }, topic) => column(code, ({ scores }) => scores.ap5.perTopic[topic]!)),
      column('mean', ({ scores }) => scores.ap5.overall),
    ],
  };
}

/** The subject against every other row at AP@5. */
export function testTable({ board }: Reading): Table {
  const rows = board.rows.flatMap((row) => {
    const lead = row.scores.ap5.subjectLead;
    return lead ? [{ name: rowLabel(row), ...lead }] : [];
  });
  const column = (heading: string, cellOf: (row: (typeof rows)[number]) => string | null): Column => ({
    group: heading,
    heading,
    cells: rows.map((row) => cellOf(row) ?? NONE),
  });
  return {
    names: rows.map(({ name }) => name),
    columns: [
      column('difference', ({ overall }) => formatDifference(overall)),
      column(confidenceOf(board), ({ interval }) => formatInterval(interval)),
      column('videos', ({ test }) => test && String(test.pairCount)),
      column('t', ({ test }) => test && formatRatio(test.t, test)),
      column('p', ({ test }) => test && formatP(test.p)),
      column('power', ({ test }) => test && formatValue(test.power)),
    ],
  };
}
