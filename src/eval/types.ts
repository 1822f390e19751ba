/** A half-open range of frames, one shot of a labelled video. */
export type ShotFrames = { readonly startFrame: number; readonly endFrame: number };

/** The labels of one person for a video. */
export type Judgement = {
  /** Who it was, as the data set names them. */
  readonly judge: string;
  /** The shots this person would put into a summary. */
  readonly reference: ReadonlySet<number>;
  /** All shots as this person ranks them, best first: how the person is scored against the others. */
  readonly order: readonly number[];
  /** The mark of each shot; `null` if the data set only has chosen shots. */
  readonly marks: Float64Array | null;
};

/** One video of a data set, with its labels. */
export type LabelledVideo = {
  readonly id: string;
  readonly topic: string;
  readonly frameCount: number;
  readonly shots: readonly ShotFrames[];
  readonly judgements: readonly Judgement[];
};

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
