import { createHash } from 'node:crypto';

import { MediaError, rescale, type Rational } from '../base/index.js';
import {
  layOver,
  mixPictures,
  pictureBytes,
  plainPicture,
  prepareOverlay,
  type Overlay,
  type PictureSize,
  type PreparedOverlay,
} from './blend.js';
import { REEL_COLOUR, reelColourOptions, sdrFilters } from './colour.js';
import { writeFilm, type FilmFormat, type FilmPart, type PreviewFormat } from './film-encoder.js';
import { SCALER } from './normalise.js';
import type { FilmHooks, PartStore } from './encoder.js';
import { writeReelSound, type Music } from './reel-sound.js';
import { readStretch, SeekMissed, withoutMissedSeeks, type FrameSource } from './stretch.js';
import type { Stretch, VideoInfo } from './types.js';

/** One stretch of one source in a film of many. */
export type ReelCut = FrameSource & {
  /** In the source's ticks. */
  readonly stretch: Stretch;
  /** Frames of the source in the stretch, as counted when the file was analysed. */
  readonly frameCount: number;
  /** Sound track of the cut; `null` if it is silent. */
  readonly soundTrack: number | null;
  /** Drawn over every picture of the cut. */
  readonly overlay?: Overlay | undefined;
  readonly running?: RunningText | undefined;
  /** Where somebody speaks, in the source's ticks; `undefined` if that is not known. */
  readonly speech?: readonly Stretch[] | undefined;
};

/** A line of text that changes from picture to picture. */
type RunningText = {
  /** A drawing of each character, of one size and where the line begins; they are laid side by side. */
  readonly glyphs: ReadonlyMap<string, Overlay>;
  /** The text over a frame of the cut, counted at the rate of the film. */
  textAt(frame: number): string;
};

/** A drawing on black for some frames of the film, such as a title. */
type ReelCard = { readonly card: Overlay; readonly frames: number };

/** A part of a film of many sources. */
export type ReelPart = ReelCut | ReelCard;

/** How pictures of another shape fit the frame: whole on black, whole on their own blurred enlargement, or cut to fill it. */
type Fit = 'letterbox' | 'blur' | 'crop';

/** A film of stretches of many sources, in one size and rate. */
export type Reel = {
  readonly parts: readonly ReelPart[];
  /** Both sides even; pixels are square. */
  readonly frame: PictureSize & { readonly rate: Rational };
  readonly fit: Fit;
  /** Frames over which a part fades into the next, at most half of either; 0 for hard cuts. */
  readonly fadeFrames: number;
  /** Bring every source to the same loudness. */
  readonly evenLoudness: boolean;
  /** What the chapter of each part is called; without titles the film has no chapters. */
  readonly titles?: readonly string[] | undefined;
  /** A file with music, played under everything. */
  readonly music?: Music | undefined;
  readonly format: FilmFormat;
  /** Where the film goes; the caller renames it into place. */
  readonly output: string;
};

/** The place of a part in the film: its first frame, its length, and how many frames it shares with the next part. */
export type ReelPlace = { readonly start: number; readonly frames: number; readonly fadeOut: number };

/**
 * Encodes stretches of many sources as one film with a constant frame rate. Each cut has an ffmpeg of its own that decodes,
 * rotates, deinterlaces and scales it at the rate of the film; its pictures pass through this process, where parts fade into
 * each other, to one encoder. Sound is in step with the pictures of its cut, to the sample.
 */
export async function encodeReel(reel: Reel, hooks: FilmHooks = {}): Promise<void> {
  await withoutMissedSeeks((maySeek) => encodeOnce(reel, reel.frame.rate, maySeek, hooks));
}

/** Parts of a reel as a small animated picture: sampled at the rate of `frame`, shown at `shownRate`. */
export type Preview = Pick<Reel, 'parts' | 'frame' | 'output'> & {
  readonly shownRate: Rational;
  readonly format: PreviewFormat;
};

/** Encodes a preview: no sound, no fades. */
export async function encodePreview({ shownRate, format, ...preview }: Preview, hooks: FilmHooks = {}): Promise<void> {
  const parts = preview.parts.map((part) => ('card' in part ? part : { ...part, soundTrack: null }));
  const reel = { ...preview, parts, fit: 'letterbox', fadeFrames: 0, evenLoudness: false } as const;
  await withoutMissedSeeks((maySeek) => encodeOnce({ ...reel, format }, shownRate, maySeek, hooks));
}

/** Places the parts in the film. A cut has as many frames as fit its time, rounded, and at least one. */
export function layOutReel({ parts, frame, fadeFrames }: Pick<Reel, 'parts' | 'frame' | 'fadeFrames'>): ReelPlace[] {
  const lengths = parts.map((part) => ('card' in part ? part.frames : cutFrames(part, frame.rate)));
  let start = 0;
  return lengths.map((frames, index) => {
    const fadeOut = Math.min(fadeFrames, frames >> 1, (lengths[index + 1] ?? 0) >> 1);
    const place = { start, frames, fadeOut };
    start += frames - fadeOut;
    return place;
  });
}

