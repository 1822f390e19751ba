import { z } from 'zod';

import { type Contender, TIES } from './jury.js';
import { membership, referenceOf, meanOf, LEAD_METRICS, METRIC_NAMES } from './metrics/names.js';
import { type MethodChoice, type MethodName, METHOD_NAMES } from '../select/index.js';
import type { Options } from '../options/index.js';
import { TVSUM_GRIDS } from './datasets/tvsum.js';
import type { Dataset, Scoreboard } from './types.js';

/** What to compare, and on which data. */
export type BenchmarkRequest = {
  readonly kind: 'methods' | 'ablation' | 'features';
  readonly dataset: 'tvsum' | 'cosum';
  /** Folder of the official files. */
  readonly data: string;
  /** Folder of the videos. Without it and without `vectors`, only people and chance are scored. */
  readonly videos?: string | undefined;
  /** Vectors made elsewhere: an `.h5` file or a folder of `.npy` files. */
  readonly vectors?: string | undefined;
  /** All methods if not given. */
  readonly methods?: readonly MethodName[] | undefined;
  /** For `features`: the kinds to compare, with cvs; all whose network is available if not given. */
  readonly features?: readonly Options['features'][] | undefined;
  /** For `features`: ONNX files of the kinds that need weights; absent = those in the models folder. */
  readonly weights?: { readonly c3d?: string | undefined; readonly vgg?: string | undefined } | undefined;
  /** Codes of the topics to keep; all if not given. */
  readonly topics?: readonly string[] | undefined;
  /** Orders per video of each floor that is drawn. */
  readonly draws: number;
  /** Seeds of each method that draws random numbers; its figures are means over them. 5 if not given. */
  readonly seeds?: number | undefined;
  /** What becomes of shots that a person marks alike; `fraction` if not given. */
  readonly ties?: 'fraction' | 'earlier' | undefined;
  /** Where the shots of TVSum begin; `scored` if not given. */
  readonly grid?: 'scored' | 'frames' | undefined;
  /** For `methods`: rows whose settings are chosen for each topic on the others. The first is compared with every other row. */
  readonly nested?:
    | Readonly<
        Record<
          string,
          readonly {
            readonly name: string;
            /** A method with its knobs, and how its evidence is made if not as in the product. */
            readonly choice: MethodChoice & {
              readonly weighing?: {
                readonly smoothSeconds?: number;
                readonly shareAlike?: boolean;
                readonly terms?: readonly ('likeness' | 'distinct' | 'strength' | 'activity')[];
                readonly likenessWeight?: number;
              };
            };
            /** Options that differ from those of the run, such as `normalise` or `model`; none if not given. */
            readonly options?: Partial<Options>;
          }[]
        >
      >
    | undefined;
};

/** The record of a benchmark, schema `benchmark.2`: what was read, what was done with it, and what came out. */
export type Benchmark = {
  readonly schema: 'benchmark.2';
  readonly throughline: string;
  /** What was compared: the methods of the paper, cvs without its parts, or kinds of features. */
  readonly kind: 'methods' | 'ablation' | 'features';
  readonly dataset: {
    readonly name: 'tvsum' | 'cosum' | 'summe';
    /** In the order of the data set, with their usual names. */
    readonly topics: readonly { readonly code: string; readonly title: string }[];
    /** Defects, and how they were handled, one sentence each. */
    readonly notes: readonly string[];
    readonly files: readonly { readonly path: string; readonly sha256: string }[];
    /** Where the shots of TVSum begin; `null` for other data sets. */
    readonly grid: 'scored' | 'frames' | null;
    /** Number of labelled videos; some may have no file, no features or no ranking, and are not in the scoreboard. */
    readonly labelledVideos: number;
  };
  /** How shots, references and rankings were made, one sentence each. */
  readonly protocol: readonly string[];
  /** What each row of the scoreboard is made with; people, floors and nested rows have none. */
  readonly rows: readonly {
    readonly name: string;
    readonly choice: MethodChoice;
    /** What made the vectors. `sha256` and `layer` are those of a network; vectors made elsewhere have neither. */
    readonly features: {
      readonly name: string;
      readonly version: string;
      readonly dim: number;
      readonly sha256?: string | null;
      readonly layer?: string | null;
    };
  }[];
  /** The rows whose settings were chosen on other topics than those they are scored on; `null` if there are none. */
  readonly nested: {
    readonly criterion: string;
    readonly rows: readonly {
      readonly name: string;
      readonly candidates: readonly (NonNullable<BenchmarkRequest['nested']>[string][number] & {
        readonly options: Partial<Options>;
        /** The leading measures, in the order of the topics. */
        readonly perTopic: Readonly<Record<'spearman' | 'p5' | 'p15' | 'lift', readonly (number | null)[]>>;
        /** The criterion on all topics but one, in the order of those left out. */
        readonly onOthers: readonly number[];
      })[];
      readonly chosen: readonly { readonly topic: string; readonly candidate: string; readonly onOthers: number }[];
    }[];
  } | null;
  /** The shots of every video and every row's rankings of them, from which all scores can be computed again. */
  readonly rankings: readonly {
    readonly video: string;
    /** The first frame of each shot; a shot ends where the next begins, and the last at `endFrame`. */
    readonly starts: readonly number[];
    readonly endFrame: number;
    /** By row: for each seed all shots, best first, and the score of each shot. */
    readonly rows: Readonly<
      Record<string, readonly { readonly order: readonly number[]; readonly scores: readonly number[] | null }[]>
    >;
  }[];
  /** The files behind the features, by video. */
  readonly inputs: readonly { readonly video: string; readonly sha256: string }[];
  readonly scoreboard: Scoreboard;
  /** The paper's AP@5 for rows of the same name; `null` if the paper has no such table. */
  readonly paper: Readonly<
    Record<string, { readonly mean: number; readonly topics: Readonly<Record<string, number>> }>
  > | null;
  /** One video per topic, as cvs ranks it with the other videos and without them; empty if either ranking is missing. */
  readonly examples: readonly {
    readonly video: string;
    readonly topic: string;
    /** The first shots of two rankings. */
    readonly rankings: readonly {
      readonly row: string;
      readonly p5: number;
      readonly shots: readonly {
        readonly shot: number;
        readonly startFrame: number;
        readonly endFrame: number;
        /** Share of the judges who have the shot in their reference. */
        readonly wantedBy: number;
      }[];
    }[];
  }[];
  readonly skipped: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  readonly notes: readonly string[];
};

