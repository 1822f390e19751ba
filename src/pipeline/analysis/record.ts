import { z } from 'zod';

import { bytesOf, filledFrom, lengthInSeconds, rescale, StoreError, type Rational } from '../../base/index.js';
import { rangeSchema, rationalSchema } from '../../base/schemas.js';
import { CURVE_RATE, gapsBetweenWords, type FeatureMatrix, type FeatureSource, type SoundAnalysis, type SoundTrack } from '../../features/index.js'; // prettier-ignore
import type { ClockJump, SdrPlan, VideoInfo } from '../../media/index.js';
import {
  readMeasures,
  readSamples,
  writeSamples,
  type FrameMeasures,
  type SampleMeasures,
  type FrameClock,
  type Shot,
  type Take,
} from '../../shots/index.js';
import { oncePer } from '../once-per.js';

/** The shots of a video, with a picture of each. */
export type Outline = {
  readonly frameCount: number;
  readonly timeBase: Rational;
  /** Frames per second if every frame keeps to it; `null` if the rate varies. */
  readonly frameRate: Rational | null;
  /** From the first frame to the end of the last, in ticks. */
  readonly start: number;
  readonly end: number;
  readonly takes: readonly Take[];
  readonly shots: readonly Shot[];
  /** What was wrong with the file, as the end of a sentence that begins with its name; `null` if nothing was. */
  readonly warning: string | null;
  /** The decoder complained about the content. */
  readonly isDamaged: boolean;
  /** What the stream is like, as found by reading all of it. */
  readonly stream: Stream;
  /** Why it was read whole although key pictures were asked for, to follow "its"; `null` otherwise. */
  readonly readWhole: string | null;
  /** JPEG of a shot, 320 px on its long side. */
  picture(shot: number): Promise<Buffer>;
  /** The tick of every frame, for cuts that lie inside shots. */
  frameTicks(): Promise<Float64Array>;
  /** What was measured of every frame: brightness, motion, sharpness and the like. */
  measures(): Promise<FrameMeasures>;
  /** What is heard; `null` if the video has no sound, or none that could be decoded. */
  sound(): Promise<SoundTrack | null>;
  /** What was wrong with the sound, as the end of a sentence that begins with the file's name; `null` if nothing was. */
  readonly soundWarning: string | null;
};

/** What only a whole reading shows about the stream of a file. */
type Stream = {
  /** Stored pictures, counted without decoding. */
  readonly packets: number;
  /** Where the clock of the file restarts; absent if it does not. */
  readonly clock?: readonly ClockJump[] | undefined;
  /** The size or format of its pictures changes on the way. */
  readonly resizes?: boolean | undefined;
  /** How its colours were converted to ordinary ones; absent if they were not. */
  readonly sdr?: SdrPlan | undefined;
};

/** The result of one pass over a video: its shots, with a vector and a picture for each. */
export type Analysis = Outline & { readonly features: FeatureSource };

/** Finished bytes by section, such as a cache entry of the store. */
export type Kept = {
  readonly header: unknown;
  read(section: string, offset?: number, length?: number): Promise<Buffer>;
};

/** Bytes being collected on disk, such as a cache draft of the store. */
export type Scratch = {
  append(section: string, bytes: Uint8Array): Promise<void>;
  read(section: string, offset: number, length: number): Promise<Buffer>;
  commit(header: unknown, sections: readonly string[]): Promise<Kept>;
  discard(): Promise<void>;
};

const stretch = { startFrame: z.int(), endFrame: z.int(), range: rangeSchema };

const headerSchema = z.object({
  schema: z.literal('analysis.1'),
  frameCount: z.int().positive(),
  timeBase: rationalSchema,
  frameRate: rationalSchema.nullable(),
  start: z.int(),
  end: z.int(),
  takes: z.array(z.object(stretch)),
  shots: z.array(
    z.object({ ...stretch, take: z.int().nonnegative(), view: z.int().nonnegative(), isShort: z.boolean().optional() }),
  ),
  dim: z.int().nonnegative(),
  pictures: z.array(z.object({ offset: z.int().nonnegative(), length: z.int().positive() })),
  warning: z.string().nullable(),
  isDamaged: z.boolean(),
  readWhole: z.string().nullable().default(null),
  soundWarning: z.string().nullable(),
  heard: z
    .object({
      values: z.int().nonnegative(),
      speech: z.int().nonnegative(),
      detector: z.enum(['network', 'energy']),
    })
    .nullable(),
  stream: z.object({
    packets: z.int().nonnegative(),
    clock: z.array(z.object({ ticks: z.int(), fileTicks: z.int() })).optional(),
    resizes: z.boolean().optional(),
    sdr: z.object({ white: z.number().positive(), peak: z.number().positive() }).optional(),
  }),
});
type AnalysisHeader = z.infer<typeof headerSchema>;

