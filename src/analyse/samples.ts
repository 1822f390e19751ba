import sharp from 'sharp';

import { bytesOf } from '../base/index.js';
import { poolPictures, type Extractor } from '../features/index.js';
import type { Frame, VideoInfo, View } from '../media/index.js';
import { measureSample, type SampleMeasures } from '../quality/index.js';
import type { Sample, Scratch } from './record.js';

/** Size of the pictures for finding shots: small enough that only changes of colour are left, not small motion. */
export const SIGNAL_SIZE = { widthPx: 64, heightPx: 36 } as const;
const PICTURE_LONG_SIDE = 320;

/** Pictures in the network at a time; more would only wait. */
const IN_FLIGHT = 6;

/** Writes the samples of a video to disk, in order: a JPEG of each, and a vector if there is an extractor. */
export type Samples = {
  /** The views that samples are taken from. */
  readonly views: readonly View[];
  push(frame: Pick<Frame, 'index' | 'pictures'>): Promise<void>;
  /** What was measured of the samples so far. */
  measured(): readonly SampleMeasures[];
  /** Waits for all samples; tells where they are. */
  finish(): Promise<readonly Sample[]>;
  /** The pooled vector of some samples. */
  pool(samples: readonly number[]): Promise<Float32Array>;
};

/** Opens the samples of a video: every `every`-th decoded frame, for people and for the extractor. */
export function openSamples(info: VideoInfo, every: number, extractor: Extractor | null, scratch: Scratch): Samples {
  const picture = pictureView(info, every);
  const dim = extractor?.dim ?? 0;
  const embed = unlessSame((sample: Uint8Array) => extractor!.embed(sample));
  const measure = unlessSame(async (rgb: Uint8Array) => measureSample(rgb, picture, 0));
  const measured: SampleMeasures[] = [];
  const encode = unlessSame((rgb: Uint8Array) => encodeJpeg(rgb, picture));
  const samples: Sample[] = [];
  const pending: Promise<[Float32Array | null, Buffer]>[] = [];
  let pictureBytes = 0;
  const settle = async (): Promise<void> => {
    const [vector, jpeg] = (await pending.shift())!;
    samples.push({ offset: pictureBytes, length: jpeg.length });
    pictureBytes += jpeg.length;
    if (vector) await scratch.append('vectors', bytesOf(vector));
    await scratch.append('samples', jpeg);
  };
  const vectorOf = async (sample: number): Promise<Float32Array> => {
    const bytes = dim * Float32Array.BYTES_PER_ELEMENT;
    const read = await scratch.read('vectors', sample * bytes, bytes);
    return new Float32Array(read.buffer, read.byteOffset, dim);
  };
  return {
    views: [picture, ...(extractor ? [{ name: 'network', ...extractor.sample, every }] : [])],
    measured: () => measured,
    async push({ index, pictures }) {
      if (!pictures['picture']) return;
      measured.push({ ...(await measure(pictures['picture'])), frame: index });
      const sample = pictures['network'];
      const result = Promise.all([sample ? embed(sample) : null, encode(pictures['picture'])]);
      // A failure is thrown when its turn comes; until then it must not count as unhandled.
      result.catch(() => undefined);
      pending.push(result);
      if (pending.length > IN_FLIGHT) await settle();
    },
    async finish() {
      try {
        while (pending.length > 0) await settle();
      } finally {
        await Promise.allSettled(pending);
      }
      return samples;
    },
    pool: async (wanted) => poolPictures(await Promise.all(wanted.map(vectorOf)), dim),
  };
}

/** Does `work` once for equal samples in a row, as in stills, titles and held key pictures. */
export function unlessSame<T>(work: (sample: Uint8Array) => Promise<T>): (sample: Uint8Array) => Promise<T> {
  let last: { sample: Uint8Array; result: Promise<T> } | null = null;
  return (sample) => {
    const isSame = last !== null && (last.sample === sample || Buffer.compare(last.sample, sample) === 0);
    if (!isSame) last = { sample, result: work(sample) };
    return last!.result;
  };
}

/** Pictures for people have the shape they have on screen: stored pixels stretched by their aspect. */
function pictureView(info: VideoInfo, every: number): View {
  const width = info.widthPx * (info.sampleAspect.num / info.sampleAspect.den);
  const scale = PICTURE_LONG_SIDE / Math.max(width, info.heightPx);
  const side = (length: number): number => Math.max(2, Math.round(length * scale));
  return { name: 'picture', widthPx: side(width), heightPx: side(info.heightPx), every };
}

function encodeJpeg(rgb: Uint8Array, view: View): Promise<Buffer> {
  const raw = { width: view.widthPx, height: view.heightPx, channels: 3 as const };
  return sharp(rgb, { raw }).jpeg({ quality: 80 }).toBuffer();
}
