import pc from 'picocolors';

import type { Benchmark } from '../benchmark.js';
import type { ScoreRow } from '../scoreboard-record.js';
import { mainTable, topicTable } from './columns.js';
import { METRICS } from '../metrics/names.js';
import { chosenLines, headlines } from './headline.js';
import { judgesAVideo, readBenchmark, type Reading } from './read.js';
import { leftOutNotes } from './remarks.js';
import { layTable, type Paint, onOneLine, wrapText } from './text-table.js';

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
  const paint: Paint = (line, place) =>
    place === null ? colors.dim(line) : colorOf(reading.board.rows[place]!, reading, colors)(line);
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
