import { CURVE_RATE, fourier } from './envelope.js';

/** A track whose sound others have too: its group, where it begins in it, and how certain that is. */
export type AlignedTrack = {
  readonly group: number;
  /** Seconds after the first track of the group. */
  readonly offsetSeconds: number;
  /** Height of the peak of the correlation that joins it to its group, in standard deviations over the other lags. */
  readonly confidence: number;
};

/** Two tracks fit: `b` begins `lag` values after `a`. */
type Fit = { readonly a: number; readonly b: number; readonly lag: number; readonly height: number; readonly isSure: boolean }; // prettier-ignore

/** Values that two tracks must have in common to be compared: five seconds. */
const MIN_OVERLAP = 5 * CURVE_RATE;
/** Two tracks fit if the peak is this high, in standard deviations, and the next one at most this share of it: music of a strict beat has many. */
const SURE = { height: 7, next: 0.7 };
/** A lower peak counts if a third track confirms it. */
const LIKELY = { height: 4.5, next: 0.85 };
/** Lags of three tracks add up if they do so to within this many values; clocks of cameras drift. */
const CLOSED = 10;
/** Lags this near to a peak belong to it. */
const PEAK_WIDTH = 30;
/** The most for one topic: values transformed, some ten seconds of work (40 videos of ten minutes), and values held. */
const MAX_VALUES = { transformed: 1.1e8, held: 6e6 };

/**
 * Where tracks overlap, from their onset curves (100 values a second); `null` for a track that fits no other. Pairs are
 * accepted from the surest on, if they agree with what was accepted before; a pair that is only likely needs a third track
 * that fits both at lags that add up. If there is more to compare than is worth it, nothing is aligned: `null`.
 */
export function alignTracks(onsets: readonly (ArrayLike<number> | null)[]): (AlignedTrack | null)[] | null {
  const curves = onsets.map((track) => (track === null ? null : flatten(track)));
  const heard = [...curves.keys()].filter((at) => curves[at] !== null);
  const longest = Math.max(1, ...heard.map((at) => curves[at]!.length));
  const size = 2 ** Math.ceil(Math.log2(2 * longest));
  const held = heard.length * size;
  if (held > MAX_VALUES.held || (held * (heard.length + 1)) / 2 > MAX_VALUES.transformed) return null;
  const transform = fourier(size);
  const spectra = new Map(heard.map((at) => [at, spectrumOf(curves[at]!, size, transform)]));
  const fits: Fit[] = [];
  for (const [k, a] of heard.entries()) {
    for (const b of heard.slice(k + 1)) {
      const products = correlate(spectra.get(a)!, spectra.get(b)!, size, transform);
      const peak = peakOf(products, curves[a]!, curves[b]!);
      if (peak && isAbove(peak, LIKELY)) fits.push({ a, b, ...peak, isSure: isAbove(peak, SURE) });
    }
  }
  return join(fits, onsets.length);
}

const isAbove = ({ height, next }: { height: number; next: number }, limit: typeof SURE): boolean =>
  height >= limit.height && next <= limit.next * height;

/**
 * An onset curve with the loud and the quiet on one scale: less its mean over a second, divided by its deviation over eight,
 * and bounded, so that no single bang decides. `null` for a track without onsets.
 */
function flatten(onsets: ArrayLike<number>): Float64Array | null {
  const length = onsets.length;
  if (length < MIN_OVERLAP) return null;
  const means = slidingMean(onsets, CURVE_RATE / 2);
  const risen = Float64Array.from({ length }, (_, t) => onsets[t]! - means[t]!);
  const squares = risen.map((x) => x * x);
  const variance = squares.reduce((sum, x) => sum + x, 0) / length;
  if (variance < MIN_VARIANCE) return null;
  const local = slidingMean(squares, 4 * CURVE_RATE);
  return risen.map((x, t) => Math.max(-2, Math.min(4, x / Math.sqrt(local[t]! + 0.1 * variance))));
}

/** Below this, in steps of the curve, there is nothing to compare but rounding. */
const MIN_VARIANCE = 0.5;

function slidingMean(values: ArrayLike<number>, half: number): Float64Array {
  const means = new Float64Array(values.length);
  let [sum, from, to] = [0, 0, 0];
  for (let t = 0; t < means.length; t++) {
    for (; to < Math.min(means.length, t + half + 1); to++) sum += values[to]!;
    for (; from < t - half; from++) sum -= values[from]!;
    means[t] = sum / (to - from);
  }
  return means;
}

type Spectrum = { readonly re: Float64Array; readonly im: Float64Array };

function spectrumOf(curve: Float64Array, size: number, transform: ReturnType<typeof fourier>): Spectrum {
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  re.set(curve);
  transform(re, im);
  return { re, im };
}

/**
 * r_l = Σ_t a_(t+l) b_t for every lag l (negative ones from the end of the list), as the inverse transform of A_k B̄_k. The
 * inverse is the transform of the conjugate, whose real part is the same.
 */
function correlate(A: Spectrum, B: Spectrum, size: number, transform: ReturnType<typeof fourier>): Float64Array {
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  for (let k = 0; k < size; k++) {
    re[k] = (A.re[k]! * B.re[k]! + A.im[k]! * B.im[k]!) / size;
    im[k] = (A.re[k]! * B.im[k]! - A.im[k]! * B.re[k]!) / size;
  }
  transform(re, im);
  return re;
}

