import { random, UsageError } from '../base/index.js';
import { type FeatureName, FETCHED_NAMES, type Normalisation } from '../features/index.js';
import { EVIDENCE_TERMS, type EvidenceTerm } from '../topic/index.js';
import type { Benchmark, BenchmarkRequest } from './benchmark.js';
import { type Contender, type Jury, juryOf, prepare, scoreBefore, SUMMARY_SHARE, TIES } from './jury.js';
import {
  byMetric,
  type ByMetric,
  greatestOf,
  LEAD_METRICS,
  macroMean,
  meanOf,
  METRIC_NAMES,
  type MetricName,
  type Topics,
  valuesByTopic,
} from './metrics/names.js';
import { FLOORS } from './rank-all.js';
import { bootstrapIntervals, holm, type IntervalMaker, pairedTest, signFlipP } from './statistics/paired-test.js';
import type { LabelledVideo, Lead, Score, Scoreboard, ScoreboardSettings, ScoreRow } from './types.js';

/** The rankings of each method. */
type MethodResults = Parameters<typeof scoreboard>[1];

/** The default settings. */
export const SCOREBOARD_DEFAULTS: ScoreboardSettings = {
  seed: 1,
  draws: 100,
  resamples: 10_000,
  confidence: 0.95,
  level: 0.05,
  summaryShare: SUMMARY_SHARE,
  ties: 'fraction',
  subject: 'cvs',
};

/**
 * Scores methods on labelled videos, next to people and floors. Videos that some method has no ranking of are left out
 * of every row and named. `methods` has the rankings of each method, in the order of the rows, by video id; several if it ran
 * with several seeds. The same videos, methods and settings give the same record, byte for byte.
 */
export function scoreboard(
  videos: readonly LabelledVideo[],
  methods: Readonly<Record<string, ReadonlyMap<string, Contender | readonly Contender[]>>>,
  given: Partial<Scoreboard['settings']> = {},
): Scoreboard {
  const settings = requireSettings({ ...SCOREBOARD_DEFAULTS, ...given });
  requireDistinct(
    'video',
    videos.map(({ id }) => id),
  );
  const missing = videos.map(({ id }) => Object.keys(methods).filter((name) => !methods[name]!.has(id)));
  const common = videos.filter((_, video) => missing[video]!.length === 0);
  if (common.length === 0) throw nothingInCommon(missing);
  const topics = [...new Set(common.map(({ topic }) => topic))];
  const lines = linesOf(common, methods, settings);
  requireDistinct(
    'row',
    lines.map(({ name }) => name),
  );
  return {
    schema: 'scoreboard.2',
    settings,
    metrics: METRIC_NAMES,
    topics,
    videos: common.map(({ id, topic, shots, judgements }) => ({
      id,
      topic,
      shotCount: shots.length,
      judgeCount: judgements.length,
    })),
    leftOut: videos
      .map(({ id }, video) => ({ video: id, missing: missing[video]! }))
      .filter(({ missing }) => missing.length > 0),
    rows: rowsOf(
      lines,
      topics.map((topic) => [...common.keys()].filter((video) => common[video]!.topic === topic)),
      settings,
    ),
  };
}

/** A row before averaging: one record of values per video. */
type Line = Pick<ScoreRow, 'name' | 'kind'> & { readonly values: readonly VideoValues[] };

function linesOf(
  videos: readonly LabelledVideo[],
  methods: MethodResults,
  { seed, draws, ...knobs }: ScoreboardSettings,
): readonly Line[] {
  const juries = videos.map((video) => juryOf(video, knobs));
  const people = juries.map(humanValues);
  return [
    { name: 'humanWorst', kind: 'human', values: people.map(({ worst }) => worst) },
    { name: 'humanMean', kind: 'human', values: people.map(({ mean }) => mean) },
    { name: 'humanBest', kind: 'human', values: people.map(({ best }) => best) },
    ...Object.entries(FLOORS).map(([name, { isDrawn, contend }]): Line => {
      const { below } = random(seed);
      const values = juries.map((jury) => {
        const orders = Array.from({ length: isDrawn ? draws : 1 }, () => contend(jury.shotCount, below(2 ** 32)));
        return meanValues(jury, orders, name);
      });
      return { name, kind: 'floor', values };
    }),
    ...Object.entries(methods).map(([name, results]): Line => {
      const values = juries.map((jury) => meanValues(jury, [results.get(jury.videoId)!].flat(), name));
      return { name, kind: 'method', values };
    }),
  ];
}

function rowsOf(lines: readonly Line[], topics: Topics, settings: ScoreboardSettings): readonly ScoreRow[] {
  const intervalOf = bootstrapIntervals(settings);
  const valuesOf = (line: Line, name: MetricName): (number | null)[] => line.values.map((values) => values[name]);
  const people = lines.find(({ name }) => name === 'humanMean')!;
  const subject = lines.find(({ name }) => name === settings.subject);
  const leads = byMetric((metric) => {
    const differences = lines.map((line) =>
      subject && subject !== line ? differencesOf(valuesOf(subject, metric), valuesOf(line, metric)) : [],
    );
    return leadsOf(differences, topics, settings.level, intervalOf);
  });
  return lines.map((line, index) => ({
    name: line.name,
    kind: line.kind,
    scores: byMetric((metric): Score => {
      const perVideo = valuesOf(line, metric);
      const { perTopic, overall } = macroMean(perVideo, topics);
      const human = macroMean(valuesOf(people, metric), topics).overall;
      return {
        perVideo,
        perTopic,
        overall,
        interval: intervalOf(valuesByTopic(perVideo, topics)),
        relative: overall !== null && human !== null && human > 0 ? overall / human : null,
        subjectLead: leads[metric][index]!,
      };
    }),
  }));
}

