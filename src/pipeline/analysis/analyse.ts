import sharp from 'sharp';

import { toSeconds, bytesOf } from '../../base/index.js';
import {
  PICTURES_EVERY,
  picturesEvery,
  type Extractor,
  type SpeechNetwork,
  analyseSound,
  poolPictures,
} from '../../features/index.js';
import {
  decode,
  decodeKeys,
  listFrames,
  missingKeys,
  planSdr,
  survey,
  type Decoding,
  type Frame,
  type FrameList,
  type Survey,
  type VideoInfo,
  type View,
} from '../../media/index.js';
import {
  frameMeter,
  type FrameClock,
  type Segments,
  type Shot,
  measureSample,
  type SampleMeasures,
} from '../../shots/index.js';
import { embedClips, readShorter } from './embed-clips.js';
import { endOf, readAnalysis, sealAnalysis, type Analysis, type Kept, type Sample, type Scratch } from './record.js';

/** Finds the shots of a video: it gets a small picture of every frame with its time, then the clock. */
export type ShotFinder = { push(picture: Uint8Array, seconds: number): void; end(clock: FrameClock): Segments };

/** Raise this when the same file would be analysed differently. */
export const ANALYSIS_VERSION = 15;

/** What an analysis works with. A new finder and a new scratch are opened for each attempt. */
export type AnalysisTools = {
  /** `null` where the vectors come from elsewhere: then only shots and pictures are found. */
  readonly extractor: Extractor | null;
  /** Finds speech; `null` to find it by energy. */
  readonly speech: SpeechNetwork | null;
  readonly threads: number;
  /** Decode key pictures only, if the file has enough of them. */
  readonly fast: boolean;
  /** Frames of the shortest shot to be found; absent where shots are listed. */
  readonly shortest?: number | undefined;
  newFinder(): ShotFinder;
  openScratch(): Promise<Scratch>;
  /** Throws if the file has changed; called before anything is kept. */
  checkSource(): Promise<void>;
};

/** How a file is read: key pictures of the listed frames, or all; and why all, if key pictures were asked for. */
type Reading = {
  readonly threads: number;
  readonly list: FrameList | null;
  readonly readWhole: string | null;
  readonly counted: Survey;
  /** The last try, after complaints: damaged frames are reported. */
  readonly reportsDamage?: boolean;
};

/** The smallest step between samples that short shots can ask for: a smaller one costs more than a second reading. */
const DENSEST = 8;

/** The signal to stop, and a listener for how many frames were read, up to which second. */
export type Hooks = {
  readonly signal?: AbortSignal | undefined;
  readonly onFrame?: (frames: number, seconds: number) => void;
};

/**
 * Analyses a video. If the decoder complains about the content, the file is read again, whole and in one thread: with
 * several threads, the same damaged bytes give different pictures each time.
 */
export async function analyse(given: VideoInfo, tools: AnalysisTools, hooks: Hooks = {}): Promise<Analysis> {
  const { threads } = tools;
  const counted = await survey(given, hooks.signal);
  const sdr = await planSdr(given, hooks.signal);
  const info = { ...given, ...(counted.restarts ? { clock: [] } : {}), ...(sdr ? { sdr } : {}) };
  const listed = tools.fast ? await listKeys(info, hooks) : null;
  const quick = listed?.list && { threads, list: listed.list, readWhole: null, counted };
  const fast = quick && (await attempt(info, tools, quick, hooks));
  if (fast) return fast;
  const readWhole = listed && (listed.refusal ?? 'key pictures could not be decoded cleanly');
  const whole = { list: null, readWhole, counted };
  return (
    (await attempt(info, tools, { ...whole, threads }, hooks)) ??
    (await attempt(info, tools, { ...whole, threads: 1, reportsDamage: true }, hooks))!
  );
}

async function listKeys(
  info: VideoInfo,
  { signal }: Hooks,
): Promise<{ list: FrameList | null; refusal: string | null }> {
  if (info.clock !== undefined) return { list: null, refusal: 'clock restarts' };
  const list = await listFrames(info, signal);
  const refusal = 'refusal' in list ? list.refusal : missingKeys(list, info.timeBase);
  return refusal === null ? { list: list as FrameList, refusal } : { list: null, refusal };
}

