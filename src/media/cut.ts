import { MediaError, rescale, toSeconds, type Rational } from '../base/index.js';
import { pictureBytes, type PictureSize } from './blend.js';
import type { FilmChapter } from './chapters.js';
import { colourFilters, filmColour } from './colour.js';
import { writeFilm, type FilmFormat } from './film-encoder.js';
import { evenGain, measureLoudness } from './loudness.js';
import { SCALER, shownSize, soundClockFilters } from './normalise.js';
import type { Feed, FilmHooks } from './encoder.js';
import { writeSound, sliceSound } from './sound.js';
import {
  isSeekable,
  SeekMissed,
  withoutMissedSeeks,
  type FrameSource,
  readStretch,
  type StretchRequest,
} from './stretch.js';
import type { Stretch } from './types.js';

/** A film of stretches of one source: what plays, how it sounds, and where it is written. */
export type CutRequest = FrameSource & {
  /** What the film plays, in film order, in source ticks. */
  readonly stretches: readonly Stretch[];
  /** Frames in the stretches, as counted when the file was analysed. The film must have exactly as many. */
  readonly frameCount: number;
  /** Sound track to carry over; `null` for a silent film. */
  readonly soundTrack: number | null;
  /** Bring the sound to the loudness of films of many sources; by default it stays as it is. */
  readonly evenLoudness?: boolean;
  /** What the chapter of each stretch is called; without titles the film has no chapters. */
  readonly titles?: readonly string[] | undefined;
  readonly format: FilmFormat;
  /** Where the film goes; the caller renames it into place. */
  readonly output: string;
};

/**
 * Encodes stretches of one source, joined. Every picture keeps its own duration: a frame of the film is shown at
 * pts − start(stretch) + total length of the stretches before, so a variable rate stays variable and a steady one
 * steady. The size is that of the source on a screen, with square pixels and upright. Long gaps are skipped if that is exact.
 */
export async function encodeCuts(request: CutRequest, hooks: FilmHooks = {}): Promise<void> {
  const { info, timeBase, stretches, frameCount, format, output } = request;
  // The pixel format that every player accepts stores colour for 2×2 pixels: an odd last row or column is cut off.
  const shown = shownSize(info);
  const size = { widthPx: evenSide(shown.widthPx), heightPx: evenSide(shown.heightPx) };
  const ticks = stretches.reduce((sum, { start, end }) => sum + end - start, 0);
  const filmBase = filmClock(ticks, timeBase);
  const inFilm = (tick: number): number => rescale(tick, timeBase, filmBase);
  const plan = {
    ...{ ...size, timeBase: filmBase, frames: frameCount, format, output },
    sampleAspect: { num: 1, den: 1 },
    colour: filmColour(info),
    ticks: inFilm(ticks),
    chapters: chaptersOf(request).map(({ start, title }) => ({ start: inFilm(start), title })),
  };
  await withoutMissedSeeks(async (maySeek) => {
    const sound = writeCutSound(request, maySeek);
    const pictures = (write: WriteFrame, signal: AbortSignal): Promise<void> =>
      writePictures(request, size, { maySeek, write: (pixels, tick) => write(pixels, inFilm(tick)), signal });
    await writeFilm(plan, { pictures, ...(sound && { sound }) }, hooks);
  });
}

/** A chapter for each stretch that has a title, in ticks of the source. */
export function chaptersOf({ stretches, titles = [] }: Pick<CutRequest, 'stretches' | 'titles'>): FilmChapter[] {
  let before = 0;
  return titles.map((title, at) => {
    const start = before;
    before += stretches[at]!.end - stretches[at]!.start;
    return { start, title };
  });
}

/** Films count up to this many ticks: MP4 states the length of a picture in 32 bits. */
const MAX_TICKS = 2 ** 31;
const COARSER = [1_000_000, 90_000, 1000];

/** The clock of a film: that of its source, or the finest that can count to its end. */
export function filmClock(ticks: number, timeBase: Rational): Rational {
  if (ticks < MAX_TICKS) return timeBase;
  const seconds = toSeconds(ticks, timeBase);
  return { num: 1, den: COARSER.find((den) => seconds * den < MAX_TICKS) ?? 1 };
}