/** One video as it was ranked. */
export type VideoRankings = Benchmark['rankings'][number];
/** What made the vectors. */
export type FeatureFacts = Benchmark['rows'][number]['features'];
/** The first shots of two rankings of one video. */
export type Example = Benchmark['examples'][number];

/** Rows with the other videos and without. */
export const WITH_AND_WITHOUT: readonly (readonly [string, string])[] = [
  ['nested', 'nested-alone'],
  ['cvs', 'cvs-neighborhood'],
];

/** Shots of an example. */
const SHOWN = 5;

/**
 * One video per topic, with the other videos and without them: the one with the median gain from the other videos, so
 * that neither the best nor the worst is shown.
 */
export function examplesOf(
  videos: readonly Dataset['videos'][number][],
  results: Readonly<Record<string, ReadonlyMap<string, readonly Contender[]>>>,
  board: Benchmark['scoreboard'],
): Example[] {
  const names = WITH_AND_WITHOUT.find((pair) => pair.every((name) => name in results));
  if (names === undefined) return [];
  const rows = names.map((name) => board.rows.find((row) => row.name === name)!);
  const scoreOf = (row: number, video: number): number => rows[row]!.scores.p5.perVideo[video] ?? 0;
  return board.topics.map((topic) => {
    const places = [...board.videos.keys()].filter((index) => board.videos[index]!.topic === topic);
    const gain = (index: number): number => scoreOf(0, index) - scoreOf(1, index);
    const middle = places.toSorted((a, b) => gain(a) - gain(b) || a - b)[places.length >> 1]!;
    const { id } = board.videos[middle]!;
    const { shots, judgements } = videos.find((video) => video.id === id)!;
    const isTied = board.settings.ties === 'fraction';
    const references = judgements.map(({ reference, marks }) => referenceOf(reference, isTied ? marks : null));
    return {
      video: id,
      topic,
      rankings: names.map((row, at) => ({
        row,
        p5: scoreOf(at, middle),
        shots: results[row]!.get(id)![0]!
          .order.slice(0, SHOWN)
          .map((shot) => ({
            shot,
            ...shots[shot]!,
            wantedBy: meanOf(references.map((reference) => membership(reference, shot))) ?? 0,
          })),
      })),
    };
  });
}

const count = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const named = z.record(z.string(), z.number());
const values = z.array(z.number().nullable());
const interval = z.strictObject({ low: z.number(), high: z.number() }).nullable();

const holm = z.number().describe('p corrected for the other rows by Holm’s method');

const lead = z
  .strictObject({
    overall: z.number().describe('Mean difference over videos, then topics; positive where the subject is better'),
    interval,
    byTopic: z
      .strictObject({
        topicCount: count,
        ahead: count.describe('Topics in which the subject is better'),
        p: z.number(),
        holm,
      })
      .nullable()
      .describe('Exact sign flips of the topics’ mean differences; null for one topic and for more than 24'),
    byVideo: z
      .strictObject({
        pairCount: count,
        meanDifference: z.number(),
        effectSize: z.number().nullable().describe('Cohen’s d; null if all differences are equal and not zero'),
        t: z.number().nullable().describe('null stands for infinity'),
        degreesOfFreedom: count,
        p: z.number(),
        holm,
        power: z.number().describe('Chance that such a test finds an effect of the observed size'),
      })
      .nullable()
      .describe('Paired t-test over videos; null for a single video'),
  })
  .nullable();

