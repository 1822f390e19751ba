import { MediaError, rescale, toSeconds, type Rational } from '../base/index.js';
import { pictureBytes, type PictureSize } from './blend.js';
import type { FilmChapter } from './chapters.js';
import { colourFilters, filmColour } from './colour.js';
import { writeFilm, type FilmFormat, type FilmPart, type FilmPicture } from './film-encoder.js';
import { evenGain, measureLoudness } from './loudness.js';
import { SCALER, shownSize, soundClockFilters } from './normalise.js';
import { WrongCount, type Feed, type FilmHooks } from './encoder.js';
import { writeSound, sliceSound } from './sound.js';
import {
  isSeekable,
  SeekMissed,
  withoutMissedSeeks,
  type FrameSource,
  readStretch,
  type StretchRequest,
} from './stretch.js';
import type { Colour, Stretch } from './types.js';

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
  const grade = { size, colour: filmColour(info), filters: [...shapeFilters(info, size), ...colourFilters(info)] };
  const plan = {
    ...{ ...size, timeBase: filmBase, frames: frameCount, format, output },
    sampleAspect: { num: 1, den: 1 },
    colour: grade.colour,
    ticks: inFilm(ticks),
    chapters: chaptersOf(request).map(({ start, title }) => ({ start: inFilm(start), title })),
  };
  await withoutMissedSeeks(async (maySeek) => {
    const jumps = maySeek && isSeekable(request);
    const sound = writeCutSound(request, maySeek);
    let [before, frames] = [0, 0];
    const parts = partsOf(request, jumps).map((group): FilmPart => {
      const length = group.reduce((sum, { start, end }) => sum + end - start, 0);
      const [from, to] = [inFilm(before), inFilm(before + length)];
      const lead = before;
      before += length;
      return {
        ticks: to - from,
        // Rounded to a coarser clock, times depend on the place in the film; such films last for hours.
        identity: filmBase === timeBase ? identityOf(request, group, grade, hooks) : null,
        async *pictures(signal) {
          for await (const { pixels, ticks: tick } of readPart(request, group, { ...grade, maySeek: jumps }, signal)) {
            if (++frames > frameCount) throw jumps ? new SeekMissed(info.path) : incomplete(request, frames);
            yield { pixels, ticks: inFilm(lead + tick) - from };
          }
        },
      };
    });
    await writeFilm(plan, { parts, ...(sound && { sound }) }, hooks).catch((error: unknown) => {
      if (!(error instanceof WrongCount) || frames === frameCount) throw error;
      throw jumps ? new SeekMissed(info.path) : incomplete(request, frames);
    });
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

type Grade = { readonly size: PictureSize; readonly colour: Colour; readonly filters: readonly string[] };

/** All that decides the pictures of a part; `undefined` where nothing is kept. */
function identityOf(
  { info, timeBase, isDamaged }: CutRequest,
  stretches: readonly Stretch[],
  grade: Grade,
  { parts }: FilmHooks,
): unknown {
  return parts && { ...grade, timeBase, isDamaged, stretches, info: { ...info, path: parts.contentOf(info.path) } };
}

/** The pictures of stretches that are read together, with ticks from the start of the first, gaps left out. */
async function* readPart(
  request: CutRequest,
  stretches: readonly Stretch[],
  { filters, size, maySeek }: Grade & { readonly maySeek: boolean },
  signal: AbortSignal,
): AsyncGenerator<FilmPicture> {
  let [before, place] = [0, 0];
  const how = { filters, frameBytes: pictureBytes(size), maySeek };
  for await (const { pixels, ticks, stretch } of readFrames(request, stretches, how, signal)) {
    for (; place < stretch; place++) before += stretches[place]!.end - stretches[place]!.start;
    yield { pixels, ticks: before + ticks - stretches[place]!.start };
  }
}

function incomplete({ info, frameCount }: CutRequest, found: number): MediaError {
  return new MediaError(
    'film-incomplete',
    `Expected ${frameCount} frames in the film of "${info.path}", the decoder gave ${found}. Did the file change while it was read?`,
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

/** Stretches closer than this are one part: a jump costs more than the gap, and parts should not be tiny. */
const WORTH_A_PART_SECONDS = 2;

/** The parts of a film. Without jumps, each part would be read from the start of the file, so it is a single one. */
function partsOf(request: CutRequest, maySeek: boolean): readonly (readonly Stretch[])[] {
  return maySeek ? readTogether(request, true, WORTH_A_PART_SECONDS) : [request.stretches];
}

/** Groups stretches that are read together: those between gaps that are worth a jump. */
export function readTogether(
  { stretches, timeBase }: { readonly stretches: readonly Stretch[]; readonly timeBase: Rational },
  maySeek: boolean,
  worthSeconds = WORTH_A_JUMP_SECONDS,
): Stretch[][] {
  const groups: Stretch[][] = [];
  for (const stretch of stretches) {
    const group = groups.at(-1);
    const gap = toSeconds(stretch.start - (group?.at(-1)?.end ?? stretch.start), timeBase);
    const joins = group && group.length < MAX_STRETCHES && !(maySeek && gap > worthSeconds);
    if (joins) group.push(stretch);
    else groups.push([stretch]);
  }
  return groups;
}
