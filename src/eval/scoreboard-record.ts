import type { Ties } from './jury.js';
import type { ByMetric, MetricName } from './metrics/names.js';
import type { Interval } from './statistics/bootstrap.js';
import type { PairedTest } from './statistics/paired-test.js';

/** A comparison of methods on labelled videos: plain data, from which tables, JSON and pages are made. */
export type Scoreboard = {
  readonly schema: 'scoreboard.2';
  readonly settings: ScoreboardSettings;
  /** The measures, in the order of tables. */
  readonly metrics: readonly MetricName[];
  /** The topics scored, in the order of their first videos. */
  readonly topics: readonly string[];
  /** The videos scored, in the order given: those that every method has a ranking of. */
  readonly videos: readonly ScoredVideo[];
  /** Videos that were left out for all rows, because these methods have no ranking of them. */
  readonly leftOut: readonly { readonly video: string; readonly missing: readonly string[] }[];
  /** `humanWorst`, `humanMean`, `humanBest`, the floors, then the methods in the order given. */
  readonly rows: readonly ScoreRow[];
};

/** All that a scoreboard depends on besides labels and rankings. */
export type ScoreboardSettings = {
  /** Of the random orders and of the resampling. */
  readonly seed: number;
  /** Orders per video of each floor that is drawn. */
  readonly draws: number;
  /** Resamples behind each interval. */
  readonly resamples: number;
  /** Of the intervals. */
  readonly confidence: number;
  /** Significance level of the sentences, and at which the power of a test is given. */
  readonly level: number;
  /** Share of a video that a summary may have, for F1. */
  readonly summaryShare: number;
  /** What becomes of shots that a person marks alike. */
  readonly ties: Ties;
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
  /** A floor is an order that looks at no picture. */
  readonly kind: 'human' | 'floor' | 'method';
  readonly scores: ByMetric<Score>;
};

/** One measure of one row. `null` always means that the labels allow no value. */
export type Score = {
  /** In the order of `videos`; the mean over judges, and over draws or seeds where there are several. */
  readonly perVideo: readonly (number | null)[];
  /** In the order of `topics`: the mean over the topic's videos. */
  readonly perTopic: readonly (number | null)[];
  /** The mean over topics. */
  readonly overall: number | null;
  /** Of `overall`; `null` also for a single video. */
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
  /** Exact sign flips of the topics' mean differences; `null` for one topic, and for more than 24. */
  readonly byTopic: TopicTest | null;
  /** Over videos, each counting the same whatever its topic; `null` for a single video. */
  readonly byVideo: (PairedTest & Corrected) | null;
};

/** A p-value that was corrected for the other rows of the table, by Holm's method, measure by measure. */
export type Corrected = { readonly p: number; readonly holm: number };

/** A test over topics. */
export type TopicTest = Corrected & {
  readonly topicCount: number;
  /** Topics in which the subject is better. */
  readonly ahead: number;
};