/** Where the JPEG of a sample is on disk. */
export type Sample = { readonly offset: number; readonly length: number };

/** What was found in a video, without the vectors and pictures of its shots. */
type Findings = {
  readonly ticks: readonly number[];
  readonly end: number;
  readonly timeBase: Rational;
  readonly takes: readonly Take[];
  readonly shots: readonly Shot[];
  readonly measures: Uint8Array;
  readonly samples: readonly SampleMeasures[];
  readonly dim: number;
  /** The decoder's complaint about the content. */
  readonly complaint: string | null;
  readonly readWhole: string | null;
  readonly stream: Stream;
  readonly heard: SoundAnalysis;
};

/** Finishes an analysis: writes vectors and pictures in the order of the shots, and the tick of every frame. */
export async function sealAnalysis(
  info: VideoInfo,
  { ticks, end, timeBase, takes, shots, measures, samples, dim, complaint, readWhole, stream, heard }: Findings,
  vectors: Iterable<Float32Array> | AsyncIterable<Float32Array>,
  pictureOf: (shot: Shot) => Sample,
  scratch: Scratch,
): Promise<Kept> {
  const start = ticks[0] ?? 0;
  const header: AnalysisHeader = {
    schema: 'analysis.1',
    frameCount: ticks.length,
    timeBase,
    frameRate: exactRate(ticks, info.frameRate, timeBase),
    start,
    end,
    takes: takes.map(({ startFrame, endFrame, range }) => ({ startFrame, endFrame, range })),
    shots: shots.map(({ startFrame, endFrame, range, take, view, isShort }) => ({
      startFrame,
      endFrame,
      range,
      take,
      view,
      isShort,
    })),
    dim,
    pictures: [],
    isDamaged: complaint !== null,
    readWhole,
    soundWarning: heard.warning,
    heard: heard.track && {
      values: heard.track.onsets.length,
      speech: heard.track.speech.length,
      detector: heard.track.detector,
    },
    stream: { ...stream, clock: stream.clock && [...stream.clock] },
    warning: warningOf(info, complaint, { start, end, base: timeBase }),
  };
  for await (const vector of vectors) await scratch.append('features', bytesOf(vector));
  let offset = 0;
  for (const shot of shots) {
    const { offset: from, length } = pictureOf(shot);
    await scratch.append('pictures', await scratch.read('samples', from, length));
    header.pictures.push({ offset, length });
    offset += length;
  }
  await scratch.append('ticks', bytesOf(Float64Array.from(ticks)));
  await scratch.append('measures', measures);
  await scratch.append('details', bytesOf(writeSamples(samples)));
  if (heard.track) {
    const { onsets, loudness, speech } = heard.track;
    await scratch.append('sound', onsets);
    await scratch.append('sound', loudness);
    await scratch.append('sound', bytesOf(Float64Array.from(speech.flatMap(({ start, end }) => [start, end]))));
  }
  return scratch.commit(header, [
    'features',
    'pictures',
    'ticks',
    'measures',
    'details',
    ...(heard.track ? ['sound'] : []),
  ]);
}

/** Reads an analysis; `null` if it has another form or does not fit together. */
export async function readAnalysis(kept: Kept): Promise<Analysis | null> {
  const outline = readOutline(kept);
  if (outline === null) return null;
  const [shotCount, dim] = [outline.shots.length, outline.dim];
  const rowBytes = dim * Float32Array.BYTES_PER_ELEMENT;
  // The last row, and nothing after it: the length fits without reading the rest.
  const last = await kept.read('features', Math.max(0, shotCount - 1) * rowBytes, rowBytes + 1);
  if (last.length !== Math.min(1, shotCount) * rowBytes) return null;
  const read = async (first: number, count: number): Promise<FeatureMatrix> => {
    const bytes = await kept.read('features', first * rowBytes, count * rowBytes);
    if (bytes.length !== count * rowBytes) throw unlike(`the vectors of ${shotCount} shots`, 'fewer');
    return { shotCount: count, dim, data: filledFrom(new Float32Array(count * dim), bytes) };
  };
  return { ...outline, features: { shotCount, dim, read } };
}

function unlike(expected: string, found: string): StoreError {
  return new StoreError('bad-entry', `Expected ${expected} in the cache, found ${found}. Clear the cache.`);
}

