import { toSeconds, type Rational, lengthInSeconds } from '../base/index.js';
import {
  copyCuts,
  CopyRefused,
  encodeCuts,
  type FilmHooks,
  type CutRequest,
  type FilmFormat,
  type VideoInfo,
  encodePreview,
  type PreviewFormat,
} from '../media/index.js';
import type { Clip } from '../summary/index.js';
import {
  chooseFrame,
  evenPx,
  planReel,
  type ReelFilm,
  renderReel,
  shownSize,
  soundTrackOf,
  type Loudness,
  type Sound,
  cutsOf,
} from './reel.js';

/** Part of cache keys. Raise it when the same clips would be encoded to other bytes. */
export const FILM_VERSION = 7;

/** A film of one video's clips. */
export type Film = {
  readonly info: VideoInfo;
  readonly timeBase: Rational;
  /** Frames per second; `null` if the rate varies. */
  readonly frameRate: Rational | null;
  /** In the order they play. */
  readonly clips: readonly Clip[];
  /** What the chapters of the clips are called. */
  readonly titles: readonly string[];
  readonly sound: Sound;
  readonly format: FilmFormat | 'copy';
  /** Seconds over which a clip fades into the next; 0 cuts. */
  readonly fade: number;
  readonly loudness: Loudness;
  /** The source could not be decoded without errors. */
  readonly isDamaged: boolean;
  /** Shown in every picture: this name, and the timecode, which begins at this tick of the source. */
  readonly burnIn?: { readonly name: string; readonly startTick: number } | undefined;
};

/** The formats of films, with the ending of their files. */
export const FILM_FORMATS = { mp4: 'mp4', webm: 'webm', copy: 'mp4' } as const;

/**
 * Renders a film to `output`: the clips with the sound of the default track. With cuts in film order, every frame keeps its
 * own time; a film with fades, in another order, or with burned-in timecode, has a constant rate. Returns the reason if a film that was to be
 * copied had to be encoded, else `null`.
 */
export async function renderFilm(film: Film, output: string, hooks: FilmHooks = {}): Promise<string | null> {
  if (film.format === 'copy') {
    const refusal = await copyFilm(film, output, hooks);
    if (refusal !== null) await encodeFilm({ ...film, format: 'mp4' }, output, hooks);
    return refusal;
  }
  await encodeFilm({ ...film, format: film.format }, output, hooks);
  return null;
}

async function copyFilm(film: Film, output: string, hooks: FilmHooks): Promise<string | null> {
  if (film.burnIn) return 'pictures with a burned-in timecode cannot be copied';
  if (isFaded(film)) return 'clips that fade into each other cannot be copied';
  if (!isFilmOrder(film)) return 'clips in another order than they were filmed in cannot be copied';
  try {
    await copyCuts({ ...cutsOfFilm(film), output }, hooks);
    return null;
  } catch (error) {
    if (error instanceof CopyRefused) return error.reason;
    throw error;
  }
}

async function encodeFilm(film: Film & { format: FilmFormat }, output: string, hooks: FilmHooks): Promise<void> {
  if (isReel(film)) await renderReel(steadyReel(film), output, hooks);
  else await encodeCuts({ ...cutsOfFilm(film), format: film.format, output }, hooks);
}

/** Whether the film cannot be cut from its source as it is. */
function isReel(film: Film): boolean {
  return isFaded(film) || !isFilmOrder(film) || film.burnIn !== undefined;
}

function isFaded({ fade, clips }: Film): boolean {
  return fade > 0 && clips.length > 1;
}

function cutsOfFilm({
  info,
  timeBase,
  clips,
  titles,
  sound,
  isDamaged,
  loudness,
}: Film): Omit<CutRequest, 'format' | 'output'> {
  return {
    ...{ info, timeBase, isDamaged, titles },
    stretches: clips.map((clip) => clip.range),
    frameCount: filmFrames(clips),
    soundTrack: soundTrackOf(info, sound),
    evenLoudness: loudness === 'even',
  };
}

/** A film that cannot be cut from its source, as a reel of a constant rate. */
function steadyReel(film: Film & { format: FilmFormat }): ReelFilm {
  const { info, frameRate, isDamaged, burnIn } = film;
  const burned = burnIn && { caption: burnIn.name, startTick: burnIn.startTick };
  const clips = film.clips.map((clip, at) => ({
    info,
    frameRate,
    isDamaged,
    clip,
    chapter: film.titles[at],
    ...burned,
  }));
  const { width, height } = shownSize(info);
  const frame = { widthPx: evenPx(width), heightPx: evenPx(height), rate: frameRate ?? chooseFrame(clips).rate };
  return { ...film, clips, fit: 'letterbox', surround: 'plain', frame };
}

/** How long a film plays, in seconds, fades counted. */
export function filmSeconds(film: Film): number {
  if (film.clips.length > 0 && isReel(film)) return planReel(steadyReel({ ...film, format: 'mp4' })).seconds;
  // One sum of ticks, then one division: the clips of a film share their time base.
  const ticks = film.clips.reduce((sum, { range }) => sum + range.end - range.start, 0);
  return film.clips.length === 0 ? 0 : toSeconds(ticks, film.clips[0]!.range.base);
}

function isFilmOrder({ clips }: Film): boolean {
  return clips.every((clip, index) => index === 0 || clips[index - 1]!.endFrame <= clip.startFrame);
}

/** Frames a film of these clips has when they are joined by cuts. */
export function filmFrames(clips: readonly Clip[]): number {
  return clips.reduce((frames, clip) => frames + clip.endFrame - clip.startFrame, 0);
}

/** Part of cache keys. Raise it when the same clips would give other bytes. */
export const PREVIEW_VERSION = 2;

/** Clips of one or several videos as a small moving picture. */
export type FilmPreview = {
  readonly clips: readonly { readonly info: VideoInfo; readonly clip: Clip; readonly isDamaged: boolean }[];
  readonly format: PreviewFormat;
};

const LONGER_SIDE = 320;
const PICTURES_PER_SECOND = 4;
/** At most 15 seconds; longer summaries are shown in fast motion. */
const MAX_PICTURES = 60;

/** Renders a preview to `output`: 4 pictures per second, 320 pixels on its longer side, at most 15 seconds, in a loop. */
export async function renderPreview(
  { clips, format }: FilmPreview,
  output: string,
  hooks: { signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { width, height } = shownSize(clips[0]!.info);
  const scale = LONGER_SIDE / Math.max(width, height);
  const seconds = clips.reduce((sum, { clip }) => sum + lengthInSeconds(clip.range), 0);
  // In thousandths of a picture per second, so that the rate is a fraction of whole numbers.
  const rate = {
    num: Math.max(1, Math.floor(1000 * Math.min(PICTURES_PER_SECOND, MAX_PICTURES / seconds))),
    den: 1000,
  };
  await encodePreview(
    {
      parts: cutsOf(clips, 'none'),
      frame: { widthPx: evenPx(width * scale), heightPx: evenPx(height * scale), rate },
      shownRate: { num: PICTURES_PER_SECOND, den: 1 },
      ...{ format, output },
    },
    hooks,
  );
}
