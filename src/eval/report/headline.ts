import type { Lead, ScoreRow } from '../scoreboard-record.js';
import { formatDifference, formatInterval, formatP, formatRelative, formatValue } from './numbers.js';
import { confidenceOf, paperMean, type Reading, rowLabel } from './read.js';

/** How far from chance (0) to the mean human (1) a row is at AP@5; `null` where people are not above chance. */
export function wayToPeople({ chance, people }: Reading, row: ScoreRow): number | null {
  const [value, low, high] = [ap5Of(row), ap5Of(chance), ap5Of(people)];
  return value === null || low === null || high === null || high <= low ? null : (value - low) / (high - low);
}

const ap5Of = (row: ScoreRow | null): number | null => row && row.scores.ap5.overall;

/** The results in sentences, at AP@5. Non-breaking spaces keep numbers and signs together. */
export function headlines(reading: Reading): readonly string[] {
  return sentences(reading).map((sentence) => sentence.replace(/ (?=[%=<])|(?<=[=<]) |(?<=\[\S+,) /g, '\u00a0'));
}

function sentences(reading: Reading): readonly string[] {
  const { subject, board } = reading;
  if (!board.rows.some(({ kind }) => kind === 'method')) return [peopleAndChance(reading)];
  if (!subject) return [`${board.settings.subject} is not among the rows, so nothing is compared with it.`];
  if (subject.scores.ap5.overall === null) return [`${subject.name} has no AP@5: the labels allow none.`];
  return [
    standing(reading, subject, subject.scores.ap5.overall),
    ...rivals(reading),
    ...context(reading, subject),
    ...paper(reading, subject),
  ];
}

function peopleAndChance({ chance, people }: Reading): string {
  const [low, high] = [ap5Of(chance), ap5Of(people)].map((value) => formatValue(value));
  return `No method was run: at AP@5 chance reaches ${low}, the mean human ${high}.`;
}

function standing(reading: Reading, subject: ScoreRow, value: number): string {
  const reached = `${subject.name} reaches ${formatValue(value)} at AP@5`;
  const [low, high] = [ap5Of(reading.chance), ap5Of(reading.people)];
  if (low === null) return `${reached}.`;
  const random = `chance (${formatValue(low)})`;
  if (high === null)
    return `${reached}, ${formatDifference(value - low)} from ${random}. No video has two judges: people have no score.`;
  const human = `the mean human (${formatValue(high)})`;
  const way = wayToPeople(reading, subject);
  if (way === null) return `${reached}; ${human} is not above ${random} here, so there is no scale to place it on.`;
  if (way > 1) return `${reached}, above ${human}; chance is at ${formatValue(low)}.`;
  if (way < 0) return `${reached}, below ${random}; the mean human is at ${formatValue(high)}.`;
  return `${reached}: ${Math.round(100 * way)} % of the way from ${random} to ${human}${doubt(reading)}.`;
}

/** Added only if the lead over chance may itself be chance. */
function doubt({ chance, board: { settings } }: Reading): string {
  const test = chance?.scores.ap5.subjectLead?.test;
  return test && test.p >= settings.level ? `, which may be luck (p = ${formatP(test.p)} against random)` : '';
}

/** What the rows of a benchmark are called. */
const RIVALS = { methods: 'methods', ablation: 'variants', features: 'kinds of features' } as const;

function rivals({ board, benchmark: { kind } }: Reading): readonly string[] {
  const others = board.rows.flatMap((row) => {
    const lead = row.scores.ap5.subjectLead;
    return row.kind === 'method' && lead ? [{ name: rowLabel(row), lead }] : [];
  });
  const ahead = others.filter(({ lead }) => lead.overall > 0);
  const behind = others.filter(({ lead }) => lead.overall < 0);
  const equal = others.filter(({ lead }) => lead.overall === 0);
  const { level } = board.settings;
  const sure = ahead.filter(({ lead }) => lead.test !== null && lead.test.p < level);
  const count = others.length === 1 ? listOf(others) : `${ahead.length} of ${others.length} other ${RIVALS[kind]}`;
  const test = others.length === 1 ? others[0]!.lead.test : null;
  const how = test ? `p = ${formatP(test.p)}` : `with p < ${level} against ${sure.length > 0 ? listOf(sure) : 'none'}`;
  return [
    ...(ahead.length > 0 ? [`It is ahead of ${count}${ahead.some(({ lead }) => lead.test) ? `, ${how}` : ''}.`] : []),
    ...(behind.length > 0 ? [`It is behind ${listOf(behind)}.`] : []),
    ...(equal.length > 0 ? [`It is level with ${listOf(equal)}.`] : []),
  ];
}

function listOf(rows: readonly { readonly name: string; readonly lead: Lead }[]): string {
  const names = rows.map(({ name, lead }) => `${name} (${formatDifference(lead.overall)})`);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function context({ board }: Reading, subject: ScoreRow): readonly string[] {
  const alone = board.rows.find(({ name }) => name === 'cvs-neighborhood')?.scores.ap5.subjectLead;
  if (!alone || subject.name !== 'cvs') return [];
  const { overall, interval, test } = alone;
  const sure = [
    ...(interval ? [`${confidenceOf(board)} interval ${formatInterval(interval)}`] : []),
    ...(test ? [`p = ${formatP(test.p)}`] : []),
  ];
  return [
    `Seeing the other videos is worth ${formatDifference(overall)}${sure.length ? ` (${sure.join(', ')})` : ''}.`,
  ];
}

function paper(reading: Reading, subject: ScoreRow): readonly string[] {
  const [theirs, human] = [paperMean(reading, subject.name), paperMean(reading, 'humanMean')];
  if (theirs === null) return [];
  const { relative } = subject.scores.ap5;
  const compared =
    human === null || relative === null
      ? ''
      : `, ${formatRelative(theirs / human)} of its mean human; here it is ${formatRelative(relative)}`;
  return [`The paper reports ${formatValue(theirs)} for ${subject.name}${compared}.`];
}
