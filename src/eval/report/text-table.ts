import { compareTexts, NumericError } from '../../base/index.js';
import type { Benchmark } from '../benchmark.js';
import { LEAD_METRICS, METRIC_NAMES, type MetricName } from '../metrics/names.js';
import type { Interval, PairedTest } from '../statistics/paired-test.js';
import type { Scoreboard, ScoreRow } from '../types.js';
import type { Column, Table } from './columns.js';

/** Characters two columns wide: East Asian wide and full-width ones (Unicode Annex 11), and emoji. */
const WIDE = new RegExp(
  '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\u4dbf\\u4e00-\\ua4cf\\ua960-\\ua97c\\uac00-\\ud7a3\\uf900-\\ufaff' +
    '\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}\\p{Emoji_Presentation}]',
  'u',
);
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}]/u;

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += WITHOUT_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** A text on one line. Names are other people's text: nothing in them may move the cursor or look like a line of ours. */
export function onOneLine(text: string): string {
  return text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ').replace(/\p{C}/gu, '?');
}

/** A text in lines of at most `width` columns, broken at plain spaces; a longer word is broken where it must be. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((word) => word !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (displayWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = breakWord(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1)!;
  }
  return line === '' ? lines : [...lines, line];
}

function breakWord(word: string, width: number): string[] {
  const pieces = [''];
  for (const character of word) {
    if (pieces.at(-1) !== '' && displayWidth(pieces.at(-1)! + character) > width) pieces.push('');
    pieces[pieces.length - 1] += character;
  }
  return pieces;
}

/** Pads a text to so many columns of a terminal. */
export const padStart = (text: string, width: number): string => ' '.repeat(width - displayWidth(text)) + text;
export const padEnd = (text: string, width: number): string => text + ' '.repeat(width - displayWidth(text));

const GAP = '  ';
/** Headings are wrapped to the width of their numbers, or this; words longer than `LONGEST_WORD` are broken. */
const HEADING_WIDTH = 7;
const LONGEST_WORD = 12;
/** Names of lines get at least this width, and more only up to a third of the line. */
const NAME_WIDTH = 16;

/** Colours a line by its place in the table; `null` for headings. */
export type Paint = (line: string, index: number | null) => string;

/**
 * A table in lines of at most `width` columns: columns that do not fit go under the others, names again before them.
 * Numbers are never cut; where a single column does not fit, the line is longer.
 */
export function layTable({ names, columns }: Table, width: number, paint: Paint): string[] {
  const legible = names.map(onOneLine);
  const widest = Math.max(0, ...legible.map(displayWidth));
  const nameWidth = Math.min(widest, Math.max(NAME_WIDTH, Math.floor(width / 3)));
  const wrapped = legible.map((name) => wrapText(name, nameWidth));
  const set = columns.map(setColumn);
  return packBands(set, width - nameWidth).flatMap((band, index) => [
    ...(index === 0 ? [] : ['']),
    ...headingLines(band, nameWidth).map((line) => paint(line, null)),
    ...wrapped.flatMap(([first = '', ...more], row) => {
      const cells = band.map(({ cells, width }) => GAP + padStart(cells[row]!, width)).join('');
      const line = (padEnd(first, nameWidth) + cells).trimEnd();
      return [paint(line, row), ...more.map((rest) => paint(`  ${rest}`, row))];
    }),
  ]);
}

type SetColumn = Column & { readonly lines: readonly string[]; readonly width: number };

function setColumn(column: Column): SetColumn {
  const cells = Math.max(0, ...column.cells.map(displayWidth));
  const heading = onOneLine(column.heading).replaceAll('_', ' ');
  const longestWord = Math.max(...heading.split(' ').map(displayWidth));
  const lines = wrapText(heading, Math.max(cells, HEADING_WIDTH, Math.min(LONGEST_WORD, longestWord)));
  return { ...column, lines, width: Math.max(cells, ...lines.map(displayWidth)) };
}

function headingLines(band: readonly SetColumn[], nameWidth: number): string[] {
  const height = Math.max(...band.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, at) => {
    const cells = band.map(({ lines, width }) => GAP + padStart(lines[at - (height - lines.length)] ?? '', width));
    return (' '.repeat(nameWidth) + cells.join('')).trimEnd();
  });
}