async function attempt(
  info: VideoInfo,
  tools: AnalysisTools,
  reading: Reading,
  hooks: Hooks,
): Promise<Analysis | null> {
  const { extractor, speech } = tools;
  const finder = tools.newFinder();
  const scratch = await tools.openScratch();
  try {
    const { checkSource, shortest } = tools;
    const kept = await readOnce(info, { finder, extractor, speech, scratch, checkSource, shortest, ...reading }, hooks);
    if (kept === null) await scratch.discard();
    return kept && (await readAnalysis(kept));
  } catch (error) {
    await scratch.discard();
    throw error;
  }
}

/**
 * Reads a video once, in a stream. The decoder gives every frame in a small size, for finding shots, and samples (every so
 * many frames) in two sizes, for the network and for people. Shots are known only at the end, so the vectors and pictures of
 * samples wait on disk until then; memory grows by a few bytes per frame only. A second reading is needed for clips, which
 * begin with their shots, and for shots between two samples. `null` if the content is damaged and another try is left.
 */
async function readOnce(
  info: VideoInfo,
  tools: Pick<AnalysisTools, 'extractor' | 'speech' | 'checkSource' | 'shortest'> & {
    finder: ShotFinder;
    scratch: Scratch;
  } & Reading,
  hooks: Hooks,
): Promise<Kept | null> {
  const { finder, extractor, scratch, list, shortest = Infinity } = tools;
  const seesClips = extractor !== null && extractor.sample.frames > 1;
  const seen = seesClips ? null : extractor;
  const rate = info.frameRate === null ? 0 : info.frameRate.num / info.frameRate.den;
  const every = Math.min(picturesEvery(seen?.sample.every ?? PICTURES_EVERY, rate), Math.max(shortest, DENSEST));
  const samples = openSamples(info, every, seen, scratch);
  const views = [{ name: 'signal', ...SIGNAL_SIZE, every: 1 }, ...samples.views] as const;
  const how = { signal: hooks.signal, threads: tools.threads, reportsDamage: tools.reportsDamage ?? false };
  const read = (wanted: readonly [View, ...View[]]): Decoding =>
    list ? decodeKeys(info, list, wanted, how) : decode(info, wanted, how);

  const meter = frameMeter(SIGNAL_SIZE);
  const ticks: number[] = [];
  let lastDuration: number | null = null;
  const decoding = read(views);
  const places = await takeSamples(samples, decoding, (frame) => {
    lastDuration = frame.durationTicks;
    ticks.push(frame.ticks);
    finder.push(frame.pictures['signal']!, toSeconds(frame.ticks, info.timeBase));
    meter.push(frame.pictures['signal']!);
    const elapsed = toSeconds(frame.ticks - (ticks[0] ?? 0), info.timeBase);
    hooks.onFrame?.(frame.index + 1, seesClips ? elapsed / 2 : elapsed);
    return frame.index % every === 0;
  });

  const complaint = decoding.complaint();
  if (complaint !== null && !tools.reportsDamage) return null;
  const { timeBase } = info;
  const end = endOf(ticks, lastDuration, info, timeBase);
  const { takes, shots } = finder.end({ frameTicks: ticks, endTicks: end, timeBase });
  const own = shots.map((shot) => samplesIn(shot, every));
  const missed = shots.filter(({ index }) => own[index]!.length === 0);
  if (missed.length > 0) {
    const [first, ...others] = samples.views.map((view) => ({ ...view, every: 1 }));
    const middles = await sampleMiddles(missed, samples, places.length, read([first!, ...others]));
    if (middles.length < missed.length) throw readShorter(info);
    for (const [at, { index }] of missed.entries()) own[index]!.push(middles[at]!);
  }
  const course = { ...hooks, threads: tools.threads, half: toSeconds(end - (ticks[0] ?? 0), timeBase) / 2 };
  const vectors = seesClips
    ? embedClips(info, shots, extractor, course)
    : vectorsOfShots(seen ? shots : [], (shot) => samples.pool(own[shot.index]!));
  const { clock, resizes } = decoding.found();
  const stream = {
    packets: tools.counted.packets,
    ...(clock.length > 0 ? { clock } : {}),
    ...(resizes ? { resizes } : {}),
    ...(info.sdr ? { sdr: info.sdr } : {}),
  };
  const heard = await analyseSound(
    { ...info, clock },
    { start: ticks[0] ?? 0, end, base: timeBase },
    tools.speech,
    hooks.signal,
  );
  const findings = { heard, ticks, end, timeBase, takes, shots, measures: meter.end(decoding.damaged()), samples: samples.measured(), dim: extractor?.dim ?? 0, complaint, readWhole: tools.readWhole, stream }; // prettier-ignore
  return sealAnalysis(
    info,
    findings,
    andThen(vectors, tools.checkSource),
    (shot) => places[nearestTo(Math.round(middleOf(shot) / every), own[shot.index]!)]!,
    scratch,
  );
}

