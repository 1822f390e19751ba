import { random, UsageError } from '../base/index.js';
import { type Contender, juryOf, prepare } from './jury.js';
import { macroMean, type Topics, valuesByTopic } from './metrics/means.js';
import { byMetric, METRIC_NAMES, type MetricName } from './metrics/names.js';
import { type DrawOrder, humanValues, randomValues, shuffledOrder, type VideoValues } from './rows.js';
import { scoreBefore, SUMMARY_SHARE } from './score-video.js';
import type { Lead, Score, Scoreboard, ScoreboardSettings, ScoreRow } from './scoreboard-record.js';
import { bootstrapIntervals, type IntervalMaker } from './statistics/bootstrap.js';
import { pairedTest } from './statistics/paired-test.js';
import type { LabelledVideo } from './types.js';

/** The rankings of each method: by its name, in the order of the rows, then by video id. */
export type MethodResults = Readonly<Record<string, ReadonlyMap<string, Contender>>>;

/** The default settings. */
export const SCOREBOARD_DEFAULTS: ScoreboardSettings = {
  seed: 1,
  draws: 100,
  resamples: 10_000,
  confidence: 0.95,
  level: 0.01,
  summaryShare: SUMMARY_SHARE,
  subject: 'cvs',
};

/**
 * Scores methods on labelled videos, next to people and chance. Videos that some method has no ranking of are left out
 * of every row and named. The same videos, methods and settings give the same record, byte for byte.
 */
export function scoreboard(
  videos: readonly LabelledVideo[],
  methods: MethodResults,
  { drawOrder = shuffledOrder, ...given }: Partial<ScoreboardSettings> & { readonly drawOrder?: DrawOrder } = {},
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
  const lines = linesOf(common, methods, settings, drawOrder);
  requireDistinct(
    'row',
    lines.map(({ name }) => name),
  );
  return {
    schema: 'scoreboard.1',
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
  { seed, draws, summaryShare }: ScoreboardSettings,
  drawOrder: DrawOrder,
): readonly Line[] {
  const juries = videos.map((video) => juryOf(video, summaryShare));
  const people = juries.map(humanValues);
  const { below } = random(seed);
  const chance = juries.map((jury) => {
    const seeds = Array.from({ length: draws }, () => below(2 ** 32));
    return randomValues(jury, seeds, drawOrder);
  });
  return [
    { name: 'humanWorst', kind: 'human', values: people.map(({ worst }) => worst) },
    { name: 'humanMean', kind: 'human', values: people.map(({ mean }) => mean) },
    { name: 'humanBest', kind: 'human', values: people.map(({ best }) => best) },
    { name: 'random', kind: 'random', values: chance },
    ...Object.entries(methods).map(([name, results]): Line => {
      const values = juries.map((jury) => {
        const scores = scoreBefore(jury, jury.jurors, prepare(results.get(jury.videoId)!, jury, name));
        return byMetric((metric) => scores[metric].value);
      });
      return { name, kind: 'method', values };
    }),
  ];
}

function rowsOf(lines: readonly Line[], topics: Topics, settings: ScoreboardSettings): readonly ScoreRow[] {
  const intervalOf = bootstrapIntervals(settings);
  const valuesOf = (line: Line, name: MetricName): (number | null)[] => line.values.map((values) => values[name]);
  const people = lines.find(({ name }) => name === 'humanMean')!;
  const subject = lines.find(({ name }) => name === settings.subject);
  return lines.map((line) => ({
    name: line.name,
    kind: line.kind,
    scores: byMetric((metric): Score => {
      const perVideo = valuesOf(line, metric);
      const { perTopic, overall } = macroMean(perVideo, topics);
      const human = macroMean(valuesOf(people, metric), topics).overall;
      const rival = subject && subject !== line ? valuesOf(subject, metric) : null;
      return {
        perVideo,
        perTopic,
        overall,
        interval: intervalOf(valuesByTopic(perVideo, topics)),
        relative: overall !== null && human !== null && human > 0 ? overall / human : null,
        subjectLead: rival && leadOf(differencesOf(rival, perVideo), topics, settings.level, intervalOf),
      };
    }),
  }));
}

function leadOf(
  differences: readonly (number | null)[],
  topics: Topics,
  level: number,
  intervalOf: IntervalMaker,
): Lead | null {
  const { overall } = macroMean(differences, topics);
  if (overall === null) return null;
  const paired = differences.filter((value) => value !== null);
  return { overall, interval: intervalOf(valuesByTopic(differences, topics)), test: pairedTest(paired, level) };
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
  const { draws, resamples, confidence, level, summaryShare } = settings;
  const inside = (share: number): boolean => share > 0 && share < 1;
  if (![draws, resamples].every((count) => Number.isInteger(count) && count > 0))
    throw new UsageError('bad-setting', `Expected whole draws and resamples, found ${draws} and ${resamples}.`);
  if (!inside(confidence) || !inside(level) || !(inside(summaryShare) || summaryShare === 1))
    throw new UsageError(
      'bad-setting',
      `Expected shares between 0 and 1, found confidence ${confidence}, level ${level}, summaryShare ${summaryShare}.`,
    );
  return settings;
}

function requireDistinct(what: string, names: readonly string[]): void {
  const again = names.find((name, place) => names.indexOf(name) !== place);
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
