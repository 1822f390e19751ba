import { z } from 'zod';

import { rangeSchema, rationalSchema } from '../base/schemas.js';
import { FLAW_KINDS } from '../shots/index.js';
import { ORDER_RULES } from './film-order.js';
import { TIME_SOURCES } from './topic-clock.js';

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
  activity: deviations('How much happens, less what the camera does').optional(),
});

const flaw = z.object({
  kind: z.enum(FLAW_KINDS),
  share: z.number().min(0).max(1).describe('Share of its frames that are affected'),
});

const pooledShot = z.object({
  video: z.string().describe('Id of the video it is from'),
  shot: z.int().nonnegative().describe('Index of the shot in that video'),
});

const counterpart = z.object({
  ...pooledShot.shape,
  similarity: z
    .number()
    .describe('How much more alike than unrelated footage, in standard deviations; without a background the cosine'),
});

const shown = z.object({
  others: z.int().nonnegative().describe('Number of other videos that were looked at'),
  by: z
    .array(counterpart)
    .describe('The other videos that show the same thing, each with its nearest shot; nearest first'),
  kin: z
    .array(counterpart)
    .optional()
    .describe('The other videos that show something of the same kind, and nothing nearer; nearest first'),
  own: z.int().nonnegative().describe('Number of other shots of its own video that show the same thing'),
});

const take = z.object({
  index: z.int().nonnegative().describe('Number of the take in its video, from 0'),
  startFrame: z.int().nonnegative().describe('First frame'),
  endFrame: z.int().positive().describe('First frame after it'),
  range,
});

/** What is recorded of a shot. */
export const summaryShot = z.object({
  ...take.shape,
  index: z.int().nonnegative().describe('Number of the shot in its video, from 0; reports count from 1'),
  take: z.int().nonnegative().describe('Index of the take it is a stretch of'),
  view: z.int().nonnegative().describe('Number of its view in the video: between shots of one view nothing changes'),
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
  flaws: z
    .array(flaw)
    .optional()
    .describe(
      'What is wrong with its pictures: such a shot is chosen only if pinned or if no other is left; absent if nothing is',
    ),
  twin: z
    .object({ video: z.string().describe('Id of its video'), shot: z.int().nonnegative().describe('Its index there') })
    .optional()
    .describe('Left out because that shot, which is chosen, shows the same view'),
  support: z.array(support).describe('For chosen shots: the videos that support it, strongest first'),
  shown: shown
    .optional()
    .describe('For chosen shots: who else shows the same thing; absent if that was not looked for'),
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
  doubleOf: z.string().optional().describe('Id of the video that shows the same, in the same order'),
});

const belonging = z.object({
  rank: z.int().positive().describe('Place among the videos of the topic: 1 is the most like the others'),
  likeness: z
    .number()
    .describe(
      'The median of its likenesses to the other videos, by the half of its shots that is most like each; 0 is unrelated footage, 1 the same',
    ),
  least: z
    .number()
    .describe('What the least alike of the other videos have among themselves; a stray has less than half of it'),
  typical: z
    .number()
    .describe('The median of what the other videos have among themselves; under 0.1 none is called a stray'),
  views: z
    .number()
    .positive()
    .describe(
      'How many different views the video shows, a fixed camera about one; with fewer than three it is never called a stray',
    ),
  nearest: z.string().describe('Id of the video that it is most like'),
  nearestLikeness: z
    .number()
    .describe(
      'Its likeness to that video (of twenty others, to the second nearest, and so on); that of a stray is no higher than of unrelated videos',
    ),
  against: z
    .enum(['background', 'topic'])
    .describe(
      'Likeness beyond that of unrelated footage, or, for networks without a background, beyond the mean of the topic',
    ),
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
  standing: standing.optional().describe('How much the video counts in its topic; absent for a single video'),
  belonging: belonging.optional().describe('How much the video is like the others; absent for fewer than three videos'),
  takes: z.array(take).describe('What lies between two cuts, in order; where cuts were not looked for, each shot'),
  shots: z.array(summaryShot),
  clips: z
    .array(clip)
    .describe('What the film plays, in the order it plays them; neighbouring chosen shots are one clip'),
  seconds: z
    .number()
    .nonnegative()
    .optional()
    .describe('How long the film plays, fades counted; absent in files of earlier releases'),
  solver,
  film: z.string().nullable().describe('Path of the film, relative to this file; null if not rendered'),
  storyboard: z.string().nullable().describe('Path of the storyboard, relative to this file; null if not drawn'),
  pictures: z.array(z.string()).optional().describe('Paths of the other pictures drawn, relative to this file'),
});