const score = z.strictObject({
  perVideo: values.describe('In the order of scoreboard.videos; mean over judges, draws and seeds'),
  perTopic: values.describe('In the order of scoreboard.topics; mean over videos'),
  overall: z.number().nullable().describe('Mean over topics'),
  interval: interval.describe('Confidence interval of overall'),
  relative: z.number().nullable().describe('Divided by overall of the row humanMean'),
  subjectLead: lead.describe('How far the subject is ahead of this row'),
});

const scoreboard = z.strictObject({
  schema: z.literal('scoreboard.2'),
  settings: z.strictObject({
    seed: count.describe('Seed of the random orders and of the resampling'),
    draws: count.describe('Orders per video of each floor that is drawn'),
    resamples: count.describe('Resamples behind each interval'),
    confidence: z.number(),
    level: z.number().describe('Significance level of the sentences, and at which power is given'),
    summaryShare: z.number().describe('Share of a video that a summary may last, for F1'),
    ties: z.enum(TIES).describe('What becomes of shots that a person marks alike'),
    subject: z.string().describe('The row that every other row is compared with'),
  }),
  metrics: z.array(z.enum(METRIC_NAMES)),
  topics: z.array(z.string()),
  videos: z.array(z.strictObject({ id: z.string(), topic: z.string(), shotCount: count, judgeCount: count })),
  leftOut: z.array(z.strictObject({ video: z.string(), missing: z.array(z.string()) })),
  rows: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['human', 'floor', 'method']),
      scores: z.record(z.enum(METRIC_NAMES), score),
    }),
  ),
});

const ranking = z.strictObject({
  row: z.string(),
  p5: z.number().describe('P@5'),
  shots: z.array(
    z.strictObject({
      shot: count,
      startFrame: count,
      endFrame: count,
      wantedBy: z.number().min(0).max(1).describe('Share of the judges who chose the shot'),
    }),
  ),
});

const choice = z.strictObject({
  method: z.enum(METHOD_NAMES),
  seed: count.optional(),
  knobs: z.record(z.string(), z.unknown()).optional().describe('Settings of cvs that differ from its defaults'),
});

const nested = z
  .strictObject({
    criterion: z.string(),
    rows: z.array(
      z.strictObject({
        name: z.string(),
        candidates: z.array(
          z.strictObject({
            name: z.string(),
            choice,
            options: z.record(z.string(), z.unknown()).describe('Options that differ from those of the run'),
            perTopic: z.record(z.enum(LEAD_METRICS), values).describe('In the order of scoreboard.topics'),
            onOthers: z
              .array(z.number())
              .describe('The criterion on all topics but one, in the order of those left out'),
          }),
        ),
        chosen: z.array(z.strictObject({ topic: z.string(), candidate: z.string(), onOthers: z.number() })),
      }),
    ),
  })
  .nullable()
  .describe('Rows whose settings were chosen on other topics than those they are scored on');

const rankings = z
  .array(
    z.strictObject({
      video: z.string(),
      starts: z.array(count).describe('First frame of each shot'),
      endFrame: count,
      rows: z.record(
        z.string(),
        z.array(z.strictObject({ order: z.array(count), scores: z.array(z.number()).nullable() })),
      ),
    }),
  )
  .describe(
    'The shots of every video, and by row its rankings of them, one for each seed: all shots, best first, and a score for each',
  );

/** What `benchmark.json` holds, schema `benchmark.2`, for programs that read it. */
export const benchmarkDocument: z.ZodType<Benchmark> = z.strictObject({
  schema: z.literal('benchmark.2'),
  throughline: z.string().describe('Version that wrote the file'),
  kind: z.enum(['methods', 'ablation', 'features']).describe('What was compared'),
  dataset: z.strictObject({
    name: z.enum(['tvsum', 'cosum', 'summe']),
    topics: z.array(z.strictObject({ code: z.string(), title: z.string() })),
    notes: z.array(z.string()).describe('Defects of the data set and how they were handled'),
    files: z.array(z.strictObject({ path: z.string(), sha256 })),
    labelledVideos: count,
    grid: z.enum(TVSUM_GRIDS).nullable().describe('Where the shots of TVSum begin'),
  }),
  protocol: z.array(z.string()).describe('How shots, references and rankings were made'),
  rows: z
    .array(
      z.strictObject({
        name: z.string(),
        choice,
        features: z.strictObject({
          name: z.string(),
          version: z.string(),
          dim: count,
          sha256: sha256.nullable().optional(),
          layer: z.string().nullable().optional(),
        }),
      }),
    )
    .describe('What each row of the scoreboard was made with; people, floors and nested rows have none'),
  nested,
  rankings,
  inputs: z.array(z.strictObject({ video: z.string(), sha256 })).describe('The files behind the features'),
  scoreboard,
  paper: z
    .record(z.string(), z.strictObject({ mean: z.number(), topics: named }))
    .nullable()
    .describe('AP@5 in the paper for rows of the same name; null if the paper has no such table'),
  examples: z
    .array(z.strictObject({ video: z.string(), topic: z.string(), rankings: z.array(ranking) }))
    .describe('One video per topic, as it is ranked with the other videos and without them'),
  skipped: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
  notes: z.array(z.string()),
});
