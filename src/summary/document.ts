import { z } from 'zod';

import { rangeSchema, rationalSchema } from '../base/schemas.js';

const range = rangeSchema.describe('Half-open [start, end) in ticks of base seconds');

const support = z.object({
  video: z.string().describe('Id of the other video'),
  share: z.number().min(0).max(1).describe('Share of the shared importance that comes from that video'),
  shot: z.int().nonnegative().describe('The shot of that video that this shot represents most'),
});

const deviations = (what: string) => z.number().describe(`${what}, in standard deviations within the video`);
const evidence = z.object({
  total: deviations('All terms added, smoothed in time and shared among look-alike shots'),
  likeness: deviations('Like the other videos of the topic and unlike unrelated footage').optional(),
  distinct: deviations('Unlike its nearest shots, yet part of what its video shows').optional(),
  strength: deviations('How much there is to see').optional(),
});

const shot = z.object({
  index: z.int().nonnegative().describe('Number of the shot in its video, from 0; reports count from 1'),
  startFrame: z.int().nonnegative().describe('First frame'),
  endFrame: z.int().positive().describe('First frame after it'),
  range,
  rank: z.int().nonnegative().describe('Place in the ranking, 0 = most important'),
  score: z.number().nonnegative().describe('Importance: √(own² + shared²)'),
  own: z.number().nonnegative().describe('How much of its own video the shot represents'),
  shared: z.number().nonnegative().describe('How much of the other videos of the topic the shot represents'),
  evidence: evidence
    .nullable()
    .describe('What speaks for the shot; a term that could not be computed is absent; null if the method does without'),
  chosen: z.boolean().describe('In the summary'),
  pinned: z.boolean().optional().describe('Pinned: in the summary whatever its rank; absent if not'),
  vetoed: z.boolean().optional().describe('Vetoed: not in the summary; absent if not'),
  support: z.array(support).describe('For chosen shots: the videos that support it, strongest first'),
});

const clip = z.object({
  startFrame: z.int().nonnegative().describe('First frame'),
  endFrame: z.int().positive().describe('First frame after it'),
  range,
});

const audioTrack = z.object({
  channels: z.int().nonnegative(),
  language: z.string().nullable(),
});

const solver = z.object({
  iterations: z.int().nonnegative().describe('Iterations the solver took'),
  converged: z.boolean().describe('Whether it reached its tolerance'),
  residual: z.number().nonnegative().describe('Relative distance from the optimum; 0 is a proven optimum'),
});

const standing = z.object({
  weight: z
    .number()
    .min(0)
    .max(1)
    .describe('How much the video counts for the others; 1 unless it is a stray or a double'),
  isStray: z.boolean().describe('Does not seem to belong to the topic'),
  unlikeness: z
    .number()
    .nonnegative()
    .optional()
    .describe('How far likeness is below typical, in units of the limit; above 1 it is a stray'),
  likeness: z
    .number()
    .optional()
    .describe('Mean correlation of its shots with the nearest shots of the nearer half of the other videos'),
  typical: z.number().optional().describe('The median of the same number over the other videos'),
  views: z
    .number()
    .positive()
    .optional()
    .describe('How many different views the video shows; a fixed camera shows about one'),
  doubleOf: z.string().optional().describe('Id of the video that shows the same, in the same order'),
});

const normalised = z.object({
  packets: z.int().nonnegative().optional().describe('Stored pictures, if that is not the number of frames'),
  clock: z
    .array(
      z.object({
        ticks: z.int().describe('A moment on the clock of this record, which never turns back'),
        fileTicks: z.int().describe('The same moment on the clock of the file, as players and tools that seek see it'),
      }),
    )
    .optional()
    .describe('Where the clock of the file restarts; from there to the next restart, both clocks run alike'),
  resized: z.boolean().optional().describe('The size or format of the pictures changes; all were brought to one'),
  colours: z
    .enum(['HLG', 'PQ', 'wide gamut'])
    .optional()
    .describe('Colours that were converted to those of ordinary screens, BT.709'),
  whiteNits: z.number().positive().optional().describe('Light that became white, in cd/m²'),
  deinterlaced: z.boolean().optional().describe('Whole pictures were made of fields'),
  rotatedDeg: z.int().optional().describe('Clockwise turn that was applied'),
  squarePixels: z.boolean().optional().describe('Pixels of another shape were made square in films and pictures'),
});

