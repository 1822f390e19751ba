import { lengthInSeconds, rescale, toSeconds, type Rational } from '../base/index.js';
import {
  encodeReel,
  layOutReel,
  playedTrack,
  reelFrames,
  type FilmFormat,
  type FilmHooks,
  type Overlay,
  type Reel,
  type ReelCut,
  type ReelPart,
  type VideoInfo,
} from '../media/index.js';
import type { Clip } from '../summary/index.js';
import {
  countableRate,
  formatTimecode,
  frameBase,
  nearestStandard,
  rateOfNumber,
  startOf,
  timelineRateFor,
} from '../timeline/index.js';
import { drawText, fitText, inkWidth, paintShapes } from './text.js';

/** Raise when the same reel would be encoded to other bytes. */
export const REEL_VERSION = 6;

/** A clip in a film of many sources. */
export type ReelClip = {
  readonly info: VideoInfo;
  /** Frame rate of the clip's source; `null` if the rate varies. */
  readonly frameRate: Rational | null;
  /** The source could not be decoded without errors. */
  readonly isDamaged: boolean;
  readonly clip: Clip;
  /** Written in a corner while the clip plays. */
  readonly caption?: string | undefined;
  /** The first tick of its source, to write the timecode of the source in a corner of every picture. */
  readonly startTick?: number | undefined;
  /** What its chapter is called; a film has chapters if all of its clips have. */
  readonly chapter?: string | undefined;
  /** Where somebody speaks in the source, in ticks of the clip; `undefined` if that is not known. */
  readonly speech?: ReelCut['speech'];
};

/** Size and rate of a film; sides are even, pixels square. */
export type FilmFrame = { readonly widthPx: number; readonly heightPx: number; readonly rate: Rational };

/** What a film does with the sound of its sources. */
export const SOUNDS = ['keep', 'none'] as const;
/** One of `SOUNDS`. */
export type Sound = (typeof SOUNDS)[number];

/** How loud a film is: every source evenly so, or as recorded. */
export const LOUDNESSES = ['even', 'keep'] as const;
/** One of `LOUDNESSES`. */
export type Loudness = (typeof LOUDNESSES)[number];

/** How the frame is filled around pictures of another shape. */
export const SURROUNDS = ['blur', 'plain'] as const;

/** A film of clips from many sources, in the order given. */
export type ReelFilm = {
  readonly clips: readonly ReelClip[];
  /** Shown on black before the first clip. */
  readonly title?: string | undefined;
  readonly sound: Sound;
  readonly fit: 'letterbox' | 'crop';
  /** Around whole pictures (`letterbox`): an enlargement of themselves, blurred and dark, or black. */
  readonly surround: (typeof SURROUNDS)[number];
  /** Path of a file with sound, played under everything. */
  readonly music?: string | undefined;
  /** Seconds over which a clip fades into the next; 0 cuts. */
  readonly fade: number;
  readonly loudness: Loudness;
  readonly format: FilmFormat;
  /** Chosen from the sources when not given. */
  readonly frame?: FilmFrame | undefined;
};

/** The largest frame that is chosen unasked, in pixels. */
const LONGEST_SIDE = 1920;
const SHORTER_SIDE = 1080;
/** How long a title is shown. */
export const TITLE_SECONDS = 2.5;
/** Shapes that differ by less than this count as the same: 360:203 is 16:9. */
const SAME_SHAPE = 0.02;

/** The share of the playing time that must support the size of the film. */
const BETTER_SHARE = 1 / 3;

/**
 * The frame that suits the clips, weighted by the time they play. The shape is the one that plays longest. The size is the
 * largest that a third of the playing time fills without being enlarged, within 1920 × 1080 (or 1080 × 1920): a single large
 * source does not decide it, and neither does the smallest. The rate is the standard rate that plays longest in that third.
 */