/**
 * The highest normalised product over all lags l with an overlap of n_l values, its height over the others, and the next one:
 *   s_l = √n_l · r_l / √(Σ a² Σ b²) over the overlap,     height = max s / σ,     σ = median |s| / 0.6745
 * Without a common sound, s is about normal with deviation σ at every lag. The lag is refined by a parabola through the peak.
 */
function peakOf(
  r: Float64Array,
  a: Float64Array,
  b: Float64Array,
): { readonly lag: number; readonly height: number; readonly next: number } | null {
  const [first, last] = [MIN_OVERLAP - b.length, a.length - MIN_OVERLAP];
  if (last - first < 2 * PEAK_WIDTH) return null;
  const [powerA, powerB] = [cumulated(a), cumulated(b)];
  const s = new Float64Array(last - first + 1);
  for (let lag = first; lag <= last; lag++) {
    const [from, to] = [Math.max(0, lag), Math.min(a.length, b.length + lag)];
    const power = (powerA[to]! - powerA[from]!) * (powerB[to - lag]! - powerB[from - lag]!);
    s[lag - first] = power > 0 ? (Math.sqrt(to - from) * r[(lag + r.length) % r.length]!) / Math.sqrt(power) : 0;
  }
  const peak = s.reduce((best, value, at) => (value > s[best]! ? at : best), 0);
  const next = s.reduce((most, value, at) => (Math.abs(at - peak) > PEAK_WIDTH ? Math.max(most, value) : most), 0);
  const sigma = s.map(Math.abs).sort()[s.length >> 1]! / 0.6745;
  if (!(sigma > 0)) return null;
  const [before, top, after] = [s[peak - 1] ?? 0, s[peak]!, s[peak + 1] ?? 0];
  if (!isSteady(a, b, first + peak, sigma)) return null;
  const bend = before - 2 * top + after;
  const refined = bend < 0 ? (before - after) / (2 * bend) : 0;
  return { lag: first + peak + refined, height: top / sigma, next: next / sigma };
}

/** Three of the four quarters of an overlap must have this much of the product, in its standard deviations. */
const MIN_OF_QUARTER = 1;

/** Whether the sound fits all along: a part that fits is not enough, since videos that were edited have several clocks. */
function isSteady(a: Float64Array, b: Float64Array, lag: number, sigma: number): boolean {
  const [from, to] = [Math.max(0, lag), Math.min(a.length, b.length + lag)];
  const edges = [0, 1, 2, 3, 4].map((k) => from + Math.round((k * (to - from)) / 4));
  const fitting = edges.slice(1).filter((end, k) => {
    let [product, powerA, powerB] = [0, 0, 0];
    for (let t = edges[k]!; t < end; t++) {
      product += a[t]! * b[t - lag]!;
      powerA += a[t]! * a[t]!;
      powerB += b[t - lag]! * b[t - lag]!;
    }
    return Math.sqrt(end - edges[k]!) * product >= MIN_OF_QUARTER * sigma * Math.sqrt(powerA * powerB);
  });
  return fitting.length >= 3;
}

function cumulated(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [at, value] of values.entries()) sums[at + 1] = sums[at]! + value * value;
  return sums;
}

/** Groups of tracks that fit, each with its place in its group. */
function join(fits: readonly Fit[], count: number): (AlignedTrack | null)[] {
  const lagOf = new Map(fits.flatMap(({ a, b, lag }) => [[`${a} ${b}`, lag], [`${b} ${a}`, -lag]])); // prettier-ignore
  const isConfirmed = ({ a, b, lag }: Fit): boolean =>
    Array.from({ length: count }, (_, c) => c).some((c) => {
      const [ac, cb] = [lagOf.get(`${a} ${c}`), lagOf.get(`${c} ${b}`)];
      return ac !== undefined && cb !== undefined && Math.abs(ac + cb - lag) <= CLOSED;
    });
  const groups = Array.from({ length: count }, (_, at) => ({ members: [at], place: 0, height: 0 }));
  const accepted = fits.filter((fit) => fit.isSure || isConfirmed(fit));
  for (const { a, b, lag, height } of accepted.sort((x, y) => y.height - x.height)) {
    // Within one group both have their places already, by surer pairs.
    if (groups[a]!.members === groups[b]!.members) continue;
    const shift = groups[a]!.place + lag - groups[b]!.place;
    const members = [...groups[a]!.members, ...groups[b]!.members];
    for (const at of groups[b]!.members) groups[at] = { ...groups[at]!, place: groups[at]!.place + shift };
    for (const at of [a, b]) groups[at] = { ...groups[at]!, height: Math.max(groups[at]!.height, height) };
    for (const at of members) groups[at] = { ...groups[at]!, members };
  }
  const lists = [...new Set(groups.map(({ members }) => members))].filter((members) => members.length > 1);
  lists.sort((x, y) => Math.min(...x) - Math.min(...y));
  return groups.map(({ members, place, height }) => {
    if (members.length < 2) return null;
    const first = Math.min(...members.map((at) => groups[at]!.place));
    const offsetSeconds = Math.round((1000 * (place - first)) / CURVE_RATE) / 1000;
    return { group: lists.indexOf(members), offsetSeconds, confidence: Math.round(10 * height) / 10 };
  });
}
