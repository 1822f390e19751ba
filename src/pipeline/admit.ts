import { extname } from 'node:path';
import { z } from 'zod';
import {
  asExhausted,
  CancelledError,
  compareTexts,
  mapLimited,
  MediaError,
  StoreError,
  ThroughlineError,
} from '../base/index.js';
import { rationalSchema } from '../base/schemas.js';
import {
  locateFfmpeg,
  MAX_PIXELS,
  probe,
  PROBE_VERSION,
  requirePlainName,
  type VideoInfo,
  wideColours,
} from '../media/index.js';
import { stampOf } from '../storage/index.js';
import {
  applySequence,
  applyWishes,
  NO_WISHES,
  type Placed,
  type VideoSummary,
  type VideoWishes,
  type Wishes,
} from '../summary/index.js';
import type { OutlinedVideo } from './analyse-videos.js';
import { clockOf, type Outline } from './analysis/record.js';
import type { Input } from './collect-inputs.js';
import { keepForLater, type Run } from './run.js';
import { note } from './limits.js';

/** A file that is a video: its headers and its content. */
export type Video = Input & {
  readonly info: VideoInfo;
  readonly sha256: string;
  readonly bytes: number;
  /** As by `stampOf`; absent where the content was checked in another way. */
  readonly stamp?: string;
};

/** Opens every file. Files that are not videos, or have the content of an earlier one, are left out with the reason. */
export async function admitVideos(inputs: readonly Input[], run: Run): Promise<Video[]> {
  run.emit({ type: 'stage-started', stage: 'probe', total: inputs.length });
  let done = 0;
  const opened = await mapLimited(inputs, run.jobs, (input) =>
    keepGoing(run, input, async () => {
      const stamp = await stampOf(input.path);
      const video = { ...input, ...(await inspect(input.path, stamp, run)), stamp };
      await requireUnchanged(video, run);
      run.emit({ type: 'progress', stage: 'probe', fraction: ++done / inputs.length, item: input.name, frames: 0 });
      return video;
    }),
  );
  const isTwin = findTwins(run);
  const videos = opened.filter((video) => video !== null && !isTwin(video)) as Video[];
  run.emit({ type: 'stage-done', stage: 'probe' });
  return requireSome(videos, run);
}

/** Returns a check to be called video by video, in order: true, and skipped, if an earlier one has the same content. */
export function findTwins(run: Run): (video: Pick<Video, 'name' | 'sha256'>) => boolean {
  const first = new Map<string, string>();
  return ({ name, sha256 }) => {
    const twin = first.get(sha256);
    if (twin === undefined) first.set(sha256, name);
    else skip(run, name, 'duplicate', `"${name}" has the same content as "${twin}" and was left out. Remove one of them.`); // prettier-ignore
    return twin !== undefined;
  };
}

/** What the headers of a file say, and its content. Nothing is read of a file that an earlier run has read. */
async function inspect(path: string, stamp: string, run: Run): Promise<Pick<Video, 'info' | 'sha256' | 'bytes'>> {
  const { workspace, signal } = run;
  const decoder = (await locateFfmpeg()).version;
  // The decoder looks at the ending of the name where the content leaves a doubt.
  const ending = extname(path).toLowerCase();
  const keyFor = (content: string): string =>
    workspace.keyOf({ stage: 'probe', version: PROBE_VERSION, content, ending, decoder });
  const content = await workspace.known(path);
  if (content !== null) {
    requirePlainName(path);
    const { data } = infoSchema.safeParse((await workspace.find(keyFor(content.sha256)))?.header);
    if (data) return { ...content, info: { ...(data as Omit<VideoInfo, 'path'>), path } };
  }
  const info = await probe(path, signal);
  const read = await workspace.hash(path, signal);
  // Known again only if it cannot have changed between the two readings.
  if ((await workspace.known(path)) !== null && (await stampOf(path)) === stamp) {
    await keepForLater(run, keyFor(read.sha256), infoSchema.parse(info));
  }
  return { ...read, info };
}

const nullableText = z.string().nullable();

