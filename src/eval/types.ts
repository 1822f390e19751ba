import type { MetricName } from './metrics/names.js';

/** One video of a data set, with its labels. */
export type LabelledVideo = {
  readonly id: string;
  readonly topic: string;
  readonly frameCount: number;
  /** Half-open ranges of frames. */
  readonly shots: readonly { readonly startFrame: number; readonly endFrame: number }[];
  /** The labels of each person. */
  readonly judgements: readonly {
    /** Who it was, as the data set names them. */
    readonly judge: string;
    /** The shots this person would put into a summary. */
    readonly reference: ReadonlySet<number>;
    /** All shots as this person ranks them, best first: how the person is scored against the others. */
    readonly order: readonly number[];
    /** The mark of each shot; `null` if the data set only has chosen shots. */
    readonly marks: Float64Array | null;
  }[];
};

/** A half-open range of frames, one shot of a labelled video. */
export type ShotFrames = LabelledVideo['shots'][number];
/** The labels of one person for a video. */
export type Judgement = LabelledVideo['judgements'][number];

/** A data set as read from its official files. */
export type Dataset = {
  readonly name: 'tvsum' | 'cosum' | 'summe';
  readonly videos: readonly LabelledVideo[];
  /** Topics in the order of the data set, with their usual names. */
  readonly topics: readonly { readonly code: string; readonly title: string }[];
  /** Defects, and how they were handled, one sentence each. */
  readonly notes: readonly string[];
  /** What was read, for the record of a run. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
};

/** A comparison of methods on labelled videos: plain data, from which tables, JSON and pages are made. */
export type Scoreboard = {
  readonly schema: 'scoreboard.2';
  /** All that a scoreboard depends on besides labels and rankings. */
  readonly settings: {
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
    readonly ties: 'fraction' | 'earlier';
    /** The method every other row is compared with. */
    readonly subject: string;
  };
  /** The measures, in the order of tables. */
  readonly metrics: readonly MetricName[];
  /** The topics scored, in the order of their first videos. */
  readonly topics: readonly string[];
  /** The videos scored, in the order given: those that every method has a ranking of. */
  readonly videos: readonly {
    readonly id: string;
    readonly topic: string;
    readonly shotCount: number;
    readonly judgeCount: number;
  }[];
  /** Videos that were left out for all rows, because these methods have no ranking of them. */
  readonly leftOut: readonly { readonly video: string; readonly missing: readonly string[] }[];
  /** `humanWorst`, `humanMean`, `humanBest`, the floors, then the methods in the order given. */
  readonly rows: readonly {
    readonly name: string;
    /** A floor is an order that looks at no picture. */
    readonly kind: 'human' | 'floor' | 'method';
    /** `null` always means that the labels allow no value. */
    readonly scores: Readonly<
      Record<
        MetricName,
        {
          /** In the order of `videos`; the mean over judges, and over draws or seeds where there are several. */
          readonly perVideo: readonly (number | null)[];
          /** In the order of `topics`: the mean over the topic's videos. */
          readonly perTopic: readonly (number | null)[];
          /** The mean over topics. */
          readonly overall: number | null;
          /** Of `overall`; `null` also for a single video. */
          readonly interval: { readonly low: number; readonly high: number } | null;
          /** `overall` divided by that of `humanMean`; `null` also if that is not above zero. */
          readonly relative: number | null;
          /**
           * By how much the subject is ahead of this row: differences are subject minus row, positive if the subject is better.
           * `null` in the subject's own row, without a subject, and if no video has both. `holm` is a p-value corrected for the
           * other rows of the table by Holm's method.
           */
          readonly subjectLead: {
            /** The mean over videos, then topics, of the differences. */
            readonly overall: number;
            /** Of `overall`, from the same resamples as all intervals. */
            readonly interval: { readonly low: number; readonly high: number } | null;
            /** Exact sign flips of the topics' mean differences; `ahead`: topics in which the subject is better. `null` for one topic, and for more than 24. */
            readonly byTopic: {
              readonly topicCount: number;
              readonly ahead: number;
              readonly p: number;
              readonly holm: number;
            } | null;
            /** A paired t-test over videos, each counting the same whatever its topic; `null` for a single video. */
            readonly byVideo: {
              readonly pairCount: number;
              readonly meanDifference: number;
              /** mean / standard deviation of the differences (Cohen's d); `null` when they are all equal and not zero. */
              readonly effectSize: number | null;
              /** `null` stands for infinity: the differences are all equal and not zero. */
              readonly t: number | null;
              readonly degreesOfFreedom: number;
              readonly p: number;
              /** Chance that such a test finds a true effect of the observed size, at the level given. */
              readonly power: number;
              readonly holm: number;
            } | null;
          } | null;
        }
      >
    >;
  }[];
};

/** All that a scoreboard depends on besides labels and rankings. */
export type ScoreboardSettings = Scoreboard['settings'];
/** One line of the table. */
export type ScoreRow = Scoreboard['rows'][number];
/** One measure of one row. */
export type Score = ScoreRow['scores'][MetricName];
/** By how much the subject is ahead of a row. */
export type Lead = NonNullable<Score['subjectLead']>;