export function chooseFrame(clips: readonly Pick<ReelClip, 'info' | 'frameRate' | 'clip'>[]): FilmFrame {
  const seen = clips.map(({ info, frameRate, clip }) => {
    const seconds = lengthInSeconds(clip.range);
    const size = shownSize(info);
    const mean = (clip.endFrame - clip.startFrame) / seconds;
    const rate = frameRate
      ? timelineRateFor(rateOfNumber(frameRate.num / frameRate.den) ?? frameRate)
      : nearestStandard(mean);
    return { seconds, size, shape: size.width / size.height, rate };
  });
  const leader = longest(seen, (a, b) => Math.abs(a.shape / b.shape - 1) < SAME_SHAPE);
  const { shape } = leader[0]!;
  // The tallest frame of that shape in which a clip, shown whole, is not enlarged.
  const height = ({ size }: (typeof seen)[0]): number => Math.max(size.height, size.width / shape);
  const tallestFirst = seen.toSorted((a, b) => height(b) - height(a));
  const third = BETTER_SHARE * secondsOf(seen);
  let played = 0;
  const last = tallestFirst.findIndex(({ seconds }) => (played += seconds) >= third - 1e-9);
  const least = height(tallestFirst[last]!);
  const better = seen.filter((each) => height(each) >= least);
  // The exact size of a source, if one of that shape has it: 360:203 stays 360:203.
  const own = leader.find((each) => height(each) === least)?.size ?? { width: least * shape, height: least };
  const scale = Math.min(1, LONGEST_SIDE / Math.max(own.width, own.height), SHORTER_SIDE / Math.min(own.width, own.height)); // prettier-ignore
  const [{ rate }] = longest(better, (a, b) => a.rate.num * b.rate.den === b.rate.num * a.rate.den) as [
    (typeof seen)[0],
  ];
  return { widthPx: evenPx(own.width * scale, 16), heightPx: evenPx(own.height * scale, 16), rate };
}

/** The nearest even number of pixels, at least `least`: encoders halve the sides of colour planes. */
export function evenPx(px: number, least = 2): number {
  return Math.max(least, 2 * Math.round(px / 2));
}

/** Size on a screen of square pixels: the stored side that is too short is stretched, nothing is lost. */
export function shownSize({ widthPx, heightPx, sampleAspect }: VideoInfo): { width: number; height: number } {
  const aspect = sampleAspect.num / sampleAspect.den;
  return aspect >= 1 ? { width: widthPx * aspect, height: heightPx } : { width: widthPx, height: heightPx / aspect };
}

/** Groups items that are alike, and returns the group that plays longest; of equals, the first. */
function longest<T extends { seconds: number }>(items: readonly T[], isAlike: (a: T, b: T) => boolean): T[] {
  const groups: T[][] = [];
  for (const item of items) {
    const group = groups.find(([first]) => first !== undefined && isAlike(first, item));
    if (group) group.push(item);
    else groups.push([item]);
  }
  return groups.reduce((best, group) => (secondsOf(group) > secondsOf(best) ? group : best), groups[0] ?? []);
}

const secondsOf = (items: readonly { seconds: number }[]): number =>
  items.reduce((sum, { seconds }) => sum + seconds, 0);

/** What a reel will be, known before anything is decoded. */
export type PlannedReel = {
  readonly frame: FilmFrame;
  readonly frames: number;
  readonly seconds: number;
  /** The first frame and the number of frames of each clip in the film. */
  readonly clips: readonly { readonly startFrame: number; readonly frames: number }[];
};

/** Computes the length of a reel and the places of its clips. */
export function planReel(film: ReelFilm): PlannedReel {
  const { frame, fadeFrames } = frameAndFade(film);
  const places = layOutReel({ parts: partsOf(film, frame), frame, fadeFrames });
  const clips = places.slice(film.title === undefined ? 0 : 1);
  const frames = reelFrames(places);
  return {
    frame,
    frames,
    seconds: toSeconds(frames, { num: frame.rate.den, den: frame.rate.num }),
    clips: clips.map(({ start, frames: length }) => ({ startFrame: start, frames: length })),
  };
}