const topicShot = z.object({
  ...pooledShot.shape,
  ...clip.shape,
  filmFrame: z.int().nonnegative().describe('Its first frame in the film'),
  rank: z.int().nonnegative().describe('Place among the pooled shots, 0 = most important'),
  score: z.number().nonnegative().describe('Importance among the pooled shots'),
  reason: z.string().describe('Why it is in the film, in sentences made from the facts of this record'),
  evidence: evidence.nullable().optional().describe('What speaks for the shot, as for the shot of its video'),
  moment: z
    .int()
    .nonnegative()
    .nullable()
    .optional()
    .describe('Its moment, by its place among the moments; null if no other video shows it'),
  shown: shown.optional().describe('Who else shows it, among the shots pooled'),
  alike: z
    .array(z.object({ ...pooledShot.shape, similarity: z.number().min(-1).max(1).describe('Cosine; 1 is the same') }))
    .describe(
      'Pooled shots that were left out because they show nearly the same, or the same view of its video; most similar first',
    ),
});

const clock = z.object({
  video: z.string().describe('Id of the video'),
  recorded: z
    .object({
      at: z
        .string()
        .optional()
        .describe('ISO 8601, with the time zone if it is known; absent if only the order is known'),
      from: z
        .enum(TIME_SOURCES)
        .describe('QuickTime date, creation time of the container, date in the file name, or number in it'),
      doubt: z.string().optional().describe('Why the time is not used; absent if it is'),
    })
    .optional()
    .describe('When the file says it was recorded'),
  heard: z
    .object({
      group: z.int().nonnegative().describe('Videos of one group hear the same'),
      offsetSeconds: z.number().describe('Where the video begins, after the first of its group'),
      confidence: z
        .number()
        .nonnegative()
        .describe('Height of the peak of the correlation, in standard deviations over the other lags'),
    })
    .optional()
    .describe('Where its sound overlaps that of other videos'),
  startSeconds: z
    .number()
    .optional()
    .describe('Where the video begins on the clock of the topic, after the first video that has a time; absent if not known'), // prettier-ignore
});

const concept = z.object({
  each: z.string().describe('Length of the summaries that were pooled'),
  pooled: z.int().positive().describe('Number of shots pooled'),
  alike: z.number().describe('Similarity from which two shots of one shape count as nearly the same'),
  same: z
    .object({
      from: z.number().describe('Similarity from which two shots show the same thing'),
      kinFrom: z.number().optional().describe('Similarity from which they show the same kind of thing'),
      unit: z.enum(['deviations', 'cosine']).describe('deviations: above unrelated footage; cosine: of the vectors'),
    })
    .optional()
    .describe('When two shots of different videos show the same thing; absent if moments were not looked for'),
  moments: z
    .array(
      z.object({
        videos: z.int().min(2).describe('How many videos show it'),
        members: z.array(counterpart).min(2).describe('Its shots, with their similarity to the first'),
        plays: z.array(pooledShot).describe('Those of its shots that the film plays; none if it had no room'),
      }),
    )
    .optional()
    .describe('What several videos show, most videos first; absent if moments were not looked for'),
  shots: z.array(topicShot).describe('What the film plays, in its order'),
  order: z
    .object({
      rule: z.enum(ORDER_RULES).describe('What the film is ordered by'),
      reason: z.string().describe('Why, as a sentence'),
    })
    .optional()
    .describe('How the film is ordered; absent in files of earlier releases'),
  clocks: z.array(clock).optional().describe('When the videos were recorded, those of which something is known'),
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
/** How much a video is like the others of its topic. */
export type VideoBelonging = NonNullable<VideoSummary['belonging']>;
/** One shot, chosen or not. */
export type SummaryShot = VideoSummary['shots'][number];
/** Another video's part in what a shot shares with the topic. */
export type Support = SummaryShot['support'][number];
/** A shot of another video that shows the same thing. */
export type Counterpart = z.infer<typeof counterpart>;
/** Who else shows the same thing as a shot. */
export type Shown = z.infer<typeof shown>;
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

/** The videos that are least like the others, the least alike first: a quarter of the topic, at most three. */
export function leastAlike<V extends Pick<VideoSummary, 'belonging'>>(videos: readonly V[]): V[] {
  const rankOf = ({ belonging: found }: V): number => found?.rank ?? 0;
  const ranked = videos.filter((each) => rankOf(each) > 0).sort((a, b) => rankOf(b) - rankOf(a));
  return ranked.slice(0, Math.min(3, Math.ceil(ranked.length / 4)));
}
