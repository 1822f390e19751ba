import type { Rational } from '../base/index.js';
import { encodeCuts, type VideoInfo } from '../media/index.js';
import type { Clip } from '../summary/index.js';

/** Raise when the same clips would be encoded to other bytes. */
export const FILM_VERSION = 2;

/** A film of one video's clips. */
export type Film = {
  readonly info: VideoInfo;
  readonly timeBase: Rational;
  readonly clips: readonly Clip[];
  readonly sound: 'keep' | 'none';
  /** The source could not be decoded without errors. */
  readonly isDamaged: boolean;
};

/** Renders a film to `output` (MP4, H.264 + AAC): the clips in film order, joined, with the sound of the default track. */
export async function renderFilm(
  film: Film,
  output: string,
  hooks: { signal?: AbortSignal | undefined; onFrames?: (frames: number) => void } = {},
): Promise<void> {
  const { info, timeBase, clips } = film;
  const track = info.audio.find((candidate) => candidate.isDefault) ?? info.audio[0];
  await encodeCuts(
    {
      info,
      timeBase,
      stretches: clips.map((clip) => clip.range),
      frameCount: filmFrames(clips),
      soundTrack: film.sound === 'keep' && track ? track.position : null,
      isDamaged: film.isDamaged,
      format: 'mp4',
      output,
    },
    hooks,
  );
}

/** Frames a film of these clips has. */
export function filmFrames(clips: readonly Clip[]): number {
  return clips.reduce((frames, clip) => frames + clip.endFrame - clip.startFrame, 0);
}