/** Writes the sound of a film to its encoder; `null` if it has none. */
export function writeCutSound(request: Omit<CutRequest, 'format'>, maySeek: boolean): Feed | null {
  const { info, timeBase, stretches, soundTrack } = request;
  if (soundTrack === null) return null;
  const slices = sliceSound(stretches, timeBase);
  const source = {
    ...{ path: info.path, track: soundTrack, base: timeBase, clock: soundClockFilters(info) },
    maySeek: maySeek && isSeekable(request),
    frameSamples: Math.round(slices.reduce((sum, { length }) => sum + length, 0) / request.frameCount),
  };
  return async (sink, signal) => {
    const measure = measureLoudness(source, request.evenLoudness ? slices : [], signal);
    await writeSound({ ...source, gain: evenGain(await measure) }, stretches, sink, signal);
  };
}

const evenSide = (length: number): number => Math.max(2, length - (length % 2));

/** Filters for square pixels and an even size; a picture that has both is not touched. */
function shapeFilters(info: CutRequest['info'], { widthPx, heightPx }: PictureSize): string[] {
  const { num, den } = info.sampleAspect;
  if (num !== den) return [`scale=${widthPx}:${heightPx}:${SCALER}`, 'setsar=1'];
  const isOdd = info.widthPx !== widthPx || info.heightPx !== heightPx;
  return isOdd ? [`crop=${widthPx}:${heightPx}:0:0`] : [];
}

type WriteFrame = (pixels: Uint8Array, ticks: number) => Promise<void>;

async function writePictures(
  request: CutRequest,
  size: PictureSize,
  to: { maySeek: boolean; signal: AbortSignal; write: WriteFrame },
): Promise<void> {
  const { info, stretches, frameCount } = request;
  const filters = [...shapeFilters(info, size), ...colourFilters(info)];
  const maySeek = to.maySeek && isSeekable(request);
  let frames = 0;
  let [before, place] = [0, 0];
  const how = { filters, frameBytes: pictureBytes(size), maySeek };
  for await (const { pixels, ticks, stretch } of readFrames(request, stretches, how, to.signal)) {
    if (++frames > frameCount) break;
    for (; place < stretch; place++) before += stretches[place]!.end - stretches[place]!.start;
    await to.write(pixels, before + ticks - stretches[place]!.start);
  }
  if (frames === frameCount) return;
  if (maySeek) throw new SeekMissed(info.path);
  throw new MediaError(
    'film-incomplete',
    `Expected ${frameCount} frames in the film of "${info.path}", the decoder gave ${frames}. Did the file change while it was read?`,
  );
}

/** A jump lands on a key picture, often 250 frames early: a shorter gap is cheaper to decode. */
const WORTH_A_JUMP_SECONDS = 10;
/** Stretches read by one ffmpeg; each takes about 50 characters of the command line, whose length is limited. */
const MAX_STRETCHES = 400;

/** A frame, its presentation time in the source's ticks, and the stretch it is in. */
type SourceFrame = { readonly pixels: Uint8Array; readonly ticks: number; readonly stretch: number };

/** Reads every frame of the stretches, in film order; long gaps are skipped if `how` allows it. */
export async function* readFrames(
  source: FrameSource,
  stretches: readonly Stretch[],
  how: Omit<StretchRequest, keyof FrameSource | 'stretches'>,
  signal: AbortSignal,
): AsyncGenerator<SourceFrame> {
  let place = 0;
  for (const group of readTogether({ stretches, timeBase: source.timeBase }, how.maySeek)) {
    const reading = await readStretch({ ...source, ...how, stretches: group }, signal);
    try {
      for (let index = 0; ; index++) {
        const pixels = await reading.next();
        const ticks = pixels && (await reading.tickOf(index));
        if (!pixels || ticks === null || ticks === undefined) break;
        while (ticks >= stretches[place]!.end) place++;
        yield { pixels, ticks, stretch: place };
      }
    } finally {
      reading.kill();
    }
  }
}

/** Groups stretches that are read together: those between gaps that are worth a jump. */
export function readTogether(
  { stretches, timeBase }: { readonly stretches: readonly Stretch[]; readonly timeBase: Rational },
  maySeek: boolean,
): Stretch[][] {
  const groups: Stretch[][] = [];
  for (const stretch of stretches) {
    const group = groups.at(-1);
    const gap = toSeconds(stretch.start - (group?.at(-1)?.end ?? stretch.start), timeBase);
    const joins = group && group.length < MAX_STRETCHES && !(maySeek && gap > WORTH_A_JUMP_SECONDS);
    if (joins) group.push(stretch);
    else groups.push([stretch]);
  }
  return groups;
}