/** Groups stay together while they fit on one line; bands are as even as their number allows. */
function packBands(columns: readonly SetColumn[], room: number): SetColumn[][] {
  const groups: SetColumn[][] = [];
  for (const column of columns) {
    const last = groups.at(-1);
    if (last?.[0]?.group === column.group) last.push(column);
    else groups.push([column]);
  }
  const blocks = groups.flatMap((group) => (sizeOf(group) <= room ? [group] : group.map((column) => [column])));
  let bands = fillBands(blocks, room);
  for (let tighter = room - 1; tighter > 0; tighter--) {
    const next = fillBands(blocks, tighter);
    if (next.length > bands.length) break;
    bands = next;
  }
  return bands;
}

function fillBands(blocks: readonly (readonly SetColumn[])[], room: number): SetColumn[][] {
  const bands: SetColumn[][] = [];
  for (const block of blocks) {
    const last = bands.at(-1);
    if (last && sizeOf([...last, ...block]) <= room) last.push(...block);
    else bands.push([...block]);
  }
  return bands;
}

function sizeOf(columns: readonly SetColumn[]): number {
  return columns.reduce((sum, { width }) => sum + GAP.length + width, 0);
}

/** Written where the labels allow no value. */
export const NONE = '–';

/** Digits after the point of every score, as in the paper's tables. */
const DIGITS = 3;

/** A score: `0.451`, `−0.012`. */
export function formatValue(value: number | null, digits = DIGITS): string {
  return value === null ? NONE : withMinus(value.toFixed(digits));
}

/** A difference, always with its sign: `+0.041`. */
export function formatDifference(value: number): string {
  const text = formatValue(value);
  return value > 0 && Number(text) > 0 ? `+${text}` : text;
}

/** `[0.432, 0.470]`. */
export function formatInterval(interval: Interval | null): string {
  return interval === null ? NONE : `[${formatValue(interval.low)}, ${formatValue(interval.high)}]`;
}

/** A score as a share of another: `79.7 %`. */
export function formatRelative(relative: number | null): string {
  return relative === null ? NONE : `${formatValue(100 * relative, 1)} %`;
}

/** A probability: `0.012`, below a thousandth `4.2e-7`; never rounded to zero. */
export function formatP(p: number): string {
  if (p === 0) return '0';
  return p < 0.001 ? p.toExponential(1) : formatValue(p);
}

/** A t or an effect size; `null` is infinite: the differences are all alike and not zero. */
export function formatRatio(ratio: number | null, { meanDifference }: PairedTest): string {
  return ratio === null ? `${meanDifference < 0 ? '−' : ''}∞` : formatValue(ratio, 2);
}

/** A number of an axis, with all its digits. */
export function formatTick(tick: number): string {
  return withMinus(String(tick));
}

/** The typographic minus, and none before a zero. */
function withMinus(text: string): string {
  return text.replace(/^-/, Number(text) === 0 ? '' : '−');
}

/** A benchmark read once for all its faces. */
export type Reading = {
  readonly benchmark: Benchmark;
  readonly board: Scoreboard;
  /** What was compared on what: `TVSum: the methods compared`. */
  readonly title: string;
  /** The method every other row is compared with; `null` where it was not run. */
  readonly subject: ScoreRow | null;
  readonly chance: ScoreRow | null;
  readonly people: ScoreRow | null;
  /** Measures of which some row has a value, in the order of tables. */
  readonly measures: readonly MetricName[];
  /** Those of the leading measures of which some row has a value, or failing that the first measure. */
  readonly lead: readonly MetricName[];
  /** Topics scored, in the order of `perTopic`. */
  readonly topics: readonly { readonly code: string; readonly title: string }[];
};

const DATASETS: Readonly<Record<Benchmark['dataset']['name'], string>> = {
  tvsum: 'TVSum',
  cosum: 'CoSum',
  summe: 'SumMe',
};

const KINDS: Readonly<Record<Benchmark['kind'], string>> = {
  methods: 'the methods compared',
  ablation: 'cvs without its parts',
  features: 'kinds of features compared',
};

/** Works out once what all faces of a benchmark need. */
export function readBenchmark(benchmark: Benchmark): Reading {
  const { scoreboard: board, dataset, kind } = benchmark;
  const named = (name: string): ScoreRow | null => board.rows.find((row) => row.name === name) ?? null;
  const titles = new Map(dataset.topics.map(({ code, title }) => [code, title]));
  const measures = METRIC_NAMES.filter((name) => board.rows.some(({ scores }) => scores[name].overall !== null));
  const lead = LEAD_METRICS.filter((name) => measures.includes(name));
  return {
    benchmark,
    board,
    title: `${DATASETS[dataset.name]}: ${KINDS[kind]}`,
    subject: named(board.settings.subject),
    chance: named('random'),
    people: named('humanMean'),
    measures,
    lead: lead.length > 0 ? lead : measures.slice(0, 1),
    topics: board.topics.map((code) => ({ code, title: titles.get(code) ?? code })),
  };
}

