/** Every measure of a ranking or its summary, in the order of tables, with the heading of its column. More is better. */
export const METRICS = {
  spearman: 'ρ',
  p5: 'P@5',
  p15: 'P@15 %',
  lift: 'lift',
  ap5: 'AP@5',
  ap15: 'AP@15',
  ap5Retrieved: 'AP@5 by hits',
  ap15Retrieved: 'AP@15 by hits',
  highlightTop5: 'highlight top-5',
  kendall: 'Kendall τ',
  kendallConsensus: 'τ to the mean mark',
  spearmanConsensus: 'ρ to the mean mark',
  f1Mean: 'F1, mean',
  f1Max: 'F1, best',
} as const;

/** The name of a measure, as in records. */
export type MetricName = keyof typeof METRICS;

/** All names, in the order of tables. */
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];

/** The measures that lead every table: those that a run of neighbouring shots, chosen blindly, does not raise. */
export const LEAD_METRICS = ['spearman', 'p5', 'p15', 'lift'] as const satisfies readonly MetricName[];

/** One value per measure. */
export type ByMetric<T> = { readonly [Name in MetricName]: T };

/** Builds a record of all measures. */
export function byMetric<T>(valueOf: (name: MetricName) => T): ByMetric<T> {
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, valueOf(name)])) as ByMetric<T>;
}

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

/** The videos of each topic, by index in a list of videos. */
export type Topics = readonly (readonly number[])[];

/** Values of videos averaged in two steps, so that every topic counts the same. */
type MacroMean = {
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

/** The share of a video that P@15 % and lift look at. */
const SHARE = 0.15;

/** How many shots are the first 15 %: rounded to the nearest, halves up, at least one. */
export function firstShots(shotCount: number): number {
  return Math.max(1, Math.round(SHARE * shotCount));
}

/** Values that vary by less than this share of the largest are equal: they differ only by rounding. */
const EQUAL = 1e-9;

/**
 * lift = mean over the first k shots of (m − mean(m)) / sd(m)     m: a value for each shot; sd over all shots (divided by n)
 * A position in a tier of tied shots counts their mean. `null` if all values are equal.
 */
export function liftOf(tiers: Tiers, values: Float64Array, k: number): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(deviation > EQUAL * largest)) return null;
  let [position, sum] = [0, 0];
  for (const tier of tiers) {
    if (position >= k) break;
    const taken = Math.min(tier.length, k - position);
    sum += (taken * tier.reduce((all, shot) => all + values[shot]!, 0)) / tier.length;
    position += taken;
  }
  return (sum / position - mean) / deviation;
}

/** Shots, best first, in tiers: shots of one tier are tied, and every order of them is as likely. */
export type Tiers = readonly (readonly number[])[];

/**
 * The shots a person wants: those of `sure`, and `inside` of those of `tied`, every choice of them as likely. A plain
 * set has no tied shots.
 */
export type Reference = {
  readonly sure: ReadonlySet<number>;
  readonly tied: ReadonlySet<number>;
  readonly inside: number;
};

/** An average precision in the two forms that papers use, mostly without saying which. */
export type AveragePrecision = {
  /** Divided by min(k, |reference|): what a perfect ranking could have reached. */
  readonly textbook: number;
  /** Divided by the hits among the first k; 0 if there is none. Never below `textbook`. */
  readonly retrieved: number;
};

/**
 * AP@k = (1/m) Σ hits(i)/i over the positions i ≤ k whose shot is in the reference.   (m by form; hits(i): hits in the first i)
 * `null` for an empty reference: there is nothing to find.
 */
export function averagePrecision(
  order: readonly number[],
  reference: ReadonlySet<number>,
  k: number,
): AveragePrecision | null {
  return precisionAt(tiersOf(order), referenceOf(reference), k);
}

/** The same where shots are tied: the expected sum, divided by min(k, |reference|) or by the expected hits. */
function precisionAt(tiers: Tiers, reference: Reference, k: number): AveragePrecision | null {
  const size = sizeOf(reference);
  if (size === 0) return null;
  const { hits, sum } = expectedHits(tiers, reference, k);
  return { textbook: sum / Math.min(k, size), retrieved: hits === 0 ? 0 : sum / hits };
}

