import type { ByMetric, MetricName } from './metrics/names.js';
import type { Interval } from './statistics/bootstrap.js';
import type { PairedTest } from './statistics/paired-test.js';

/** A comparison of methods on labelled videos: plain data, from which tables, JSON and pages are made. */
export type Scoreboard = {
  readonly schema: 'scoreboard.1';
  readonly settings: ScoreboardSettings;
  /** The measures, in the order of tables. */
  readonly metrics: readonly MetricName[];
  /** The topics scored, in the order of their first videos. */
  readonly topics: readonly string[];
  /** The videos scored, in the order given: those that every method has a ranking of. */
  readonly videos: readonly ScoredVideo[];
  /** Videos that were left out for all rows, because these methods have no ranking of them. */
  readonly leftOut: readonly { readonly video: string; readonly missing: readonly string[] }[];
  /** `humanWorst`, `humanMean`, `humanBest`, `random`, then the methods in the order given. */
  readonly rows: readonly ScoreRow[];
};

/** All that a scoreboard depends on besides labels and rankings. */
export type ScoreboardSettings = {
  /** Of the random orders and of the resampling. */
  readonly seed: number;
  /** Random orders per video. */
  readonly draws: number;
  /** Resamples behind each interval. */
  readonly resamples: number;
  /** Of the intervals. */
  readonly confidence: number;
  /** Significance level at which the power of a test is given. */
  readonly level: number;
  /** Share of a video that a summary may have, for F1. */
  readonly summaryShare: number;
  /** The method every other row is compared with. */
  readonly subject: string;
};

/** A video of a scoreboard. */
export type ScoredVideo = {
  readonly id: string;
  readonly topic: string;
  readonly shotCount: number;
  readonly judgeCount: number;
};

/** One line of the table. */
export type ScoreRow = {
  readonly name: string;
  readonly kind: 'human' | 'random' | 'method';
  readonly scores: ByMetric<Score>;
};

/** One measure of one row. `null` always means that the labels allow no value. */
export type Score = {
  /** In the order of `videos`; the mean over judges, for random orders also over draws. */
  readonly perVideo: readonly (number | null)[];
  /** In the order of `topics`: the mean over the topic's videos. */
  readonly perTopic: readonly (number | null)[];
  /** The mean over topics. */
  readonly overall: number | null;
  /** Of `overall`; `null` also if no topic has two videos. */
  readonly interval: Interval | null;
  /** `overall` divided by that of `humanMean`; `null` also if that is not above zero. */
  readonly relative: number | null;
  /** The subject against this row; `null` in the subject's own row, without a subject, and if no video has both. */
  readonly subjectLead: Lead | null;
};

/** By how much the subject is ahead of a row: differences are subject minus row, positive if the subject is better. */
export type Lead = {
  /** The mean over videos, then topics, of the differences. */
  readonly overall: number;
  /** Of `overall`, from the same resamples as all intervals. */
  readonly interval: Interval | null;
  /** Over videos, each counting the same whatever its topic; `null` for a single video. */
  readonly test: PairedTest | null;
};
