import sharp from 'sharp';
import { z } from 'zod';

import { lengthInSeconds, toSeconds, type Rational } from './base/index.js';
import { PICTURES_EVERY, picturesEvery, poolPictures, type Extractor, type FeatureMatrix } from './features/index.js';
import { embedClips } from './embed-clips.js';
import { decode, type Frame, type VideoInfo, type View } from './media/index.js';
import type { FrameClock, Shot } from './shots/index.js';
import { rangeSchema, rationalSchema } from './summary/index.js';

/** What one pass over a video leaves behind: its shots, a vector and a picture for each. */
export type Analysis = {
  readonly frameCount: number;
  readonly timeBase: Rational;
  /** Frames a second where every frame keeps to it; `null` where the rate varies. */
  readonly frameRate: Rational | null;
  /** From the first frame to the end of the last, in ticks. */
  readonly start: number;
  readonly end: number;
  readonly shots: readonly Shot[];
  readonly features: FeatureMatrix;
  /** What was wrong with the file and worked around, to follow its name; `null` when nothing was. */
  readonly warning: string | null;
  /** The decoder complained about the content. */
  readonly isDamaged: boolean;
  /** JPEG of a shot, 320 px on its long side. */
  picture(shot: number): Promise<Buffer>;
  /** The tick of every frame, for cuts that lie inside shots. */
  frameTicks(): Promise<Float64Array>;
};

/** Finished bytes by section; the store's cache entry is one. */
export type Kept = {
  readonly header: unknown;
  read(section: string, offset?: number, length?: number): Promise<Buffer>;
};

/** Bytes being collected, on disk rather than in memory; the store's cache draft is one. */
export type Scratch = {
  append(section: string, bytes: Uint8Array): Promise<void>;
  read(section: string, offset: number, length: number): Promise<Buffer>;
  commit(header: unknown, sections: readonly string[]): Promise<Kept>;
  discard(): Promise<void>;
};

/** Finds a video's shots: it sees every frame small, and is told the clock at the end. */
export type ShotFinder = { push(picture: Uint8Array): void; end(clock: FrameClock): readonly Shot[] };

/** Raise when the same file would be analysed differently. */
export const ANALYSIS_VERSION = 5;

/** Pictures this small carry the change of colour and nothing that moves a little. */
export const SIGNAL_SIZE = { widthPx: 64, heightPx: 36 } as const;
const PICTURE_LONG_SIDE = 320;

/** Pictures on their way through the network at a time; more would only wait. */
const IN_FLIGHT = 6;

/** What an analysis works with; what holds state is opened anew for each attempt. */
export type AnalysisTools = {
  /** `null` where the vectors come from elsewhere: then only shots and pictures are found. */
  readonly extractor: Extractor | null;
  readonly threads: number;
  newFinder(): ShotFinder;
  openScratch(): Promise<Scratch>;
};

type Hooks = {
  readonly signal?: AbortSignal | undefined;
  readonly onFrame?: (frames: number, seconds: number) => void;
};

/**
 * Analyses a video. When the decoder complains about the content, it is read again in one thread: several threads make
 * other pictures of the same damaged bytes each time.
 */
export async function analyse(info: VideoInfo, tools: AnalysisTools, hooks: Hooks = {}): Promise<Analysis> {
  return (await attempt(info, tools, hooks)) ?? (await attempt(info, { ...tools, threads: 1 }, hooks))!;
}

async function attempt(info: VideoInfo, tools: AnalysisTools, hooks: Hooks): Promise<Analysis | null> {
  const { extractor, threads } = tools;
  const finder = tools.newFinder();
  const scratch = await tools.openScratch();
  try {
    const kept = await readOnce(info, { finder, extractor, scratch, threads }, hooks);
    if (kept === null) await scratch.discard();
    return kept && (await readAnalysis(kept));
  } catch (error) {
    await scratch.discard();
    throw error;
  }
}

/**
 * Reads a video once, in a stream. The decoder gives every frame small, for finding shots, and every so many frames in
 * two sizes: for the network and for people. Shots are known only at the end, so vectors and pictures of the samples
 * wait on disk and are pooled then; memory does not grow with the video beyond a few bytes a frame. Clips begin with
 * their shots, so that an extractor of clips reads the video a second time. Gives `null` when the content is damaged and
 * several threads read it.
 */