/** What `probe` says about a file, as stored. */
export const infoSchema = z
  .object({
    ...{ container: z.string(), codec: z.string(), pixelFormat: z.string(), interlaced: z.boolean() },
    colour: z
      .object({ matrix: nullableText, primaries: nullableText, transfer: nullableText, isFullRange: z.boolean() })
      .optional(),
    ...{ widthPx: z.int().positive(), heightPx: z.int().positive(), sampleAspect: rationalSchema },
    rotationDeg: z.literal([0, 90, 180, 270]),
    ...{ timeBase: rationalSchema, frameRate: rationalSchema.nullable() },
    durationHint: z.number().nonnegative().nullable(),
    timecode: z.string().optional(),
    dates: z.object({ container: z.string(), quicktime: z.string(), writer: z.string() }).partial().optional(),
    audio: z.array(
      z.object({
        ...{ position: z.int().nonnegative(), codec: z.string(), channels: z.int().nonnegative() },
        ...{ sampleRate: z.int().nonnegative(), language: nullableText, isDefault: z.boolean() },
      }),
    ),
  })
  .refine(({ widthPx, heightPx }) => widthPx * heightPx <= MAX_PIXELS);

/** Throws if a file changed since it was admitted: results are cached by content and must not be mixed up. */
export async function requireUnchanged({ path, name, stamp, sha256 }: Omit<Video, 'info'>, run: Run): Promise<void> {
  const now = stamp === undefined ? undefined : await stampOf(path);
  if (now === stamp) return;
  // A new link or permission changes only the last part; so does a write whose time was set back afterwards.
  const isTouched = now?.replace(/[^-]*$/, '') === stamp?.replace(/[^-]*$/, '');
  if (isTouched && (await run.workspace.hash(path, run.signal)).sha256 === sha256) return;
  throw new MediaError('source-changed', `"${name}" changed while it was being read. Run again when nothing writes to it any more.`); // prettier-ignore
}

/**
 * Does the work of a stage on one video. Whatever goes wrong in it, a fault of this program included, skips that video and is
 * reported; only an error of the machine, or the wish to stop, ends the run.
 */
export async function keepGoing<T>(run: Run, input: Input, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = explain(error, input);
    const concernsAll = error instanceof CancelledError || (error instanceof StoreError && code !== 'unreadable');
    if (concernsAll || WHOLE_RUN.has(code)) throw error;
    // The record of a run must not depend on where its folder is.
    skip(run, input.name, code, message.replaceAll(input.path, input.name));
    return null;
  }
}

/** The code and sentence of an error. One that nobody expected is a fault of this program. */
function explain(error: unknown, { name }: Input): { code: string; message: string } {
  const known = error instanceof ThroughlineError ? error : asExhausted(error);
  if (known !== null) return known;
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = what.replaceAll(/\s+/g, ' ').slice(0, 300);
  return { code: 'fault', message: `Could not use "${name}" because of a fault in Throughline (${line}). Please report it.` }; // prettier-ignore
}

/** Errors of the machine rather than of one video. */
export const WHOLE_RUN = new Set(
  'no-decoder no-encoder no-model bad-model no-runtime no-device no-temp-folder disk-full not-writable no-resources'.split(
    ' ',
  ),
);

/** Leaves an input out of a run: the reason goes into the record, and out as an event at once. */
export function skip(run: Run, name: string, code: string, message: string): void {
  run.skipped.push({ path: name, code, message });
  run.emit({ type: 'skipped', item: name, code, message });
}

/** What was left out, by path: files are processed in parallel, and the record must not show which was first. */
export function skippedInOrder({ skipped }: Pick<Run, 'skipped'>): Run['skipped'] {
  return skipped.toSorted((a, b) => compareTexts(a.path, b.path));
}

/** Ends a run that has nothing left to work on, with the first reason: whoever called may not have heard of the others. */
export function requireSome<T>(items: readonly T[], run: Run): T[] {
  if (items.length > 0) return [...items];
  const [first, ...others] = skippedInOrder(run);
  const said =
    others.length === 0
      ? 'The only file could not be used:'
      : `None of the ${others.length + 1} files could be used. The first:`;
  throw new ThroughlineError('nothing-done', `${said} ${first?.message ?? 'there was none.'}`);
}

/** The wishes of a run, each with the video it is about. */
export type RunWishes = Wishes<Placed>;

/** A run without wishes. */
export const NO_RUN_WISHES: RunWishes = { pin: [], veto: [], sequence: [], topicSequence: [] };

/** The wishes about these videos. */
export function wishesAbout(videos: readonly { readonly name: string }[], wishes: RunWishes): RunWishes {
  const here = new Set(videos.map(({ name }) => name));
  const about = (placed: RunWishes['pin']): RunWishes['pin'] => placed.filter(({ video }) => here.has(video));
  const { pin, veto, sequence, topicSequence } = wishes;
  return { pin: about(pin), veto: about(veto), sequence: about(sequence), topicSequence: about(topicSequence) };
}

