import { UsageError } from '../base/index.js';
import type { Run } from '../run.js';
import type { Contender } from './jury.js';
import { meanOf } from './metrics/means.js';
import { LEAD_METRICS } from './metrics/names.js';
import type { RowChoice } from './rank-all.js';
import type { Scoreboard, ScoreRow } from './scoreboard-record.js';
import type { LabelledVideo } from './types.js';

/** One setting that may be chosen: a method with its knobs, and what it looks at. */
export type Candidate = {
  readonly name: string;
  readonly choice: RowChoice;
  /** Options that differ from those of the run, such as `normalise` or `model`; none if not given. */
  readonly options?: Partial<Run['options']>;
};

/** The candidates of each nested row. The first of equally good ones is chosen. */
export type CandidateLists = Readonly<Record<string, readonly Candidate[]>>;

/** What was chosen for each topic, and from what. */
export type NestedRecord = {
  readonly criterion: string;
  readonly rows: readonly NestedRow[];
};

/** One nested row. */
export type NestedRow = {
  readonly name: string;
  readonly candidates: readonly (Candidate & {
    readonly options: Partial<Run['options']>;
    /** The leading measures, in the order of the topics. */
    readonly perTopic: { readonly [Name in (typeof LEAD_METRICS)[number]]: readonly (number | null)[] };
    /** The criterion on all topics but one, in the order of those left out. */
    readonly onOthers: readonly number[];
  })[];
  readonly chosen: readonly { readonly topic: string; readonly candidate: string; readonly onOthers: number }[];
};

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
  if (board.topics.length < 2) {
    throw new UsageError(
      'one-topic',
      `Expected at least two topics to choose on the others, found ${board.topics.join(', ')}. Add a topic, or leave out the nesting.`,
    );
  }
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