/** Frames of the whole film. */
export function reelFrames(places: readonly ReelPlace[]): number {
  const last = places.at(-1);
  return last === undefined ? 0 : last.start + last.frames;
}

function cutFrames({ stretch, timeBase }: ReelCut, rate: Rational): number {
  return Math.max(1, rescale(stretch.end - stretch.start, timeBase, { num: rate.den, den: rate.num }));
}

type AnyReel = Omit<Reel, 'format'> & { readonly format: FilmFormat | PreviewFormat };

async function encodeOnce(reel: AnyReel, rate: Rational, maySeek: boolean, hooks: FilmHooks): Promise<void> {
  const places = layOutReel(reel);
  const { widthPx, heightPx } = reel.frame;
  const frames = reelFrames(places);
  const hasSound = reel.music !== undefined || reel.parts.some((part) => 'stretch' in part && part.soundTrack !== null);
  await writeFilm(
    {
      ...{ widthPx, heightPx, ticks: frames },
      frames: reel.format === 'gif' || reel.format === 'webp' ? null : frames,
      sampleAspect: { num: 1, den: 1 },
      colour: REEL_COLOUR,
      timeBase: { num: rate.den, den: rate.num },
      chapters: reel.titles?.map((title, at) => ({ start: places[at]!.start, title })),
      format: reel.format,
      output: reel.output,
    },
    {
      parts: partsOf(reel, places, maySeek, hooks.parts),
      ...(hasSound ? { sound: (sink, signal) => writeReelSound(reel, places, sink, { maySeek, signal }) } : {}),
    },
    hooks,
  );
}

/** Gives the pictures of one part, one after the other; the caller knows how many there are. */
type PartReading = { next(): Promise<Uint8Array>; end(): Promise<void>; kill(): void };

/** The parts as they are encoded: each from its first picture, mixed with the last of the part before, to the first of the next. */
function partsOf(
  reel: AnyReel,
  places: readonly ReelPlace[],
  maySeek: boolean,
  store: PartStore | undefined,
): FilmPart[] {
  const open = (at: number, signal: AbortSignal): Promise<PartReading> => {
    const part = reel.parts[at]!;
    return 'card' in part ? showCard(part, reel.frame) : readCut(part, places[at]!.frames, reel, { maySeek, signal });
  };
  return places.map(({ frames, fadeOut }, at): FilmPart => {
    const before = places[at - 1];
    const fadeIn = before?.fadeOut ?? 0;
    const seen = fadeIn > 0 ? [at - 1, at] : [at];
    const { frame, fit } = reel;
    const cuts = store && seen.map((place) => identityOf(reel.parts[place]!, places[place]!, store));
    return {
      ticks: frames - fadeOut,
      identity: cuts && { frame, fit, fadeIn, fadeOut, cuts },
      async *pictures(signal) {
        const opened = seen.map((place) => open(place, signal));
        for (const each of opened) each.catch(() => undefined);
        try {
          const current = await opened.at(-1)!;
          let filled = 0;
          if (fadeIn > 0) {
            const leaving = await opened[0]!;
            for (let left = before!.frames; left > fadeIn; left--) await leaving.next();
            for (let step = 1; step <= fadeIn; step++) {
              const pixels = mixPictures(await leaving.next(), await current.next(), step / (fadeIn + 1));
              yield { pixels, ticks: filled++ };
            }
            await leaving.end();
          }
          while (filled < frames - fadeOut) yield { pixels: await current.next(), ticks: filled++ };
          // The rest is shown by the next part, which reads it again.
          await current.end();
        } finally {
          for (const each of opened) await each.then((reading) => reading.kill()).catch(() => undefined);
        }
      },
    };
  });
}

/** All that decides the pictures of a cut or a card. */
function identityOf(part: ReelPart, { frames }: ReelPlace, store: PartStore): unknown {
  const digest = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const drawn = ({ rgba, ...place }: Overlay) => ({ ...place, rgba: digest(rgba) });
  if ('card' in part) return { card: drawn(part.card), frames };
  const { info, timeBase, isDamaged, stretch, frameCount, overlay, running } = part;
  const source = { ...info, path: store.contentOf(info.path) };
  const texts = running && Array.from({ length: frames }, (_, at) => running.textAt(at)).join('\n');
  return {
    ...{ info: source, timeBase, isDamaged, stretch, frameCount, frames, overlay: overlay ? drawn(overlay) : null },
    ...(running ? { running: [[...running.glyphs].map(([, glyph]) => drawn(glyph)), digest(texts!)] } : {}),
  };
}

async function showCard({ card }: ReelCard, frame: PictureSize): Promise<PartReading> {
  const picture = plainPicture(frame, BLACK);
  layOver(picture, frame, prepareOverlay(card));
  return { next: async () => picture, end: async () => undefined, kill: () => undefined };
}