/** Renders clips of many sources as one film to `output`. */
export async function renderReel(film: ReelFilm, output: string, hooks: FilmHooks = {}): Promise<void> {
  const { frame, fadeFrames } = frameAndFade(film);
  // Drawn once each: a film has many clips of few sources, and all of them stay in memory.
  const captions = new Map<string, Overlay>();
  for (const { caption } of film.clips) {
    if (caption !== undefined && !captions.has(caption)) captions.set(caption, await drawCaption(caption, frame));
  }
  const title = film.title === undefined ? null : await drawTitle(film.title, frame);
  const glyphs = film.clips.some(({ startTick }) => startTick !== undefined) ? await drawGlyphs(frame) : null;
  const parts = partsOf(film, frame).map((part, index): ReelPart => {
    if ('card' in part) return { ...part, card: title! };
    const clip = film.clips[index - (title === null ? 0 : 1)]!;
    const { caption } = clip;
    return {
      ...part,
      ...(caption === undefined ? {} : { overlay: captions.get(caption) }),
      ...(glyphs && clip.startTick !== undefined ? { running: { glyphs, textAt: timecodeAt(clip, frame.rate) } } : {}),
    };
  });
  const reel: Reel = {
    ...{ parts, frame, fadeFrames, output },
    fit: film.fit === 'letterbox' && film.surround === 'blur' ? 'blur' : film.fit,
    format: film.format,
    ...(film.music === undefined ? {} : { music: { path: film.music } }),
    evenLoudness: film.loudness === 'even',
    titles: titlesOf(film),
  };
  await encodeReel(reel, hooks);
}

/** The titles of chapters, that of the film for its title card; none unless every clip has one. */
function titlesOf({ clips, title }: ReelFilm): string[] | undefined {
  const titles = clips.flatMap(({ chapter }) => chapter ?? []);
  if (titles.length < clips.length) return undefined;
  return title === undefined ? titles : [title, ...titles];
}

function frameAndFade(film: ReelFilm): { frame: FilmFrame; fadeFrames: number } {
  const frame = film.frame ?? chooseFrame(film.clips);
  return { frame, fadeFrames: Math.round((film.fade * frame.rate.num) / frame.rate.den) };
}

function partsOf({ clips, title, sound }: ReelFilm, { rate }: FilmFrame): ReelPart[] {
  const nothing = { leftPx: 0, topPx: 0, widthPx: 0, heightPx: 0, rgba: new Uint8Array(0) };
  const card = { card: nothing, frames: Math.round((TITLE_SECONDS * rate.num) / rate.den) };
  const cuts = cutsOf(clips, sound);
  return title === undefined ? cuts : [card, ...cuts];
}

/** Clips as the encoder takes them. */
export function cutsOf(
  clips: readonly Pick<ReelClip, 'info' | 'isDamaged' | 'clip' | 'speech'>[],
  sound: Sound,
): ReelCut[] {
  return clips.map(({ info, isDamaged, clip, speech }) => ({
    ...{ info, isDamaged, timeBase: clip.range.base, stretch: clip.range, speech },
    frameCount: clip.endFrame - clip.startFrame,
    soundTrack: soundTrackOf(info, sound),
  }));
}

/** The track that a film plays; `null` if the film is silent. */
export function soundTrackOf(info: VideoInfo, sound: Sound): number | null {
  return sound === 'none' ? null : (playedTrack(info)?.position ?? null);
}

type Size = { readonly widthPx: number; readonly heightPx: number };

const INK = '#f5f3ee';
const even = (size: number): number => 2 * Math.round(size / 2);

/** A line in the lower left corner, on a dark plate so that it is readable on any picture. */
async function drawCaption(text: string, frame: Size): Promise<Overlay> {
  // Captions of broadcast size: capitals of a thirtieth of the shorter side, within the inner nine tenths.
  const shorter = Math.min(frame.widthPx, frame.heightPx);
  const capitals = Math.max(8, Math.round(shorter / 30));
  const margin = even(shorter / 20);
  const most = even(frame.widthPx - 2 * margin);
  const heightPx = Math.min(frame.heightPx, even(capitals * 2.6));
  const room = most - 2 * capitals;
  const line = (await inkWidth(text, capitals)) <= room ? text : fitText(text, capitals, room);
  const words = drawText(line, { x: capitals, y: capitals * 0.75, heightPx: capitals, color: INK });
  const widthPx = Math.min(most, even((await inkWidth(line, capitals)) + 2 * capitals));
  const plate = `<rect width="${widthPx}" height="${heightPx}" rx="${capitals / 3}" fill="#101114" opacity="0.62"/>`;
  const topPx = Math.max(0, even(frame.heightPx - margin - heightPx));
  return { leftPx: margin, topPx, widthPx, heightPx, rgba: await paintShapes(plate + words, widthPx, heightPx) };
}

