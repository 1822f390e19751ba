import { z } from 'zod';

import { rangeSchema, rationalSchema } from '../base/schemas.js';

const range = rangeSchema.describe('Half-open [start, end) in ticks of base seconds, on the file’s own clock');

const audioTrack = z.object({
  name: z.string().describe('A1, A2 … as editing systems number them'),
  channels: z.int().positive().nullable().describe('null if the summary does not say'),
  language: z.string().nullable(),
});

const source = z.object({
  id: z.string().describe('Id of the video in the summary'),
  name: z.string().describe('File name without folders'),
  path: z.string().describe('As in the summary'),
  url: z.string().describe('Where the file is: a file URL, or a URL relative to the timeline’s file'),
  proxy: z.string().optional().describe('URL of a small copy with the same frames; absent if none was made'),
  reel: z.string().describe('At most 8 letters and digits, unique among the videos of the summary'),
  widthPx: z.int().positive(),
  heightPx: z.int().positive(),
  sampleAspect: rationalSchema,
  frameRate: rationalSchema.nullable().describe('Of the file; null if it varies'),
  rate: rationalSchema.describe('Frames per second that this source is counted in'),
  isConformed: z.boolean().describe('True if rate is not the file’s own: positions were rounded to its frames'),
  frames: z.int().positive().describe('Length in frames of rate'),
  range: range.describe('From the first picture to the end of the last'),
  timecodeFrame: z.int().nonnegative().describe('Timecode of the first picture, as frames of rate since 00:00:00:00'),
  dropFrame: z.boolean().describe('Whether its timecode drops labels'),
  timecode: z.string().nullable().describe('Timecode of the first picture as the file states it'),
  audio: z.array(audioTrack),
});

const marker = z.object({
  kind: z.enum(['moment', 'evidence', 'comment']),
  frame: z.int().nonnegative().describe('Frame of the source’s rate, from its first picture; within the clip'),
  name: z.string().describe('A few words: the moment, the sum of the evidence, or who commented'),
  text: z.string(),
  isDone: z.boolean().optional().describe('Of a comment: that it was settled'),
});

const clip = z.object({
  source: z.string().describe('Id of the source'),
  name: z.string(),
  range,
  firstFrame: z.int().nonnegative().describe('First frame of the file, as decoded'),
  endFrame: z.int().positive().describe('Frame after the last, as decoded'),
  in: z.int().nonnegative().describe('First frame in frames of the source’s rate, from its first picture'),
  out: z.int().positive().describe('Frame after the last, counted the same way'),
  recordIn: z.int().nonnegative().describe('Where it begins, in frames of the timeline from its beginning'),
  recordOut: z.int().positive(),
  handles: z
    .object({ before: z.int().nonnegative(), after: z.int().nonnegative() })
    .describe('Frames of the source kept available on both sides'),
  rank: z.int().nonnegative().nullable().describe('Best rank among its shots, 0 = most important'),
  score: z.number().nonnegative().nullable().describe('Score of that shot'),
  reason: z.string().describe('Why it is here, as a sentence; empty if the summary does not say'),
  markers: z
    .array(marker)
    .optional()
    .describe('What else is known about its pictures; absent if nothing was asked for'),
  enabled: z.boolean().optional().describe('False for a clip to choose from, which does not play; absent if it plays'),
});

/** A cut list, schema `timeline.1`: sources, and their clips in the order they play. */
export const timelineSchema = z.object({
  schema: z.literal('timeline.1'),
  title: z.string(),
  rate: rationalSchema.describe('Frames per second of the timeline'),
  dropFrame: z.boolean(),
  timecodeFrame: z.int().nonnegative().describe('Timecode of the first frame, as frames since 00:00:00:00'),
  widthPx: z.int().positive(),
  heightPx: z.int().positive(),
  sampleAspect: rationalSchema,
  sources: z.array(source),
  clips: z.array(clip),
  notes: z.array(z.string()).describe('What a reader of the timeline should know'),
});

/** Sources and their clips in the order they play, counted at one rate: schema `timeline.1`. */
export type Timeline = z.infer<typeof timelineSchema>;
/** A file that clips are taken from. */
export type TimelineSource = Timeline['sources'][number];
/** A stretch of a source, and where it plays. */
export type TimelineClip = Timeline['clips'][number];

const TARGETS = ['generic', 'openshot', 'kdenlive', 'shotcut', 'resolve', 'premiere', 'finalcut'] as const;
/** The program that a cut list is for, where programs disagree about a format. */
export type Target = (typeof TARGETS)[number];

/** A format that timelines are written in. Same timeline, same text. */
export type TimelineFormat = {
  readonly title: string;
  /** Ending of its files, with the dot. */
  readonly extension: string;
  /** The text of a file, and what this format could not carry of this timeline. */
  write(
    timeline: Timeline,
    target?: (typeof TARGETS)[number],
  ): { readonly text: string; readonly notes: readonly string[] };
};
