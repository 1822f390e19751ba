import type { Benchmark } from '../benchmark.js';
import { LEAD_METRICS, METRIC_NAMES, type MetricName } from '../metrics/names.js';
import type { Scoreboard, ScoreRow } from '../types.js';

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