async function readCut(
  cut: ReelCut,
  frames: number,
  { frame, fit }: AnyReel,
  { maySeek, signal }: { maySeek: boolean; signal: AbortSignal },
): Promise<PartReading> {
  const { num, den } = frame.rate;
  const reading = await readStretch(
    {
      ...cut,
      stretches: [cut.stretch],
      // A picture goes to the nearest frame time of the film; of several, the last one stays; gaps repeat the one before.
      filters: [`fps=fps=${num}/${den}:start_time=0:round=near`, ...fitFilters(cut.info, frame, fit)],
      frameBytes: pictureBytes(frame),
      maySeek,
    },
    signal,
  );
  const overlay = cut.overlay && prepareOverlay(cut.overlay);
  const running = cut.running && prepareText(cut.running);
  let [given, last] = [0, null as Uint8Array | null];
  return {
    async next() {
      // After the last frame of the source, which may be shown for long, its picture is repeated.
      const picture = given++ < frames ? await reading.next() : null;
      last = picture ?? last;
      if (last === null) throw incomplete(cut, 0);
      if (picture && overlay) layOver(picture, frame, overlay);
      if (picture) for (const glyph of running?.(given - 1) ?? []) layOver(picture, frame, glyph);
      return last;
    },
    async end() {
      while ((await reading.next()) !== null);
      if (reading.ticks.length === cut.frameCount) return;
      throw reading.hasSought ? new SeekMissed(cut.info.path) : incomplete(cut, reading.ticks.length);
    },
    kill: reading.kill,
  };
}

/** The drawings of a running text over each frame. */
function prepareText({ glyphs, textAt }: RunningText): (frame: number) => PreparedOverlay[] {
  const prepared = new Map([...glyphs].map(([character, glyph]) => [character, prepareOverlay(glyph)]));
  const step = glyphs.values().next().value?.widthPx ?? 0;
  return (frame) =>
    [...textAt(frame)].map((character, at) => {
      const glyph = prepared.get(character)!;
      return { ...glyph, leftPx: glyph.leftPx + at * step };
    });
}

const BLACK = 16;

/** Scales to the size and colours of the film. All sizes are fixed, so that a source may change its size in mid-stream. */
function fitFilters(info: VideoInfo, frame: PictureSize, fit: Fit): string[] {
  const { widthPx, heightPx } = frame;
  const shape = (info.widthPx * info.sampleAspect.num) / (info.heightPx * info.sampleAspect.den);
  const isWider = shape > widthPx / heightPx;
  const byWidth = isWider === (fit !== 'crop');
  const even = (size: number): number => Math.max(2, 2 * Math.round(size / 2));
  const width = byWidth ? widthPx : even(heightPx * shape);
  const height = byWidth ? even(widthPx / shape) : heightPx;
  // Half of the rest on each side, in whole colour samples.
  const half = (rest: number): number => 2 * Math.floor(Math.abs(rest) / 4);
  const [left, top] = [half(widthPx - width), half(heightPx - height)];
  const scale = `scale=${width}:${height}:${SCALER}`;
  return [
    ...(info.sdr ? [scale, ...sdrFilters(info, 'film')] : [[scale, ...reelColourOptions(info)].join(':')]),
    'format=yuv420p',
    'setsar=1',
    ...(width === widthPx && height === heightPx
      ? []
      : fit === 'crop'
        ? [`crop=${widthPx}:${heightPx}:${left}:${top}`]
        : fit === 'letterbox'
          ? [`pad=${widthPx}:${heightPx}:${left}:${top}:black`]
          : [surroundFilter({ width, height }, frame, { left, top })]),
  ];
}

/** The longer side of the picture that a surround is enlarged from. */
const SURROUND_SIDE = 64;

/**
 * Lays a picture over its own enlargement: cut to the shape of the frame, made tiny, blurred, enlarged and darkened. Whole
 * numbers all the way, so that every machine gives the same pixels; the filter of ffmpeg with a better blur uses fractions.
 */
function surroundFilter(
  { width, height }: { width: number; height: number },
  { widthPx, heightPx }: PictureSize,
  { left, top }: { left: number; top: number },
): string {
  const even = (size: number): number => Math.max(2, 2 * Math.round(size / 2));
  const [across, down] = [Math.min(width, even((height * widthPx) / heightPx)), Math.min(height, even((width * heightPx) / widthPx))]; // prettier-ignore
  const small = (side: number): number => Math.max(8, even((SURROUND_SIDE * side) / Math.max(widthPx, heightPx)));
  const around = [
    `crop=${across}:${down}`,
    `scale=${small(widthPx)}:${small(heightPx)}:${SCALER}`,
    'boxblur=2:2',
    `scale=${widthPx}:${heightPx}:${SCALER}`,
    'lutyuv=y=16+(val-16)*0.6',
    'setsar=1',
  ];
  return `split[whole][around];[around]${around.join(',')}[surround];[surround][whole]overlay=${left}:${top}`;
}

function incomplete({ info, frameCount }: ReelCut, found: number): MediaError {
  return new MediaError(
    'film-incomplete',
    `Expected ${frameCount} frames of "${info.path}" in the film, the decoder gave ${found}. Did the file change while it was read?`,
  );
}