const video = z.object({
  id: z.string().describe('Unique within the run, made from the file name'),
  path: z.string().describe('Path as given, relative to the topic folder if possible'),
  sha256: z.string().describe('Of the file'),
  bytes: z.int().nonnegative().describe('Size of the file'),
  codec: z.string().describe('Of the pictures'),
  widthPx: z.int().positive().describe('As a player shows it, rotation applied'),
  heightPx: z.int().positive().describe('As a player shows it, rotation applied'),
  sampleAspect: rationalSchema.describe('Width of a pixel divided by its height'),
  frameRate: rationalSchema.nullable().describe('Frames per second; null if the rate varies'),
  timeBase: rationalSchema.describe('Seconds per tick of the picture track'),
  frames: z.int().positive().describe('Number of frames'),
  range: range.describe('From the first frame to the end of the last'),
  audioTracks: z.int().nonnegative().describe('Number of sound tracks'),
  timecode: z
    .string()
    .regex(/^\d{2}:\d{2}:\d{2}[:;.,]\d{2,3}$/)
    .optional()
    .describe('Timecode of the first picture, if the file states one; a semicolon before the frames marks drop-frame'),
  audio: z.array(audioTrack).optional().describe('The sound tracks; absent in files of earlier releases'),
  normalised: normalised.optional().describe('What was evened out when the file was read; absent if nothing was'),
  standing: standing.optional().describe('How the video relates to its topic; absent for a single video'),
  shots: z.array(shot),
  clips: z
    .array(clip)
    .describe('What the film plays, in the order it plays them; neighbouring chosen shots are one clip'),
  solver,
  film: z.string().nullable().describe('Path of the film, relative to this file; null if not rendered'),
  storyboard: z.string().nullable().describe('Path of the storyboard, relative to this file; null if not drawn'),
  pictures: z.array(z.string()).optional().describe('Paths of the other pictures drawn, relative to this file'),
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
    .array(z.object({ ...pooledShot.shape, similarity: z.number().min(-1).max(1).describe('Cosine; 1 is the same') }))
    .describe('Pooled shots that were left out because they show nearly the same, most similar first'),
});

const concept = z.object({
  each: z.string().describe('Length of the summaries that were pooled'),
  pooled: z.int().positive().describe('Number of shots pooled'),
  alike: z.number().describe('Similarity from which two shots of one shape count as nearly the same'),
  shots: z.array(topicShot).describe('What the film plays, in its order'),
  solver,
  frame: z.object({
    widthPx: z.int().positive().describe('Of the film'),
    heightPx: z.int().positive().describe('Of the film'),
    rate: rationalSchema.describe('Frames per second'),
  }),
  frames: z.int().positive().describe('Number of frames of the film'),
  film: z.string().nullable().describe('Path of the film, relative to this file; null if not rendered'),
  storyboard: z.string().nullable().describe('Path of the storyboard, relative to this file; null if not drawn'),
});

const skipped = z.object({
  path: z.string().describe('File that was skipped'),
  code: z.string().describe('Stable code of the reason'),
  message: z.string().describe('The reason, as a sentence'),
});

/** The published record of a run, schema `summary.2`: what went in, with which options, and what came out. */
export const summaryDocument = z.object({
  schema: z.literal('summary.2').describe('Name and version of this format'),
  throughline: z.string().describe('Version that wrote the file'),
  topic: z.string().describe('Name of the topic'),
  options: z.record(z.string(), z.unknown()).describe('Every option that can change the result'),
  model: z.object({
    name: z.string().describe('What made the vectors of the shots'),
    sha256: z
      .string()
      .describe('Of the model file, or of vectors computed elsewhere; null for features without a network')
      .nullable(),
    version: z.string().optional().describe('Changes if the same video would get other vectors'),
    dim: z.int().positive().optional().describe('Length of a vector'),
    layer: z.string().nullable().optional().describe('Tensor of the network that is used as the vector'),
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
      .describe('What else shots are compared by, besides their pictures'),
  }),
  videos: z.array(video),
  concept: concept.optional().describe('The film of the whole topic; absent if none was asked for'),
  contactSheets: z.array(z.string()).optional().describe('Paths of the contact sheets, relative to this file'),
  skipped: z.array(skipped),
  notes: z.array(z.string().describe('What the reader should know, one sentence each')),
});

/** The content of `summary.json`: every video of a run, every shot with its scores and reasons. */
export type SummaryDocument = z.infer<typeof summaryDocument>;
/** One video of a summary: its shots, and the clips its film plays. */
export type VideoSummary = SummaryDocument['videos'][number];
/** How a video relates to its topic. */
export type VideoStanding = NonNullable<VideoSummary['standing']>;
/** One shot, chosen or not. */
export type SummaryShot = VideoSummary['shots'][number];
/** Another video's part in what a shot shares with the topic. */
export type Support = SummaryShot['support'][number];
/** The film of the whole topic. */
export type Concept = NonNullable<SummaryDocument['concept']>;
/** One shot of the film of the whole topic. */
export type TopicShot = Concept['shots'][number];
/** A stretch of the source that goes into the film: neighbouring chosen shots are one clip. */
export type Clip = VideoSummary['clips'][number];

/** The wish about a shot: pinned or vetoed. */
export function wishOf({ pinned, vetoed }: SummaryShot): 'pinned' | 'vetoed' | null {
  return pinned ? 'pinned' : vetoed ? 'vetoed' : null;
}