/** The same without the vectors. */
export function readOutline(kept: Kept): (Outline & { readonly dim: number }) | null {
  const parsed = headerSchema.safeParse(kept.header);
  if (!parsed.success || parsed.data.pictures.length !== parsed.data.shots.length) return null;
  const header = parsed.data;
  return {
    ...header,
    takes: header.takes.map((take, index) => ({ index, ...take })),
    shots: header.shots.map((shot, index) => ({ index, ...shot })),
    picture: async (shot) => {
      const place = header.pictures[shot];
      return place ? kept.read('pictures', place.offset, place.length) : Buffer.alloc(0);
    },
    frameTicks: async () => {
      const bytes = await kept.read('ticks');
      if (bytes.length !== header.frameCount * Float64Array.BYTES_PER_ELEMENT) {
        throw unlike(`the times of ${header.frameCount} frames`, `the times of ${bytes.length / Float64Array.BYTES_PER_ELEMENT}`); // prettier-ignore
      }
      return filledFrom(new Float64Array(header.frameCount), bytes);
    },
    measures: async () => {
      const details = await kept.read('details');
      const values = new Float32Array(Math.floor(details.length / Float32Array.BYTES_PER_ELEMENT));
      const samples = readSamples(filledFrom(values, details));
      const measures = samples && readMeasures(await kept.read('measures'), samples, header.frameCount);
      if (measures === null) throw unlike(`the measures of ${header.frameCount} frames`, 'those of another number');
      return measures;
    },
    sound: async () => header.heard && readSound(header.heard, await kept.read('sound')),
  };
}

/** The two curves, then the start and end of each stretch of speech. */
function readSound({ values, speech, detector }: NonNullable<AnalysisHeader['heard']>, bytes: Buffer): SoundTrack {
  const length = 2 * values + 2 * speech * Float64Array.BYTES_PER_ELEMENT;
  if (bytes.length !== length) throw unlike(`${length} bytes of sound`, `${bytes.length}`);
  const edges = filledFrom(new Float64Array(2 * speech), bytes.subarray(2 * values));
  return {
    detector,
    onsets: Uint8Array.from(bytes.subarray(0, values)),
    loudness: Uint8Array.from(bytes.subarray(values, 2 * values)),
    speech: Array.from({ length: speech }, (_, k) => ({ start: edges[2 * k]!, end: edges[2 * k + 1]! })),
  };
}

/** The clock of a video: the tick of every frame, read when asked for. */
export async function clockOf({ frameTicks, end, timeBase }: Outline): Promise<FrameClock> {
  return { frameTicks: await frameTicks(), endTicks: end, timeBase };
}

/** Speech, and the gaps between its words, in ticks; worked out once. */
export const pausesOf = oncePer(async (analysis: Pick<Analysis, 'sound' | 'start' | 'timeBase'>) => {
  const { start: first, timeBase } = analysis;
  const { loudness, speech } = (await analysis.sound()) ?? { loudness: new Uint8Array(), speech: [] };
  const toTick = (value: number): number => first + rescale(value, { num: 1, den: CURVE_RATE }, timeBase);
  const gaps = gapsBetweenWords(loudness).map(({ start, end }) => ({ start: toTick(start), end: toTick(end) }));
  return { speech, gaps };
});

/** The end of the last frame: its duration is what the stream says, else that of the frame before, else one nominal frame. */
export function endOf(ticks: readonly number[], lastDuration: number | null, info: VideoInfo, base: Rational): number {
  const from = ticks.at(-1) ?? 0;
  const before = ticks.at(-2);
  const nominal = info.frameRate ? Math.round((info.frameRate.den * base.den) / (info.frameRate.num * base.num)) : 1;
  const duration = lastDuration ?? (before === undefined ? nominal : from - before);
  return from + Math.max(1, duration);
}

/** The stated rate if every frame i is at i / rate to within a tick. */
function exactRate(ticks: readonly number[], rate: Rational | null, base: Rational): Rational | null {
  if (rate === null) return null;
  const step = (rate.den * base.den) / (rate.num * base.num);
  return ticks.every((tick, i) => Math.abs(tick - ticks[0]! - i * step) <= 1) ? rate : null;
}

/** Share of the stated length that must have been readable before a damaged file counts as cut off. */
const WHOLE_SHARE = 0.9;

function warningOf(
  info: VideoInfo,
  complaint: string | null,
  range: { start: number; end: number; base: Rational },
): string | null {
  if (complaint === null) return null;
  const seconds = lengthInSeconds(range);
  if (info.durationHint !== null && seconds < WHOLE_SHARE * info.durationHint && info.durationHint - seconds > 1) {
    return `says it is ${info.durationHint.toFixed(1)} s long, but only ${seconds.toFixed(1)} s could be decoded: it is damaged or cut off. What could be read was used.`;
  }
  return `could not be decoded without errors (${complaint}): some of its pictures may be broken. What could be read was used.`;
}
