import { z } from 'zod';

import { rangeSchema, rationalSchema } from '../base/schemas.js';

const range = rangeSchema.describe('Half-open [start, end) in ticks of base seconds');

const support = z.object({
  video: z.string().describe('Id of the other video'),
  share: z.number().min(0).max(1).describe('Share of the shared importance that comes from that video'),
  shot: z.int().nonnegative().describe('The shot of that video this shot stands for most'),
});

const shot = z.object({
  index: z.int().nonnegative(),
  startFrame: z.int().nonnegative(),
  endFrame: z.int().positive(),
  range,
  rank: z.int().nonnegative().describe('Place in the ranking, 0 = most important'),
  score: z.number().nonnegative().describe('Importance: √(own² + shared²)'),
  own: z.number().nonnegative().describe('What the shot does for its own video'),
  shared: z.number().nonnegative().describe('What the shot does for the other videos of the topic'),
  chosen: z.boolean(),
  pinned: z.boolean().optional().describe('Asked for by a wish: in the summary whatever its rank; absent when not'),
  vetoed: z.boolean().optional().describe('Kept out by a wish; absent when not'),
  support: z.array(support).describe('For chosen shots: the videos that support it, strongest first'),
});

const clip = z.object({ startFrame: z.int().nonnegative(), endFrame: z.int().positive(), range });

const audioTrack = z.object({
  channels: z.int().nonnegative(),
  language: z.string().nullable(),
});

const solver = z.object({
  iterations: z.int().nonnegative(),
  converged: z.boolean(),
  residual: z.number().nonnegative().describe('How far from optimal, relative; 0 = proven optimum'),
});

const standing = z.object({
  weight: z
    .number()
    .min(0)
    .max(1)
    .describe('How much the video counts for the others; 1 where nothing speaks against it'),
  isStray: z.boolean().describe('Does not seem to belong to the topic'),
  unlikeness: z
    .number()
    .nonnegative()
    .optional()
    .describe('How far likeness is below typical, in units of what chance allows; more than 1 is a stray'),
  likeness: z
    .number()
    .optional()
    .describe('Mean correlation of its shots with the nearest shots of the nearer half of the other videos'),
  typical: z.number().optional().describe('The same for the other videos: their median'),
  views: z.number().positive().optional().describe('How many different views speak for the video'),
  doubleOf: z.string().optional().describe('Id of the video that shows the same, in the same order'),
});

const video = z.object({
  id: z.string().describe('Unique within the run, made from the file name'),
  path: z.string().describe('As given, relative to the topic folder where possible'),
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  codec: z.string(),
  widthPx: z.int().positive(),
  heightPx: z.int().positive(),
  sampleAspect: rationalSchema,
  frameRate: rationalSchema.nullable(),
  timeBase: rationalSchema,
  frames: z.int().positive(),
  range: range.describe('From the first frame to the end of the last'),
  audioTracks: z.int().nonnegative(),
  timecode: z
    .string()
    .regex(/^\d{2}:\d{2}:\d{2}[:;.,]\d{2,3}$/)
    .optional()
    .describe(
      'Timecode of the first picture, where the file states one; a semicolon before the frames marks drop-frame',
    ),
  audio: z.array(audioTrack).optional().describe('The sound tracks; absent in files of earlier releases'),
  standing: standing.optional().describe('How the video stands in its topic; absent for a video alone'),
  shots: z.array(shot),
  clips: z
    .array(clip)
    .describe('What the film plays, in the order it plays them; neighbouring chosen shots are one clip'),
  solver,
  film: z.string().nullable().describe('Path of the summary film beside this file; null when not rendered'),
  storyboard: z.string().nullable().describe('Path of the storyboard beside this file; null when not drawn'),
  pictures: z.array(z.string()).optional().describe('Paths of the other pictures that were drawn, beside this file'),
});

const pooledShot = z.object({
  video: z.string().describe('Id of the video it is from'),
  shot: z.int().nonnegative().describe('Index of the shot in that video'),
});

