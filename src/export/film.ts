import type { Rational } from '../base/index.js';
import { encodeCuts, type FilmFormat, type VideoInfo } from '../media/index.js';
import type { Clip } from '../summary/index.js';
import { chooseFrame, renderReel, shownSize } from './reel.js';

/** Raise when the same clips would be encoded to other bytes. */
export const FILM_VERSION = 2;

/** A film of one video's clips. */
export type Film = {
  readonly info: VideoInfo;
  readonly timeBase: Rational;
  /** Frames a second where every frame keeps to it; `null` where the rate varies. */
  readonly frameRate: Rational | null;
  readonly clips: readonly Clip[];
  readonly sound: 'keep' | 'none';
  readonly format: FilmFormat;
  /** Seconds over which a clip fades into the next; 0 cuts. */
  readonly fade: number;
  readonly loudness: 'even' | 'keep';
  /** The source could not be decoded without errors. */
  readonly isDamaged: boolean;
};

type Hooks = { signal?: AbortSignal | undefined; onFrames?: (frames: number) => void };

/**
 * Renders a film to `output`: the clips in film order, with the sound of the default track. Joined by cuts, every frame
 * keeps its own time; fades need a steady rate, so that a film with them has one.
 */
export async function renderFilm(film: Film, output: string, hooks: Hooks = {}): Promise<void> {
  const { info, timeBase, clips, format, isDamaged } = film;
  if (film.fade > 0 && clips.length > 1) return renderFaded(film, output, hooks);
  const track = info.audio.find((candidate) => candidate.isDefault) ?? info.audio[0];
  await encodeCuts(
    {
      ...{ info, timeBase, isDamaged, format, output },
      stretches: clips.map((clip) => clip.range),
      frameCount: filmFrames(clips),
      soundTrack: film.sound === 'keep' && track ? track.position : null,
      evenLoudness: film.loudness === 'even',
    },
    hooks,
  );
}

async function renderFaded(film: Film, output: string, hooks: Hooks): Promise<void> {
  const { info, frameRate, isDamaged } = film;
  const clips = film.clips.map((clip) => ({ info, frameRate, isDamaged, clip }));
  const { width, height } = shownSize(info);
  const even = (side: number): number => 2 * Math.max(1, Math.round(side / 2));
  const frame = { widthPx: even(width), heightPx: even(height), rate: frameRate ?? chooseFrame(clips).rate };
  await renderReel({ ...film, clips, fit: 'letterbox', frame }, output, hooks);
}

/** Frames a film of these clips has when they are joined by cuts. */
export function filmFrames(clips: readonly Clip[]): number {
  return clips.reduce((frames, clip) => frames + clip.endFrame - clip.startFrame, 0);
}