const HUMANS: Readonly<Record<string, string>> = {
  humanWorst: 'worst person',
  humanMean: 'one person',
  humanBest: 'best person',
};

/** A row as people read it: methods go by their own name. */
export function rowLabel({ kind, name }: Pick<ScoreRow, 'kind' | 'name'>): string {
  return kind === 'human' ? (HUMANS[name] ?? name) : name;
}

/** The paper's AP@5 of a row; `null` where it has none. Names come from outside, so only own keys count. */
export function paperMean({ benchmark: { paper } }: Reading, name: string): number | null {
  return paper && Object.hasOwn(paper, name) ? paper[name]!.mean : null;
}

/** As `paperMean`, for one topic. */
export function paperTopic({ benchmark: { paper } }: Reading, name: string, topic: string): number | null {
  const topics = paper && Object.hasOwn(paper, name) ? paper[name]!.topics : {};
  return Object.hasOwn(topics, topic) ? topics[topic]! : null;
}

/** The greatest of the methods' values; people and floors do not compete. */
export function bestMethod(rows: readonly ScoreRow[], valueOf: (row: ScoreRow) => number | null): number | null {
  const values = rows.filter(({ kind }) => kind === 'method').map(valueOf);
  return values.reduce((most, value) => (value !== null && (most === null || value > most) ? value : most), null);
}

/** Whether a row is a method and reaches the best of them; ties are all best. */
export function isBestMethod(
  rows: readonly ScoreRow[],
  valueOf: (row: ScoreRow) => number | null,
): (row: ScoreRow) => boolean {
  const best = bestMethod(rows, valueOf);
  return (row) => row.kind === 'method' && best !== null && valueOf(row) === best;
}

/** `95 %`. */
export function confidenceOf({ settings }: Scoreboard): string {
  return `${Number((100 * settings.confidence).toPrecision(6))} %`;
}

/** How many judges a video has, and the words for it: `15 to 18`, `judges per video`. */
export function judgesAVideo({ videos }: Scoreboard): readonly [string, string] {
  const counts = videos.map(({ judgeCount }) => judgeCount);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return [least === most ? String(most) : `${least} to ${most}`, `${most === 1 ? 'judge' : 'judges'} per video`];
}

/** How many rows the subject is compared with, and whether there are topics enough for a corrected test over them to be clear. */
export function comparisons({ rows, topics, settings }: Scoreboard): { count: number; isByTopic: boolean } {
  const count = rows.filter(({ name }) => name !== settings.subject).length;
  return { count, isByTopic: 2 ** (1 - topics.length) * count < settings.level };
}

/** Fields that identify a record come first; the others follow by name, so that equal records are equal bytes. */
const FIRST = ['schema', 'id', 'name', 'code', 'video', 'path', 'row', 'shot'];

/** `benchmark.json`: numbers in full, fields in a fixed order, plain lists and records on one line, a final newline. */
export function serialiseBenchmark(benchmark: Benchmark): string {
  return `${write(benchmark, '', 'benchmark')}\n`;
}

function write(value: unknown, indent: string, field: string): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new NumericError(
      'not-finite',
      `Expected a finite number in ${field}, found ${value}. Give null for no value.`,
    );
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const list = Array.isArray(value);
  const items = list
    ? value.map((item, index) => write(item, inner, `${field}[${index}]`))
    : fieldsOf(value).map(([name, item]) => `${JSON.stringify(name)}: ${write(item, inner, `${field}.${name}`)}`);
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  if (items.length === 0 || Object.values(value).every(isPlain)) return `${open}${items.join(', ')}${close}`;
  return `${open}\n${items.map((item) => inner + item).join(',\n')}\n${indent}${close}`;
}

function fieldsOf(record: object): [string, unknown][] {
  const placeOf = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return Object.entries(record)
    .filter(([, item]) => item !== undefined)
    .sort(([one], [other]) => placeOf(one) - placeOf(other) || compareTexts(one, other));
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