async function readOnce(
  info: VideoInfo,
  tools: { finder: ShotFinder; extractor: Extractor | null; scratch: Scratch; threads: number },
  hooks: Hooks,
): Promise<Kept | null> {
  const { finder, extractor, scratch } = tools;
  const seesClips = extractor !== null && extractor.sample.frames > 1;
  const seen = seesClips ? null : extractor;
  const rate = info.frameRate === null ? 0 : info.frameRate.num / info.frameRate.den;
  const every = picturesEvery(seen?.sample.every ?? PICTURES_EVERY, rate);
  const picture = pictureView(info, every);
  const views: [View, ...View[]] = [{ name: 'signal', ...SIGNAL_SIZE, every: 1 }, picture];
  if (seen) views.push({ name: 'network', ...seen.sample, every });
  const decoding = decode(info, views, { signal: hooks.signal, threads: tools.threads });

  const ticks: number[] = [];
  const samples: { offset: number; length: number }[] = [];
  const pending: Promise<[Float32Array | null, Buffer]>[] = [];
  let pictureBytes = 0;
  const settle = async (): Promise<void> => {
    const [vector, jpeg] = (await pending.shift())!;
    samples.push({ offset: pictureBytes, length: jpeg.length });
    pictureBytes += jpeg.length;
    if (vector) await scratch.append('vectors', bytesOf(vector));
    await scratch.append('samples', jpeg);
  };

  const embed = embedChanges(seen);
  let last: Frame | null = null;
  try {
    for await (const frame of decoding.frames) {
      last = frame;
      ticks.push(frame.ticks);
      finder.push(frame.pictures['signal'] as Uint8Array);
      if (frame.pictures['picture']) {
        const sample = frame.pictures['network'];
        const vector = sample ? embed(sample) : null;
        const result = Promise.all([vector, encodeJpeg(frame.pictures['picture'], picture)]);
        // A failure is met when its turn comes; until then it must not count as unhandled.
        result.catch(() => undefined);
        pending.push(result);
        if (pending.length > IN_FLIGHT) await settle();
      }
      const elapsed = toSeconds(frame.ticks - (ticks[0] ?? 0), decoding.timeBase());
      hooks.onFrame?.(frame.index + 1, seesClips ? elapsed / 2 : elapsed);
    }
    while (pending.length > 0) await settle();
  } catch (error) {
    await Promise.allSettled(pending);
    throw error;
  }

  const complaint = decoding.complaint();
  if (complaint !== null && tools.threads !== 1) return null;
  const timeBase = decoding.timeBase();
  const end = endOf(ticks, last, info, timeBase);
  const shots = finder.end({ frameTicks: ticks, endTicks: end, timeBase });
  const header: AnalysisHeader = {
    schema: 'analysis.1',
    frameCount: ticks.length,
    timeBase,
    frameRate: steadyRate(ticks, info.frameRate, timeBase),
    start: ticks[0] ?? 0,
    end,
    shots: shots.map(({ startFrame, endFrame, range }) => ({ startFrame, endFrame, range })),
    dim: extractor?.dim ?? 0,
    pictures: [],
    isDamaged: complaint !== null,
    warning: warningOf(info, complaint, { start: ticks[0] ?? 0, end, base: timeBase }),
  };

  const pooled = seesClips
    ? embedClips(info, shots, extractor, {
        ...hooks,
        threads: tools.threads,
        half: lengthInSeconds({ start: header.start, end, base: timeBase }) / 2,
      })
    : seen
      ? poolSamples(shots, every, samples.length, seen.dim, scratch)
      : [];
  for await (const vector of pooled) await scratch.append('features', bytesOf(vector));
  let offset = 0;
  for (const shot of shots) {
    const { offset: from, length } = samples[samplesOf(shot, every, samples.length).middle]!;
    await scratch.append('pictures', await scratch.read('samples', from, length));
    header.pictures.push({ offset, length });
    offset += length;
  }
  await scratch.append('ticks', bytesOf(Float64Array.from(ticks)));
  return scratch.commit(header, ['features', 'pictures', 'ticks']);
}

