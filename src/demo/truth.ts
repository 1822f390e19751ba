import { z } from 'zod';
import type { Rational } from '../base/index.js';

/** What can be wrong with the pictures of a drawn take, in the words of the flaws that a summary refuses. */
const DEFECTS = ['black', 'bars', 'blurred', 'shaken', 'frozen', 'exposed'] as const;
export type Defect = (typeof DEFECTS)[number];

/** The drawn topic. The same record, without `folder`, is written as `truth.json` beside the videos. */
export type DemoTopic = {
  readonly schema: 'demo-truth.1';
  /** Version of the drawing itself. */
  readonly drawing: number;
  readonly title: string;
  readonly folder: string;
  /** The scenes of the topic and who filmed them, most filmed first: what a summary of the topic should show. */
  readonly subjects: readonly {
    readonly name: string;
    /** `shared`: filmed by several people; `private`: by one; `filler`: by mistake, worth nobody's time. */
    readonly kind: 'shared' | 'private' | 'filler';
    readonly videos: readonly string[];
  }[];
  readonly videos: readonly {
    readonly file: string;
    readonly widthPx: number;
    readonly heightPx: number;
    readonly frameRate: Rational;
    readonly frameCount: number;
    /** Each is the frames `[startFrame, endFrame)`. */
    readonly scenes: readonly {
      readonly name: string;
      readonly kind: 'shared' | 'private' | 'filler';
      readonly startFrame: number;
      readonly endFrame: number;
      /** How it begins: a cut at `startFrame`, or a dissolve of so many frames centred on it. */
      readonly dissolveFrames: number;
      /** Files of the other videos that show the same place. */
      readonly alsoIn: readonly string[];
      /** What is wrong with its pictures, if anything is: then it is filler, wherever it was filmed. */
      readonly defect?: (typeof DEFECTS)[number];
    }[];
  }[];
};

/** A scene of the topic, and who filmed it. */
export type DemoSubject = DemoTopic['subjects'][number];
/** Whether a scene was filmed by several people, by one, or by mistake. */
export type SceneKind = DemoSubject['kind'];
/** One drawn video and what is in it. */
export type DemoVideo = DemoTopic['videos'][number];
/** One scene of one video. */
export type DemoScene = DemoVideo['scenes'][number];

const count = z.int().nonnegative();
const kind = z
  .enum(['shared', 'private', 'filler'])
  .describe('Filmed by several people, by one, or by mistake and worth nobody’s time');

/** What `truth.json` holds, schema `demo-truth.1`: which scene of which video is where, and who else filmed it. */
export const demoTruth: z.ZodType<Omit<DemoTopic, 'folder'>> = z.strictObject({
  schema: z.literal('demo-truth.1'),
  drawing: z.int().positive().describe('Version of the drawing itself'),
  title: z.string(),
  subjects: z
    .array(z.strictObject({ name: z.string(), kind, videos: z.array(z.string()).describe('Files that show it') }))
    .describe('The scenes of the topic, most filmed first'),
  videos: z.array(
    z.strictObject({
      file: z.string(),
      widthPx: z.int().positive(),
      heightPx: z.int().positive(),
      frameRate: z
        .strictObject({ num: z.int().positive(), den: z.int().positive() })
        .describe('Frames per second, as a fraction'),
      frameCount: z.int().positive(),
      scenes: z.array(
        z.strictObject({
          name: z.string(),
          kind,
          startFrame: count.describe('First frame of the scene'),
          endFrame: z.int().positive().describe('First frame after it'),
          dissolveFrames: count.describe('0 for a cut at startFrame; otherwise the length of a dissolve centred on it'),
          alsoIn: z.array(z.string()).describe('Files of the other videos that show the same place'),
          defect: z.enum(DEFECTS).optional().describe('What is wrong with its pictures: it must not be in a summary'),
        }),
      ),
    }),
  ),
});
