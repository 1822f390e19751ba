/** Samples per second of the sound that is measured. */
export const SOUND_RATE = 16_000;
/** Values per second of the curves of a sound track. */
export const CURVE_RATE = 100;

/** Samples between two values of a curve, and samples that a spectrum is taken of. */
const HOP = SOUND_RATE / CURVE_RATE;
const WINDOW = 512;
/** Bands per spectrum, equally wide in the logarithm of the frequency from 100 Hz to 8 kHz. */
const BANDS = 24;
const LOWEST_HZ = 100;
/** Power below this (−70 dB of full scale in a band) counts as silence, so that noise of the converter has no onsets. */
const FLOOR = 1e-7;
/** Steps of an onset value per unit of mean log power, and of a loudness value per decibel. */
const ONSET_STEPS = 64;
export const STEPS_PER_DB = 2;
export const LOWEST_DB = -96;

export type Envelope = {
  /** How much begins to sound: mean rise of the log power over the bands, in 1/64. */
  readonly onsets: Uint8Array;
  /** Mean power in half decibels above −96 dB of full scale; 0 is silence. */
  readonly loudness: Uint8Array;
};

/**
 * Two curves over the sound, 100 values per second, from one channel at 16,000 samples per second:
 *   loudness_t = 10 log₁₀ (mean of x² over hop t)
 *   onset_t    = mean over bands b of max(0, log(P_b,t + ε) − log(P_b,t−1 + ε)),   P_b,t: power of band b in the 32 ms that end with hop t
 * `values` is the length of the curves; past the end of the sound they are 0.
 */
export function envelopeMeter(values: number): { push(samples: Int16Array): void; end(): Envelope } {
  const onsets = new Uint8Array(values);
  const loudness = new Uint8Array(values);
  const heard = new Float64Array(WINDOW);
  const spectrum = spectrumOf(WINDOW);
  const bands = bandsOf();
  let previous: Float64Array | null = null;
  let [filled, at] = [0, 0];

  const measure = (): void => {
    let squares = 0;
    for (let k = WINDOW - HOP; k < WINDOW; k++) squares += heard[k]! * heard[k]!;
    const db = 10 * Math.log10(squares / HOP + 1e-12);
    loudness[at] = Math.max(0, Math.round(STEPS_PER_DB * (db - LOWEST_DB)));
    const power = spectrum(heard);
    const logs = new Float64Array(BANDS);
    for (let b = 0; b < BANDS; b++) {
      let sum = 0;
      for (let k = bands[b]!; k < bands[b + 1]!; k++) sum += power[k]!;
      logs[b] = Math.log(sum + FLOOR);
    }
    let rise = 0;
    if (previous !== null) for (let b = 0; b < BANDS; b++) rise += Math.max(0, logs[b]! - previous[b]!);
    onsets[at] = Math.min(255, Math.round((ONSET_STEPS * rise) / BANDS));
    previous = logs;
    at++;
  };

  return {
    push(samples) {
      for (const sample of samples) {
        if (at === values) return;
        heard[WINDOW - HOP + filled++] = sample / 32_768;
        if (filled < HOP) continue;
        measure();
        heard.copyWithin(0, HOP);
        filled = 0;
      }
    },
    end: () => ({ onsets, loudness }),
  };
}

/** The first bin of each band, and the end of the last; no band is empty. */
function bandsOf(): number[] {
  const bin = SOUND_RATE / WINDOW;
  const edges = Array.from({ length: BANDS + 1 }, (_, b) =>
    Math.round((LOWEST_HZ * (SOUND_RATE / 2 / LOWEST_HZ) ** (b / BANDS)) / bin),
  );
  for (let b = 1; b <= BANDS; b++) edges[b] = Math.max(edges[b]!, edges[b - 1]! + 1);
  return edges;
}

/**
 * The power spectrum of a window: |Σ_n h_n x_n exp(−2πi kn/N)|² · (2 / Σ h)² for k ≤ N/2, with Hann's window h, so that a
 * tone of amplitude a has a² at its bin. N is a power of two.
 */
export function spectrumOf(size: number): (samples: Float64Array) => Float64Array {
  const hann = Float64Array.from({ length: size }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / size));
  const transform = fourier(size);
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  const power = new Float64Array(size / 2 + 1);
  const scale = (4 / size) ** 2;
  return (samples) => {
    for (let n = 0; n < size; n++) re[n] = samples[n]! * hann[n]!;
    im.fill(0);
    transform(re, im);
    for (let k = 0; k < power.length; k++) power[k] = scale * (re[k]! * re[k]! + im[k]! * im[k]!);
    return power;
  };
}

/**
 * The discrete Fourier transform of `size` values, in place: X_k = Σ_n x_n exp(−2πi kn/N). By the radix-2 method; the size
 * is a power of two.
 */
function fourier(size: number): (re: Float64Array, im: Float64Array) => void {
  const cosines = Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, k) => Math.sin((2 * Math.PI * k) / size));
  const reversed = new Uint32Array(size);
  for (let n = 1; n < size; n++) reversed[n] = (reversed[n >> 1]! >> 1) | (n & 1 ? size >> 1 : 0);
  return (re, im) => {
    for (let n = 0; n < size; n++) {
      const r = reversed[n]!;
      if (r <= n) continue;
      const x = re[n]!;
      const y = im[n]!;
      re[n] = re[r]!;
      im[n] = im[r]!;
      re[r] = x;
      im[r] = y;
    }
    for (let half = 1; half < size; half *= 2) {
      const step = size / 2 / half;
      for (let start = 0; start < size; start += 2 * half) {
        for (let k = 0; k < half; k++) {
          const a = start + k;
          const b = a + half;
          const c = cosines[k * step]!;
          const s = sines[k * step]!;
          const x = re[b]! * c + im[b]! * s;
          const y = im[b]! * c - re[b]! * s;
          re[b] = re[a]! - x;
          im[b] = im[a]! - y;
          re[a]! += x;
          im[a]! += y;
        }
      }
    }
  };
}

/** A track whose sound others have too: its group, where it begins in it, and how certain that is. */
type AlignedTrack = {
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
  const spectra = new Map(heard.map((at) => [at, transformOf(curves[at]!, size, transform)]));
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

function transformOf(curve: Float64Array, size: number, transform: ReturnType<typeof fourier>): Spectrum {
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
