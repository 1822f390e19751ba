import { endOf, readAnalysis, sealAnalysis, type Analysis, type Kept, type Scratch } from './record.js';
import { toSeconds } from '../base/index.js';
import { PICTURES_EVERY, picturesEvery, type Extractor } from '../features/index.js';
import { embedClips } from './embed-clips.js';
import {
  decode,
  decodeKeys,
  listFrames,
  missingKeys,
  type Frame,
  type FrameList,
  type VideoInfo,
} from '../media/index.js';
import { openSamples, SIGNAL_SIZE } from './samples.js';
import type { FrameClock, Shot } from '../shots/index.js';

/** Finds a video's shots: it sees every frame small, and is told the clock at the end. */
export type ShotFinder = { push(picture: Uint8Array): void; end(clock: FrameClock): readonly Shot[] };

/** Raise when the same file would be analysed differently. */
export const ANALYSIS_VERSION = 6;

/** What an analysis works with; what holds state is opened anew for each attempt. */
export type AnalysisTools = {
  /** `null` where the vectors come from elsewhere: then only shots and pictures are found. */
  readonly extractor: Extractor | null;
  readonly threads: number;
  /** Decode key pictures only, where that will do. */
  readonly fast: boolean;
  newFinder(): ShotFinder;
  openScratch(): Promise<Scratch>;
  /** Throws where the file is no longer the one it is taken for; asked before anything is kept. */
  checkSource(): Promise<void>;
};

/** How a file is read: key pictures of the listed frames, or all; and why all, where the list would have been wanted. */
type Reading = { readonly threads: number; readonly list: FrameList | null; readonly readWhole: string | null };

export type Hooks = {
  readonly signal?: AbortSignal | undefined;
  readonly onFrame?: (frames: number, seconds: number) => void;
};

/**
 * Analyses a video. When the decoder complains about the content, it is read again whole and in one thread: several
 * threads make other pictures of the same damaged bytes each time.
 */
export async function analyse(info: VideoInfo, tools: AnalysisTools, hooks: Hooks = {}): Promise<Analysis> {
  const { threads } = tools;
  const listed = tools.fast ? await listKeys(info, hooks) : null;
  const fast = listed?.list && (await attempt(info, tools, { threads, list: listed.list, readWhole: null }, hooks));
  if (fast) return fast;
  const whole = { list: null, readWhole: listed && (listed.refusal ?? 'key pictures could not be decoded cleanly') };
  return (
    (await attempt(info, tools, { ...whole, threads }, hooks)) ??
    (await attempt(info, tools, { ...whole, threads: 1 }, hooks))!
  );
}

async function listKeys(
  info: VideoInfo,
  { signal }: Hooks,
): Promise<{ list: FrameList | null; refusal: string | null }> {
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
  const { extractor } = tools;
  const finder = tools.newFinder();
  const scratch = await tools.openScratch();
  try {
    const { checkSource } = tools;
    const kept = await readOnce(info, { finder, extractor, scratch, checkSource, ...reading }, hooks);
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
 * it was not read whole in one thread.
 */
async function readOnce(
  info: VideoInfo,
  tools: Pick<AnalysisTools, 'extractor' | 'checkSource'> & { finder: ShotFinder; scratch: Scratch } & Reading,
  hooks: Hooks,
): Promise<Kept | null> {
  const { finder, extractor, scratch } = tools;
  const seesClips = extractor !== null && extractor.sample.frames > 1;
  const seen = seesClips ? null : extractor;
  const rate = info.frameRate === null ? 0 : info.frameRate.num / info.frameRate.den;
  const every = picturesEvery(seen?.sample.every ?? PICTURES_EVERY, rate);
  const samples = openSamples(info, every, seen, scratch);
  const views = [{ name: 'signal', ...SIGNAL_SIZE, every: 1 }, ...samples.views] as const;
  const how = { signal: hooks.signal, threads: tools.threads };
  const decoding = tools.list ? decodeKeys(info, tools.list, views, how) : decode(info, views, how);

  const ticks: number[] = [];
  let last: Frame | null = null;
  try {
    for await (const frame of decoding.frames) {
      last = frame;
      ticks.push(frame.ticks);
      finder.push(frame.pictures['signal'] as Uint8Array);
      await samples.push(frame.pictures);
      const elapsed = toSeconds(frame.ticks - (ticks[0] ?? 0), info.timeBase);
      hooks.onFrame?.(frame.index + 1, seesClips ? elapsed / 2 : elapsed);
    }
  } catch (error) {
    await samples.finish().catch(() => undefined);
    throw error;
  }
  const places = await samples.finish();

  const complaint = decoding.complaint();
  if (complaint !== null && (tools.list !== null || tools.threads !== 1)) return null;
  const { timeBase } = info;
  const end = endOf(ticks, last?.durationTicks ?? null, info, timeBase);
  const shots = finder.end({ frameTicks: ticks, endTicks: end, timeBase });
  const course = { ...hooks, threads: tools.threads, half: toSeconds(end - (ticks[0] ?? 0), timeBase) / 2 };
  const vectors = seesClips
    ? embedClips(info, shots, extractor, course)
    : vectorsOfShots(seen ? shots : [], (shot) => samples.pool(samplesOf(shot, every, places.length).own));
  const findings = { ticks, end, timeBase, shots, dim: extractor?.dim ?? 0, complaint, readWhole: tools.readWhole };
  return sealAnalysis(
    info,
    findings,
    andThen(vectors, tools.checkSource),
    (shot) => places[samplesOf(shot, every, places.length).middle]!,
    scratch,
  );
}

/** Everything, and something to do when all of it was asked for. */
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