/** The leads over all rows by one measure: their tests are corrected for each other. Empty differences have none. */
function leadsOf(
  differences: readonly (readonly (number | null)[])[],
  topics: Topics,
  level: number,
  intervalOf: IntervalMaker,
): (Lead | null)[] {
  const means = differences.map((each) => (each.length === 0 ? null : macroMean(each, topics)));
  const perTopic = means.map((mean) => mean?.perTopic.filter((value) => value !== null) ?? []);
  const videoTests = differences.map((each) => pairedTest(each.filter((value) => value !== null), level)); // prettier-ignore
  const topicPs = perTopic.map(signFlipP);
  const [byTopic, byVideo] = [holm(topicPs), holm(videoTests.map((test) => test && test.p))];
  return means.map((mean, row) => {
    if (mean === null || mean.overall === null) return null;
    const [p, test] = [topicPs[row]!, videoTests[row]!];
    const ahead = perTopic[row]!.filter((value) => value > 0).length;
    return {
      overall: mean.overall,
      interval: intervalOf(valuesByTopic(differences[row]!, topics)),
      byTopic: p === null ? null : { topicCount: perTopic[row]!.length, ahead, p, holm: byTopic[row]! },
      byVideo: test && { ...test, holm: byVideo[row]! },
    };
  });
}

function differencesOf(
  subject: readonly (number | null)[],
  row: readonly (number | null)[],
): readonly (number | null)[] {
  return subject.map((value, video) => {
    const other = row[video]!;
    return value === null || other === null ? null : value - other;
  });
}

function requireSettings(settings: ScoreboardSettings): ScoreboardSettings {
  const { draws, resamples, confidence, level, summaryShare, ties } = settings;
  const inside = (share: number): boolean => share > 0 && share < 1;
  if (![draws, resamples].every((count) => Number.isInteger(count) && count > 0))
    throw new UsageError('bad-setting', `Expected whole draws and resamples, found ${draws} and ${resamples}.`);
  if (!inside(confidence) || !inside(level) || !(inside(summaryShare) || summaryShare === 1))
    throw new UsageError(
      'bad-setting',
      `Expected shares between 0 and 1, found confidence ${confidence}, level ${level}, summaryShare ${summaryShare}.`,
    );
  if (!TIES.includes(ties))
    throw new UsageError('bad-setting', `Expected ties to be one of ${TIES.join(', ')}, found "${String(ties)}".`);
  return settings;
}

function requireDistinct(what: string, names: readonly string[]): void {
  const again = names.find((name, index) => names.indexOf(name) !== index);
  if (again !== undefined)
    throw new UsageError('name-twice', `Expected each ${what} name once, found "${again}" again. Rename one.`);
}

function nothingInCommon(missing: readonly (readonly string[])[]): UsageError {
  const counts = new Map<string, number>();
  for (const name of missing.flat()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const lacking = [...counts].map(([name, count]) => `${name} lacks ${count}`).join(', ');
  return new UsageError(
    'nothing-to-score',
    `Expected a video that every method ranks, found none among ${missing.length}${lacking && `: ${lacking}`}.`,
  );
}

/** The values of one video by measure, from which a row of a table is made. */
type VideoValues = ByMetric<number | null>;

/** People as contenders: the least, mean and greatest value any of them reached, measure by measure. */
type HumanValues = { readonly worst: VideoValues; readonly mean: VideoValues; readonly best: VideoValues };

/** Scores each person of the jury against all the others; `null` everywhere for a jury of one. */
function humanValues(jury: Jury): HumanValues {
  const each = jury.jurors.map((juror) => {
    const others = jury.jurors.filter((other) => other !== juror);
    return scoreBefore(jury, others, juror.asContender);
  });
  const pick = (from: (values: readonly (number | null)[]) => number | null): VideoValues =>
    byMetric((name) => from(each.map(({ [name]: { value } }) => value)));
  return { worst: pick(leastOf), mean: pick(meanOf), best: pick(greatestOf) };
}

function leastOf(values: readonly (number | null)[]): number | null {
  const greatest = greatestOf(values.map((value) => value && -value));
  return greatest && -greatest;
}

/** The mean score of several rankings of one video: one of each seed. */
function meanValues(jury: Jury, contenders: readonly Contender[], who: string): VideoValues {
  const each = contenders.map((contender) => scoreBefore(jury, jury.jurors, prepare(contender, jury, who)));
  return byMetric((name) => meanOf(each.map(({ [name]: { value } }) => value)));
}

/** The candidates of each nested row. The first of equally good ones is chosen. */
export type CandidateLists = NonNullable<BenchmarkRequest['nested']>;
/** One setting that may be chosen. */
export type Candidate = CandidateLists[string][number];
/** What was chosen for each topic, and from what. */
export type NestedRecord = NonNullable<Benchmark['nested']>;
/** One nested row. */
type NestedRow = NestedRecord['rows'][number];

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