/** The extractor's vectors; a sample that is the last one again, to the byte, as in stills and titles, costs nothing. */
export function embedChanges(
  extractor: Pick<Extractor, 'embed'> | null,
): (sample: Uint8Array) => Promise<Float32Array> {
  let last: { sample: Uint8Array; vector: Promise<Float32Array> } | null = null;
  return (sample) => {
    if (last === null || Buffer.compare(last.sample, sample) !== 0) last = { sample, vector: extractor!.embed(sample) };
    return last.vector;
  };
}

/** The vectors of the shots, in order, from those of the samples inside them. */
async function* poolSamples(
  shots: readonly Shot[],
  every: number,
  sampleCount: number,
  dim: number,
  scratch: Scratch,
): AsyncGenerator<Float32Array> {
  const bytes = dim * Float32Array.BYTES_PER_ELEMENT;
  const vectorOf = async (sample: number): Promise<Float32Array> => {
    const read = await scratch.read('vectors', sample * bytes, bytes);
    return new Float32Array(read.buffer, read.byteOffset, dim);
  };
  for (const shot of shots) {
    const { own } = samplesOf(shot, every, sampleCount);
    yield poolPictures(await Promise.all(own.map(vectorOf)), dim);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * The samples inside a shot, and the one nearest its middle. A shot too short to hold one (only a shot list has those)
 * takes the nearest.
 */
function samplesOf(shot: Shot, every: number, sampleCount: number): { own: number[]; middle: number } {
  const first = Math.ceil(shot.startFrame / every);
  const end = Math.ceil(shot.endFrame / every);
  const nearest = Math.round((shot.startFrame + shot.endFrame - 1) / 2 / every);
  const own = Array.from({ length: end - first }, (_, k) => first + k);
  if (own.length === 0) own.push(Math.min(nearest, sampleCount - 1));
  return { own, middle: Math.min(Math.max(nearest, own[0]!), own.at(-1)!) };
}

const headerSchema = z.object({
  schema: z.literal('analysis.1'),
  frameCount: z.int().positive(),
  timeBase: rationalSchema,
  frameRate: rationalSchema.nullable(),
  start: z.int(),
  end: z.int(),
  shots: z.array(
    z.object({
      startFrame: z.int(),
      endFrame: z.int(),
      range: rangeSchema,
    }),
  ),
  dim: z.int().nonnegative(),
  pictures: z.array(z.object({ offset: z.int().nonnegative(), length: z.int().positive() })),
  warning: z.string().nullable(),
  isDamaged: z.boolean(),
});
type AnalysisHeader = z.infer<typeof headerSchema>;

/** An analysis from its kept form, or `null` when it is of another kind or does not fit together. */
export async function readAnalysis(kept: Kept): Promise<Analysis | null> {
  const parsed = headerSchema.safeParse(kept.header);
  if (!parsed.success) return null;
  const header = parsed.data;
  const bytes = await kept.read('features');
  if (bytes.length !== header.shots.length * header.dim * 4 || header.pictures.length !== header.shots.length)
    return null;
  const data = new Float32Array(bytes.length / 4);
  new Uint8Array(data.buffer).set(bytes);
  return {
    ...header,
    shots: header.shots.map((shot, index) => ({ index, ...shot })),
    features: { shotCount: header.shots.length, dim: header.dim, data },
    picture: async (shot) => {
      const place = header.pictures[shot];
      return place ? kept.read('pictures', place.offset, place.length) : Buffer.alloc(0);
    },
    frameTicks: async () => {
      const ticks = new Float64Array(header.frameCount);
      new Uint8Array(ticks.buffer).set(await kept.read('ticks'));
      return ticks;
    },
  };
}

/** Pictures for people have the shape of the screen: stored pixels stretched by their aspect. */
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

/** The last frame lasts as long as the stream says, else as long as the one before it, else one nominal frame. */
function endOf(ticks: readonly number[], last: Frame | null, info: VideoInfo, base: Rational): number {
  const from = ticks.at(-1) ?? 0;
  const before = ticks.at(-2);
  const nominal = info.frameRate ? Math.round((info.frameRate.den * base.den) / (info.frameRate.num * base.num)) : 1;
  const duration = last?.durationTicks ?? (before === undefined ? nominal : from - before);
  return from + Math.max(1, duration);
}

/** The stated rate if frame i lies at i / rate to within a tick, for every i. */
function steadyRate(ticks: readonly number[], rate: Rational | null, base: Rational): Rational | null {
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
