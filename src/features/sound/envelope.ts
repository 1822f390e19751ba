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
export function fourier(size: number): (re: Float64Array, im: Float64Array) => void {
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
