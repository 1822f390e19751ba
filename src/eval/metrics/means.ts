/** Mean of the numbers that are there; `null` when none is. */
export function meanOf(values: Iterable<number | null>): number | null {
  let [sum, count] = [0, 0];
  for (const value of values) {
    if (value === null) continue;
    sum += value;
    count++;
  }
  return count === 0 ? null : sum / count;
}

/** The greatest of the numbers that are there; `null` when none is. */
export function greatestOf(values: Iterable<number | null>): number | null {
  let greatest: number | null = null;
  for (const value of values) if (value !== null && (greatest === null || value > greatest)) greatest = value;
  return greatest;
}

/** One measure before several judges. */
export type JudgedMean = {
  /** What the measure comes to; `null` where no judge allows it. */
  readonly value: number | null;
  /** In the order of the judges, `null` where one allows no such measure; empty for measures against all at once. */
  readonly perJudge: readonly (number | null)[];
};

/** A measure whose value is the mean over the judges who allow it. */
export function meanJudged(perJudge: readonly (number | null)[]): JudgedMean {
  return { value: meanOf(perJudge), perJudge };
}

/** The videos of each topic, by place in a list of videos. */
export type Topics = readonly (readonly number[])[];

/** Values of videos averaged in two steps, so that a topic counts the same however many videos it has. */
export type MacroMean = {
  /** One a topic; `null` where no video of it has a value. */
  readonly perTopic: readonly (number | null)[];
  /** Mean of the topics that have a value. */
  readonly overall: number | null;
};

/** Mean over the videos of each topic, then over topics. */
export function macroMean(perVideo: readonly (number | null)[], topics: Topics): MacroMean {
  const perTopic = valuesByTopic(perVideo, topics).map(meanOf);
  return { perTopic, overall: meanOf(perTopic) };
}

/** The values that are there, topic by topic. */
export function valuesByTopic(perVideo: readonly (number | null)[], topics: Topics): number[][] {
  return topics.map((videos) => videos.map((video) => perVideo[video]!).filter((value) => value !== null));
}
