import { UsageError } from '../base/index.js';
import type { Contender } from './jury.js';
import { meanOf, LEAD_METRICS } from './metrics/names.js';
import type { Benchmark, BenchmarkRequest } from './benchmark.js';
import type { LabelledVideo, Scoreboard, ScoreRow } from './types.js';
import { EVIDENCE_TERMS, type EvidenceTerm } from '../topic/index.js';
import { FETCHED_NAMES, type FeatureName, type Normalisation } from '../features/index.js';

/** The candidates of each nested row. The first of equally good ones is chosen. */
export type CandidateLists = NonNullable<BenchmarkRequest['nested']>;
/** One setting that may be chosen. */
export type Candidate = CandidateLists[string][number];
/** What was chosen for each topic, and from what. */
export type NestedRecord = NonNullable<Benchmark['nested']>;
/** One nested row. */
export type NestedRow = NestedRecord['rows'][number];

/** How a candidate is judged, in a sentence of every record. */
const CRITERION =
  'For each topic the candidate is taken that is best on the other topics, by the mean of ρ, P@5, P@15 % and lift, ' +
  'each as (candidate − chance) / (one person − chance) of the means over those topics.';

/** The name under which a candidate is ranked and scored. */
export const candidateKey = (row: string, { name }: Candidate): string => `${row}: ${name}`;

/**
 * Chooses for each topic the candidate that is best on the others. `board` has a row for each candidate, named by
 * `candidateKey`, with people and chance on the same videos.
 */
export function chooseNested(lists: CandidateLists, board: Scoreboard): NestedRecord {
  requireOtherTopics(board.topics);
  const rows = new Map(board.rows.map((row) => [row.name, row]));
  return {
    criterion: CRITERION,
    rows: Object.entries(lists).map(([name, list]): NestedRow => {
      const candidates = list.map((candidate) => {
        const row = rows.get(candidateKey(name, candidate))!;
        return {
          ...candidate,
          options: candidate.options ?? {},
          perTopic: Object.fromEntries(
            LEAD_METRICS.map((metric) => [metric, row.scores[metric].perTopic]),
          ) as NestedRow['candidates'][number]['perTopic'],
          onOthers: board.topics.map((_, left) => criterion(row, rows, left)),
        };
      });
      const chosen = board.topics.map((topic, left) => {
        const best = candidates.reduce((one, other) => (other.onOthers[left]! > one.onOthers[left]! ? other : one));
        return { topic, candidate: best.name, onOthers: best.onOthers[left]! };
      });
      return { name, candidates, chosen };
    }),
  };
}

/** Refuses a single topic: there are no others to choose on. */
export function requireOtherTopics(topics: readonly string[]): void {
  if (topics.length > 1) return;
  throw new UsageError(
    'one-topic',
    `Expected at least two topics to choose on the others, found ${topics.join(', ')}. Add a topic, or leave out the nesting.`,
  );
}

/** The mean over the leading measures of (row − chance) / (one person − chance), each the mean over all topics but `left`. */
function criterion(row: ScoreRow, rows: ReadonlyMap<string, ScoreRow>, left: number): number {
  const shares = LEAD_METRICS.map((metric) => {
    const on = (one: ScoreRow): number | null =>
      meanOf(one.scores[metric].perTopic.filter((_, topic) => topic !== left));
    const [value, chance, person] = [on(row), on(rows.get('random')!), on(rows.get('humanMean')!)];
    if (value === null || chance === null || person === null || person <= chance) return null;
    return (value - chance) / (person - chance);
  });
  return meanOf(shares) ?? 0;
}

/** The rankings of a nested row: each video as the candidate chosen for its topic ranks it. */
export function nestedResults<Ranked extends Contender | readonly Contender[]>(
  { name, chosen }: NestedRow,
  videos: readonly LabelledVideo[],
  ranked: Readonly<Record<string, ReadonlyMap<string, Ranked>>>,
): Map<string, Ranked> {
  const keys = new Map(chosen.map(({ topic, candidate }) => [topic, `${name}: ${candidate}`]));
  return new Map(
    videos.flatMap(({ id, topic }) => {
      const ranking = ranked[keys.get(topic) ?? '']?.get(id);
      return ranking === undefined ? [] : [[id, ranking] as const];
    }),
  );
}

type Setting = {
  /** The network, if not that of the run. */
  readonly network: FeatureName | null;
  /** How vectors are normalised, if not as in the run. */
  readonly normalise: Normalisation | null;
  /** κ: how much evidence counts in the price of a shot; 0 is the problem of the paper. */
  readonly evidence: number;
  /** σ of smoothing in time, in seconds. */
  readonly smoothSeconds: number;
  readonly terms: readonly EvidenceTerm[];
  readonly sparsity: number;
  /** Of row norms, as it goes with the sparsity. */
  readonly smoothing: number;
};

const COMMON: Setting = {
  network: null,
  normalise: null,
  evidence: 1,
  smoothSeconds: 3,
  terms: EVIDENCE_TERMS,
  sparsity: 0.5,
  smoothing: 2,
};

/** One setting changed at a time: how much evidence counts, its smoothing, its terms, sparsity, normalisation, network. */
const SETTINGS: readonly Setting[] = [
  COMMON,
  ...[0, 0.5, 2].map((evidence) => ({ ...COMMON, evidence })),
  ...[1.5, 6].map((smoothSeconds) => ({ ...COMMON, smoothSeconds })),
  ...EVIDENCE_TERMS.map((left) => ({ ...COMMON, terms: EVIDENCE_TERMS.filter((term) => term !== left) })),
  { ...COMMON, sparsity: 0.33, smoothing: 0.3 },
  { ...COMMON, normalise: 'length' },
  ...FETCHED_NAMES.map((network) => ({ ...COMMON, network })),
];

/** What `bench --nested` chooses from, with the other videos and without. Nothing else may be tuned on the scored topics. */
export const CANDIDATES: CandidateLists = {
  nested: SETTINGS.map((setting) => candidateOf('cvs', setting)),
  'nested-alone': SETTINGS.map((setting) => candidateOf('cvs-neighborhood', setting)),
};

function candidateOf(method: 'cvs' | 'cvs-neighborhood', setting: Setting): Candidate {
  const { network, normalise, evidence, smoothSeconds, terms, sparsity, smoothing } = setting;
  const how = evidence === 0 ? '' : ` (${terms.join(' + ')}, ${smoothSeconds} s)`;
  const changed = [network, normalise && `normalised by ${normalise}`].filter((each) => each !== null);
  return {
    name: [`evidence ${evidence}${how}, sparsity ${sparsity}`, ...changed].join(', '),
    choice: { method, knobs: { sparsity, smoothing, evidence }, weighing: { smoothSeconds, terms } },
    options: { ...(network && { features: network }), ...(normalise && { normalise }) },
  };
}