/**
 * The timecode of the source in each frame of a film of rate r. Of a source of rate s, frame k shows the last picture that is
 * nearest to it, ⌈(k + ½)·s/r⌉ − 1 after the first of the clip. A varying rate counts as the nearest standard one.
 */
export function timecodeAt(
  { info, frameRate, clip, startTick = 0 }: Pick<ReelClip, 'info' | 'frameRate' | 'clip' | 'startTick'>,
  filmRate: Rational,
): (frame: number) => string {
  const { range, startFrame, endFrame } = clip;
  const steady = frameRate && countableRate(frameRate, endFrame);
  const rate = steady ?? nearestStandard((endFrame - startFrame) / lengthInSeconds(range));
  const { frame: label, dropFrame } = startOf(info.timecode, rate) ?? { frame: 0, dropFrame: false };
  const frameAt = (tick: number): number => rescale(tick - startTick, range.base, frameBase(rate));
  const [first, end] = steady ? [startFrame, endFrame] : [frameAt(range.start), frameAt(range.end)];
  const [num, den] = [rate.num * filmRate.den, 2 * rate.den * filmRate.num];
  return (frame) => {
    const after = Math.ceil(((2 * frame + 1) * num) / den) - 1;
    return formatTimecode(label + Math.min(first + after, Math.max(first, end - 1)), { rate, dropFrame });
  };
}

/** The characters of timecode in the upper left corner, each on its piece of a dark plate. */
export async function drawGlyphs(frame: Size): Promise<Map<string, Overlay>> {
  const shorter = Math.min(frame.widthPx, frame.heightPx);
  const margin = even(shorter / 20);
  // As large as captions, unless the line would be wider than the picture.
  const capitals = Math.max(6, Math.min(Math.max(8, Math.round(shorter / 30)), (frame.widthPx - 2 * margin) / 12));
  const [widthPx, heightPx] = [even(capitals), Math.min(frame.heightPx, even(capitals * 2))];
  const place = { leftPx: margin, topPx: margin, widthPx, heightPx };
  const drawings = [...'0123456789:;'].map(async (character): Promise<[string, Overlay]> => {
    const plate = `<rect width="${widthPx}" height="${heightPx}" fill="#101114" opacity="0.62"/>`;
    const style = { x: widthPx / 2, y: capitals / 2, heightPx: capitals, color: INK, centred: true };
    return [character, { ...place, rgba: await paintShapes(plate + drawText(character, style), widthPx, heightPx) }];
  });
  return new Map(await Promise.all(drawings));
}

/** A title in the middle of the picture, smaller if it is long. */
async function drawTitle(text: string, frame: Size): Promise<Overlay> {
  const [widthPx, largest] = [frame.widthPx, Math.round(Math.min(frame.widthPx, frame.heightPx) / 12)];
  const room = widthPx * 0.84;
  const share = room / Math.max(1, await inkWidth(text, largest));
  const capitals = Math.max(largest / 2, Math.min(largest, largest * share));
  const line = share >= 0.5 ? text : fitText(text, capitals, room);
  // Marks above and below the letters of some scripts reach far.
  const heightPx = even(capitals * 3);
  const style = { x: widthPx / 2, y: capitals, heightPx: capitals, color: INK, bold: true, centred: true };
  const rgba = await paintShapes(drawText(line, style), widthPx, heightPx);
  return { leftPx: 0, topPx: even((frame.heightPx - heightPx) / 2), widthPx, heightPx, rgba };
}