/** The items, then a last thing to do when all of them were taken. */
async function* andThen<T>(items: AsyncIterable<T>, last: () => Promise<void>): AsyncGenerator<T> {
  yield* items;
  await last();
}

/** The vectors of the shots, in order. */
async function* vectorsOfShots(
  shots: readonly Shot[],
  vectorOf: (shot: Shot) => Promise<Float32Array>,
): AsyncGenerator<Float32Array> {
  for (const shot of shots) yield await vectorOf(shot);
}

/** Takes samples of the wanted frames, and waits for all of them even if something fails. */
async function takeSamples(
  samples: Samples,
  { frames }: Decoding,
  isWanted: (frame: Frame) => boolean,
): Promise<readonly Sample[]> {
  try {
    for await (const frame of frames) if (isWanted(frame)) await samples.push(frame);
  } catch (error) {
    await samples.finish().catch(() => undefined);
    throw error;
  }
  return samples.finish();
}

/** Takes a sample of the middle frame of each shot; gives their numbers, which follow those of the samples so far. */
async function sampleMiddles(
  shots: readonly Shot[],
  samples: Samples,
  sampleCount: number,
  decoding: Decoding,
): Promise<number[]> {
  const wanted = new Set(shots.map((shot) => Math.floor(middleOf(shot))));
  const numbers: number[] = [];
  await takeSamples(samples, decoding, ({ index }) => {
    const isWanted = wanted.has(index);
    if (isWanted) numbers.push(sampleCount + numbers.length);
    return isWanted;
  });
  return numbers;
}

/** The samples inside a shot; none if it lies between two. */
function samplesIn({ startFrame, endFrame }: Shot, every: number): number[] {
  const first = Math.ceil(startFrame / every);
  return Array.from({ length: Math.ceil(endFrame / every) - first }, (_, k) => first + k);
}

function middleOf({ startFrame, endFrame }: Shot): number {
  return (startFrame + endFrame - 1) / 2;
}

function nearestTo(place: number, own: readonly number[]): number {
  return Math.min(Math.max(place, own[0]!), own.at(-1)!);
}

/** Size of the pictures for finding shots: small enough that only changes of colour are left, not small motion. */
export const SIGNAL_SIZE = { widthPx: 64, heightPx: 36 } as const;
const PICTURE_LONG_SIDE = 320;

/** Pictures in the network at a time; more would only wait. */
const IN_FLIGHT = 6;

/** Writes the samples of a video to disk, in order: a JPEG of each, and a vector if there is an extractor. */
type Samples = {
  /** The views that samples are taken from. */
  readonly views: readonly View[];
  push(frame: Pick<Frame, 'index' | 'pictures'>): Promise<void>;
  /** What was measured of the samples so far. */
  measured(): readonly SampleMeasures[];
  /** Waits for all samples and returns them. */
  finish(): Promise<readonly Sample[]>;
  /** The pooled vector of some samples. */
  pool(samples: readonly number[]): Promise<Float32Array>;
};

/** Opens the samples of a video: every `every`-th decoded frame, for people and for the extractor. */
function openSamples(info: VideoInfo, every: number, extractor: Extractor | null, scratch: Scratch): Samples {
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
