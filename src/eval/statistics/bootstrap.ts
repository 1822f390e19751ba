import { random } from '../../base/index.js';

/** Where the true mean is expected, at the confidence that the interval was made for. */
export type Interval = { readonly low: number; readonly high: number };

/** Interval of the mean over topics of the mean over videos; `valuesByTopic` has one array per topic; empty ones are ignored. */
export type IntervalMaker = (valuesByTopic: readonly (readonly number[])[]) => Interval | null;

/** How intervals are made. */
export type BootstrapKnobs = {
  readonly seed: number;
  readonly resamples: number;
  /** 0.95 leaves 2.5 % on either side. */
  readonly confidence: number;
};

/**
 * Percentile bootstrap in two steps: topics are drawn with replacement, then the videos inside each drawn topic, so that an
 * interval is about other topics too. Of T topics T − 1 are drawn: T draws would make the variance between topics smaller by
 * 1/T (Rao & Wu 1988). Each drawn topic has as many videos as it has. A single topic stays, and n − 1 of its n videos are
 * drawn; a single video cannot vary: `null`. The same seed and sizes give the same draws, so rows of a table are comparable.
 */
export function bootstrapIntervals({ seed, resamples, confidence }: BootstrapKnobs): IntervalMaker {
  const known = new Map<string, readonly Int32Array[]>();
  return (valuesByTopic) => {
    const topics = valuesByTopic.filter((values) => values.length > 0);
    const sizes = topics.map((values) => values.length);
    if (sizes.length < 2 && (sizes[0] ?? 0) < 2) return null;
    const key = sizes.join();
    const draws = known.get(key) ?? drawWeights(sizes, resamples, seed);
    known.set(key, draws);
    const values = Float64Array.from(topics.flat());
    const means = Float64Array.from(draws, (weights) => weigh(weights, values)).sort();
    const tail = (1 - confidence) / 2;
    return { low: quantile(means, tail), high: quantile(means, 1 - tail) };
  };
}

/** One resample: pairs of a video, counted over all topics, and how many videos its topic has drawn. */
function drawWeights(sizes: readonly number[], resamples: number, seed: number): readonly Int32Array[] {
  const { below } = random(seed);
  const starts = sizes.map((_, topic) => sizes.slice(0, topic).reduce((sum, size) => sum + size, 0));
  const isAlone = sizes.length === 1;
  return Array.from({ length: resamples }, () => {
    const drawn: number[] = [];
    for (let left = Math.max(1, sizes.length - 1); left > 0; left--) {
      const topic = isAlone ? 0 : below(sizes.length);
      const size = sizes[topic]!;
      const count = isAlone ? size - 1 : size;
      for (let video = count; video > 0; video--) drawn.push(starts[topic]! + below(size), count);
    }
    return Int32Array.from(drawn);
  });
}

/** The mean over drawn topics of the mean over drawn videos. */
function weigh(drawn: Int32Array, values: Float64Array): number {
  let [sum, topics] = [0, 0];
  for (let at = 0; at < drawn.length; at += 2) {
    sum += values[drawn[at]!]! / drawn[at + 1]!;
    topics += 1 / drawn[at + 1]!;
  }
  return sum / topics;
}

/** Between the two nearest of the sorted values, in proportion (Hyndman & Fan 1996, type 7). */
function quantile(sorted: Float64Array, share: number): number {
  const index = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(index)]!, sorted[Math.ceil(index)]!];
  return below + (above - below) * (index - Math.floor(index));
}