const topicShot = z.object({
  ...pooledShot.shape,
  ...clip.shape,
  filmFrame: z.int().nonnegative().describe('Its first frame in the film'),
  rank: z.int().nonnegative().describe('Place among the pooled shots, 0 = most important'),
  score: z.number().nonnegative().describe('Importance among the pooled shots'),
  reason: z.string().describe('Why it is in the film, as a sentence'),
  alike: z
    .array(z.object({ ...pooledShot.shape, similarity: z.number().min(-1).max(1) }))
    .describe('Pooled shots that were left out because they show nearly the same, most similar first'),
});

const concept = z.object({
  each: z.string().describe('Length of the summaries that were pooled'),
  pooled: z.int().positive().describe('Number of shots pooled'),
  alike: z.number().describe('Similarity from which two shots count as nearly the same'),
  shots: z.array(topicShot).describe('What the film plays, in its order'),
  solver,
  frame: z.object({
    widthPx: z.int().positive(),
    heightPx: z.int().positive(),
    rate: rationalSchema.describe('Frames a second'),
  }),
  frames: z.int().positive().describe('Length of the film'),
  film: z.string().nullable().describe('Path of the film beside this file; null when not rendered'),
  storyboard: z.string().nullable().describe('Path of the storyboard beside this file; null when not drawn'),
});

const skipped = z.object({ path: z.string(), code: z.string(), message: z.string() });

/** The published record of a run, schema `summary.1`: what went in, with which options, and what came out. */
export const summaryDocument = z.object({
  schema: z.literal('summary.1'),
  throughline: z.string().describe('Version that wrote the file'),
  topic: z.string(),
  options: z.record(z.string(), z.unknown()).describe('Every option that can change the result'),
  model: z.object({
    name: z.string().describe('What made the vectors of the shots'),
    sha256: z
      .string()
      .describe('Of the model file, or of vectors made elsewhere; null for features without a network')
      .nullable(),
    version: z.string().optional().describe('Changes when the same video would get other vectors'),
    dim: z.int().positive().optional().describe('Length of a vector'),
    layer: z.string().nullable().optional().describe('The tensor of the network that is the vector'),
    blocks: z
      .array(
        z.object({
          name: z.string().describe('What was added to the vectors'),
          version: z.string().describe('Changes when the same video would get other numbers'),
          dim: z.int().positive().describe('How many numbers it adds'),
          weight: z.number().gt(0).lt(1).describe('Its share of the comparison of two shots'),
        }),
      )
      .optional()
      .describe('What shots are compared by beside their pictures'),
  }),
  videos: z.array(video),
  concept: concept.optional().describe('The film of the whole topic; absent when none was asked for'),
  contactSheets: z.array(z.string()).optional().describe('Paths of the contact sheets, beside this file'),
  skipped: z.array(skipped),
  notes: z.array(z.string()),
});

/** What `summary.json` holds: every video of a run, every shot with its scores, and why. */
export type SummaryDocument = z.infer<typeof summaryDocument>;
/** One video of a summary: its shots, and the clips its film plays. */
export type VideoSummary = SummaryDocument['videos'][number];
export type VideoStanding = NonNullable<VideoSummary['standing']>;
/** One shot, chosen or not. */
export type SummaryShot = VideoSummary['shots'][number];
/** Another video's part in what a shot shares with the topic. */
export type Support = SummaryShot['support'][number];
/** The film of the whole topic, and one shot of it. */
export type Concept = NonNullable<SummaryDocument['concept']>;
export type TopicShot = Concept['shots'][number];
/** A stretch of the source that goes into the film: neighbouring chosen shots are one clip. */
export type Clip = VideoSummary['clips'][number];

/** What was wished about a shot, in a word. */
export function wishOf({ pinned, vetoed }: SummaryShot): 'pinned' | 'vetoed' | null {
  return pinned ? 'pinned' : vetoed ? 'vetoed' : null;
}
