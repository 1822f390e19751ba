import type { Rational } from '../base/index.js';

/** `shared`: filmed by several people; `private`: by one; `filler`: by mistake, worth nobody's time. */
export type SceneKind = 'shared' | 'private' | 'filler';

/** What can be wrong with the pictures of a drawn take, in the words of the flaws that a summary refuses. */
export const DEFECTS = ['black', 'bars', 'blurred', 'shaken', 'frozen', 'exposed'] as const;
export type Defect = (typeof DEFECTS)[number];

/** One scene of one video: frames `[startFrame, endFrame)`. */
export type DemoScene = {
  readonly name: string;
  readonly kind: SceneKind;
  readonly startFrame: number;
  readonly endFrame: number;
  /** How it begins: a cut at `startFrame`, or a dissolve of so many frames centred on it. */
  readonly dissolveFrames: number;
  /** Files of the other videos that show the same place. */
  readonly alsoIn: readonly string[];
  /** What is wrong with its pictures, if anything is: then it is filler, wherever it was filmed. */
  readonly defect?: Defect;
};

/** One drawn video and what is in it. */
export type DemoVideo = {
  readonly file: string;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly frameRate: Rational;
  readonly frameCount: number;
  readonly scenes: readonly DemoScene[];
};

/** A scene of the topic and who filmed it, most filmed first: what a summary of the topic should show. */
export type DemoSubject = { readonly name: string; readonly kind: SceneKind; readonly videos: readonly string[] };

/** The drawn topic. The same record, without `folder`, is written as `truth.json` beside the videos. */
export type DemoTopic = {
  readonly schema: 'demo-truth.1';
  /** Version of the drawing itself. */
  readonly drawing: number;
  readonly title: string;
  readonly folder: string;
  readonly subjects: readonly DemoSubject[];
  readonly videos: readonly DemoVideo[];
};
