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
 * Percentile bootstrap over videos, stratified by topic: topics stay, videos are drawn with replacement inside each.
 * A topic of n videos gets n − 1 draws, which makes the variance of the resampled mean s²/n without bias; n draws would
 * make it smaller by 1/n, a fifth for topics of five (Rao & Wu 1988). A topic of one video cannot vary; when
 * all are such the answer is `null`. The same seed and sizes give the same draws, so rows of a table are comparable.
 */
export function bootstrapIntervals({ seed, resamples, confidence }: BootstrapKnobs): IntervalMaker {
  const known = new Map<string, Int32Array>();
  return (valuesByTopic) => {
    const strata = valuesByTopic.filter((values) => values.length > 0);
    const sizes = strata.map((values) => values.length);
    if (!sizes.some((size) => size > 1)) return null;
    const key = sizes.join();
    const draws = known.get(key) ?? drawPlaces(sizes, resamples, seed);
    known.set(key, draws);
    const means = resampledMeans(strata, draws, resamples).sort();
    const tail = (1 - confidence) / 2;
    return { low: quantile(means, tail), high: quantile(means, 1 - tail) };
  };
}

const drawsOf = (size: number): number => Math.max(1, size - 1);

function drawPlaces(sizes: readonly number[], resamples: number, seed: number): Int32Array {
  const perResample = sizes.reduce((sum, size) => sum + drawsOf(size), 0);
  const { below } = random(seed);
  const draws = new Int32Array(resamples * perResample);
  for (let next = 0; next < draws.length;)
    for (const size of sizes) for (let left = drawsOf(size); left > 0; left--) draws[next++] = below(size);
  return draws;
}

function resampledMeans(
  strata: readonly (readonly number[])[],
  draws: Int32Array,
  resamples: number,
): Float64Array<ArrayBuffer> {
  const means = new Float64Array(resamples);
  let next = 0;
  for (let resample = 0; resample < resamples; resample++) {
    let sum = 0;
    for (const values of strata) {
      const count = drawsOf(values.length);
      let topic = 0;
      for (let left = count; left > 0; left--) topic += values[draws[next++]!]!;
      sum += topic / count;
    }
    means[resample] = sum / strata.length;
  }
  return means;
}

/** Between the two nearest of the sorted values, in proportion (Hyndman & Fan 1996, type 7). */
function quantile(sorted: Float64Array, share: number): number {
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below + (above - below) * (place - Math.floor(place));
}