/** P@k: the share of the first k shots (of all, if there are fewer) that are in the reference; `null` for an empty one. */
export function shareOfHits(tiers: Tiers, reference: Reference, k: number): number | null {
  const { hits, places } = expectedHits(tiers, reference, k);
  return sizeOf(reference) === 0 || places === 0 ? null : hits / places;
}

/** A tier for each shot: nothing is tied. */
export function tiersOf(order: readonly number[]): Tiers {
  return order.map((shot) => [shot]);
}

/** The shots of a set, in which nothing is tied. With `marks`, shots that tie with the worst of the set share its positions. */
export function referenceOf(set: ReadonlySet<number>, marks: Float64Array | null = null): Reference {
  const whole = { sure: set, tied: new Set<number>(), inside: 0 };
  if (marks === null || set.size === 0) return whole;
  let cut = Infinity;
  for (const shot of set) cut = Math.min(cut, marks[shot]!);
  const tied = new Set([...marks.keys()].filter((shot) => marks[shot] === cut));
  const sure = new Set([...set].filter((shot) => !tied.has(shot)));
  return { sure, tied, inside: set.size - sure.size };
}

/** The chance that a shot is in a reference. */
export function membership({ sure, tied, inside }: Reference, shot: number): number {
  return sure.has(shot) ? 1 : tied.has(shot) ? inside / tied.size : 0;
}

function sizeOf({ sure, inside }: Reference): number {
  return sure.size + inside;
}

/**
 * The expected number of hits among the first k positions, and the expected Σ hits(i)/i over those hits:
 *
 *   E[Σ] = Σ_{i≤k} (1/i) Σ_{j≤i} P(shots at i and j are both in the reference)
 *
 * A tied shot is in the reference with chance f = inside/t, two of them together with g = f·(inside − 1)/(t − 1).
 */
function expectedHits(tiers: Tiers, { sure, tied, inside }: Reference, k: number) {
  const f = tied.size > 0 ? inside / tied.size : 0;
  const g = tied.size > 1 ? (f * (inside - 1)) / (tied.size - 1) : 0;
  let [position, hits, sum] = [0, 0, 0];
  // Of the tiers before: shots in the reference for certain, and tied ones.
  let [C, U] = [0, 0];
  for (const tier of tiers) {
    if (position >= k) break;
    let [c, u] = [0, 0];
    for (const shot of tier) {
      if (sure.has(shot)) c++;
      else if (tied.has(shot)) u++;
    }
    const size = tier.length;
    const single = (c + f * u) / size;
    const withBefore = (c * (C + f * U) + u * (f * C + g * U)) / size;
    const pair = size > 1 ? (c * (c - 1) + 2 * c * u * f + u * (u - 1) * g) / (size * (size - 1)) : 0;
    for (let inTier = 0; inTier < size && position < k; inTier++) {
      position++;
      hits += single;
      sum += (single + withBefore + inTier * pair) / position;
    }
    [C, U] = [C + c, U + u];
  }
  return { places: position, hits, sum };
}

/** P@5, AP@5 and AP@15, averaged over the references that are not empty; the plain names of AP are the textbook form. */
export function precisionsOf(tiers: Tiers, references: readonly Reference[]) {
  const at = (k: number): (AveragePrecision | null)[] => references.map((one) => precisionAt(tiers, one, k));
  const [at5, at15] = [at(5), at(15)];
  return {
    p5: meanJudged(references.map((one) => shareOfHits(tiers, one, 5))),
    ap5: meanJudged(at5.map((ap) => ap && ap.textbook)),
    ap15: meanJudged(at15.map((ap) => ap && ap.textbook)),
    ap5Retrieved: meanJudged(at5.map((ap) => ap && ap.retrieved)),
    ap15Retrieved: meanJudged(at15.map((ap) => ap && ap.retrieved)),
  };
}
