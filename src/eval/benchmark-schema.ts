import { z } from 'zod';

import { METHOD_NAMES } from '../select/index.js';
import type { Benchmark } from './benchmark.js';
import { TVSUM_GRIDS } from './datasets/index.js';
import { TIES } from './jury.js';
import { LEAD_METRICS, METRIC_NAMES } from './metrics/names.js';

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
