/** The mean of the numbers that are not `null`; `null` if there are none. */
export function meanOf(values: Iterable<number | null>): number | null {
  let [sum, count] = [0, 0];
  for (const value of values) {
    if (value === null) continue;
    sum += value;
    count++;
  }
  return count === 0 ? null : sum / count;
}

/** The greatest of the numbers that are not `null`; `null` if there are none. */
export function greatestOf(values: Iterable<number | null>): number | null {
  let greatest: number | null = null;
  for (const value of values) if (value !== null && (greatest === null || value > greatest)) greatest = value;
  return greatest;
}

/** One measure with several judges. */
export type JudgedMean = {
  /** The value of the measure; `null` if the labels of no judge allow one. */
  readonly value: number | null;
  /** In the order of the judges, `null` for those whose labels allow no value; empty for measures against all at once. */
  readonly perJudge: readonly (number | null)[];
};

/** A measure whose value is the mean over the judges that have one. */
export function meanJudged(perJudge: readonly (number | null)[]): JudgedMean {
  return { value: meanOf(perJudge), perJudge };
}

/** The videos of each topic, by place in a list of videos. */
export type Topics = readonly (readonly number[])[];

/** Values of videos averaged in two steps, so that every topic counts the same. */
export type MacroMean = {
  /** One per topic; `null` if none of its videos has a value. */
  readonly perTopic: readonly (number | null)[];
  /** Mean of the topics that have a value. */
  readonly overall: number | null;
};

/** Mean over the videos of each topic, then over topics. */
export function macroMean(perVideo: readonly (number | null)[], topics: Topics): MacroMean {
  const perTopic = valuesByTopic(perVideo, topics).map(meanOf);
  return { perTopic, overall: meanOf(perTopic) };
}

/** The values that are not `null`, topic by topic. */
export function valuesByTopic(perVideo: readonly (number | null)[], topics: Topics): number[][] {
  return topics.map((videos) => videos.map((video) => perVideo[video]!).filter((value) => value !== null));
}
