import type { Rational } from '../base/index.js';

/** What can be wrong with the pictures of a drawn take, in the words of the flaws that a summary refuses. */
export const DEFECTS = ['black', 'bars', 'blurred', 'shaken', 'frozen', 'exposed'] as const;
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
