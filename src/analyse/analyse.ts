import { endOf, readAnalysis, sealAnalysis, type Analysis, type Kept, type Sample, type Scratch } from './record.js';
import { toSeconds } from '../base/index.js';
import { PICTURES_EVERY, picturesEvery, type Extractor } from '../features/index.js';
import { embedClips, readShorter } from './embed-clips.js';
import {
  decode,
  decodeKeys,
  listFrames,
  missingKeys,
  type Decoding,
  type Frame,
  type FrameList,
  type VideoInfo,
  type View,
} from '../media/index.js';
import { openSamples, SIGNAL_SIZE, type Samples } from './samples.js';
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
  /** Frames of the shortest shot to be found; absent where shots are listed. */
  readonly shortest?: number | undefined;
  newFinder(): ShotFinder;
  openScratch(): Promise<Scratch>;
  /** Throws where the file is no longer the one it is taken for; asked before anything is kept. */
  checkSource(): Promise<void>;
};

/** How a file is read: key pictures of the listed frames, or all; and why all, where the list would have been wanted. */
type Reading = { readonly threads: number; readonly list: FrameList | null; readonly readWhole: string | null };

/** Taking pictures more often than this, for short shots, costs more than reading the file again for those between. */
const DENSEST = 8;

/** When to stop, and whom to tell how many frames were read and up to which second. */
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
    const { checkSource, shortest } = tools;
    const kept = await readOnce(info, { finder, extractor, scratch, checkSource, shortest, ...reading }, hooks);
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
 * their shots, so that an extractor of clips reads the video a second time; shots that fell between two samples are read
 * a second time too. Gives `null` when the content is damaged and it was not read whole in one thread.
 */
async function readOnce(
  info: VideoInfo,
  tools: Pick<AnalysisTools, 'extractor' | 'checkSource' | 'shortest'> & {
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
  const how = { signal: hooks.signal, threads: tools.threads };
  const read = (wanted: readonly [View, ...View[]]): Decoding =>
    list ? decodeKeys(info, list, wanted, how) : decode(info, wanted, how);

  const ticks: number[] = [];
  let lastDuration: number | null = null;
  const decoding = read(views);
  const places = await takeSamples(samples, decoding, (frame) => {
    lastDuration = frame.durationTicks;
    ticks.push(frame.ticks);
    finder.push(frame.pictures['signal'] as Uint8Array);
    const elapsed = toSeconds(frame.ticks - (ticks[0] ?? 0), info.timeBase);
    hooks.onFrame?.(frame.index + 1, seesClips ? elapsed / 2 : elapsed);
    return frame.index % every === 0;
  });

  const complaint = decoding.complaint();
  if (complaint !== null && (tools.list !== null || tools.threads !== 1)) return null;
  const { timeBase } = info;
  const end = endOf(ticks, lastDuration, info, timeBase);
  const shots = finder.end({ frameTicks: ticks, endTicks: end, timeBase });
  const own = shots.map((shot) => samplesIn(shot, every));
  const missed = new Map(
    own.flatMap((mine, at) => (mine.length > 0 ? [] : [[Math.floor(middleOf(shots[at]!)), mine]])),
  );
  // Of shots that lie between two samples, the middle frames are read after the others, and numbered so.
  if (missed.size > 0) {
    let count = places.length;
    const [first, ...others] = samples.views.map((view) => ({ ...view, every: 1 }));
    await takeSamples(samples, read([first!, ...others]), ({ index }) => {
      const mine = missed.get(index);
      mine?.push(count++);
      return mine !== undefined;
    });
    if (own.some((mine) => mine.length === 0)) throw readShorter(info);
  }
  const course = { ...hooks, threads: tools.threads, half: toSeconds(end - (ticks[0] ?? 0), timeBase) / 2 };
  const vectors = seesClips
    ? embedClips(info, shots, extractor, course)
    : vectorsOfShots(seen ? shots : [], (shot) => samples.pool(own[shot.index]!));
  const findings = { ticks, end, timeBase, shots, dim: extractor?.dim ?? 0, complaint, readWhole: tools.readWhole };
  return sealAnalysis(
    info,
    findings,
    andThen(vectors, tools.checkSource),
    (shot) => places[nearestTo(Math.round(middleOf(shot) / every), own[shot.index]!)]!,
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

/** Takes the samples of the frames that are wanted, and waits for all of them, whatever happens. */
async function takeSamples(
  samples: Samples,
  { frames }: Decoding,
  isWanted: (frame: Frame) => boolean,
): Promise<readonly Sample[]> {
  try {
    for await (const frame of frames) if (isWanted(frame)) await samples.push(frame.pictures);
  } catch (error) {
    await samples.finish().catch(() => undefined);
    throw error;
  }
  return samples.finish();
}

/** The samples inside a shot; none where it lies between two. */
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
