import { METRICS, type MetricName } from '../metrics/names.js';
import { WITH_AND_WITHOUT } from '../benchmark.js';
import type { Lead, ScoreRow } from '../types.js';
import { formatDifference, formatInterval, formatP, formatRelative, formatValue } from './text-table.js';
import { comparisons, confidenceOf, paperMean, type Reading, rowLabel } from './read.js';

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