/** Notes the wishes about videos that had to be left out. */
export function noteLostWishes(videos: readonly { readonly name: string }[], { pin, veto }: RunWishes, run: Run): void {
  const here = new Set(videos.map(({ name }) => name));
  for (const { wish, video } of [...pin, ...veto].filter((placed) => !here.has(placed.video))) {
    note(run, 'wish-without-video', `"${video}" was left out, so the wish "${wish.written}" has no effect.`);
  }
}

/** What the wishes of a run mean for one video. */
export async function wishesOf(
  { name, analysis }: Pick<OutlinedVideo, 'name' | 'analysis'>,
  { pin, veto, sequence, topicSequence }: RunWishes,
): Promise<VideoWishes> {
  const own = (placed: RunWishes['pin']) => placed.flatMap(({ wish, video }) => (video === name ? [wish] : []));
  const wishes = { pin: own(pin), veto: own(veto) };
  const itself = { name, shots: analysis.shots };
  const topic = new Map(topicSequence.flatMap(({ wish, video }, place) => (video === name ? [[wish, place]] : [])));
  const order = applySequence({ sequence: own(sequence), topic }, itself);
  if (wishes.pin.length + wishes.veto.length === 0) return { ...NO_WISHES, ...order };
  return { ...applyWishes(wishes, itself, await clockOf(analysis)), ...order };
}

type Read = Pick<Outline, 'stream' | 'frameCount'>;

/** A video with what a whole reading found about its stream: every later reading needs it to see the same frames. */
export function asRead<V extends Pick<Video, 'info'>>(video: V, { stream }: Pick<Outline, 'stream'>): V {
  const { packets: _, ...found } = stream;
  return { ...video, info: { ...video.info, ...found } };
}

/** Tells the reader of the results what is missing of a video, or was changed in a way that they may notice. */
export function noteChanges(
  { name, info }: Pick<Video, 'name' | 'info'>,
  { stream, frameCount }: Read,
  run: Run,
): void {
  const missing = missingFrames(info, stream.packets, frameCount);
  if (missing !== 0) {
    const found =
      missing > 0
        ? `${missing} ${missing === 1 ? 'is' : 'are'} missing in its summary`
        : 'some are shown more than once';
    note(run, 'frame-count', `"${name}" stores ${stream.packets} pictures, but ${frameCount} frames could be read: ${found}.`); // prettier-ignore
  }
  if (stream.clock) {
    const times = stream.clock.length === 1 ? 'once' : `${stream.clock.length} times`;
    note(run, 'clock-restarts', `The clock of "${name}" restarts ${times}. It was continued: times count from the first picture on, as in editing systems, and summary.json has the times in the file.`); // prettier-ignore
  }
  const colours = wideColours(info);
  if (colours !== null && stream.sdr) {
    note(run, 'tone-mapped', `The colours of "${name}" (${colours}) were converted to those of ordinary screens.`);
  } else if (colours !== null) {
    note(run, 'not-tone-mapped', `The colours of "${name}" (${colours}) could not be converted to those of ordinary screens, because this ffmpeg has no zscale or tonemap filter: its pictures look pale. Unset FFMPEG_PATH to use the bundled one.`); // prettier-ignore
  }
  if (stream.resizes) {
    note(run, 'picture-changes', `The size or format of the pictures of "${name}" changes on the way. All were brought to ${info.widthPx}×${info.heightPx}.`); // prettier-ignore
  }
}

/**
 * Stored pictures without a frame; negative if there are more frames. A packet of VP8 may hold a picture that is never shown,
 * and one of an interlaced stream half a picture.
 */
function missingFrames({ codec, interlaced }: Video['info'], packets: number, frames: number): number {
  if (codec === 'vp8' && packets > frames) return 0;
  return interlaced && Math.abs(packets - 2 * frames) <= 1 ? 0 : packets - frames;
}

/** What the record says about how a video was read; `undefined` if its frames are as they are stored. */
export function normalisedOf(info: Video['info'], { stream, frameCount }: Read): VideoSummary['normalised'] {
  const { num, den } = info.sampleAspect;
  const changes = {
    ...(missingFrames(info, stream.packets, frameCount) === 0 ? {} : { packets: stream.packets }),
    ...(stream.clock ? { clock: stream.clock.map(({ ticks, fileTicks }) => ({ ticks, fileTicks })) } : {}),
    ...(stream.resizes ? { resized: true } : {}),
    ...(stream.sdr ? { colours: wideColours(info)!, whiteNits: stream.sdr.white } : {}),
    ...(info.interlaced ? { deinterlaced: true } : {}),
    ...(info.rotationDeg ? { rotatedDeg: info.rotationDeg } : {}),
    ...(num === den ? {} : { squarePixels: true }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}
