import { lengthInSeconds } from '../base/index.js';
import { encodePreview, type PreviewFormat, type VideoInfo } from '../media/index.js';
import type { Clip } from '../summary/index.js';
import { cutsOf, evenPx, shownSize } from './reel.js';

/** Raise when the same clips would give other bytes. */
export const PREVIEW_VERSION = 2;

/** Clips of one or several videos as a small moving picture. */
export type FilmPreview = {
  readonly clips: readonly { readonly info: VideoInfo; readonly clip: Clip; readonly isDamaged: boolean }[];
  readonly format: PreviewFormat;
};

const LONGER_SIDE = 320;
const PICTURES_PER_SECOND = 4;
/** 15 seconds, enough to get an idea; longer summaries are shown in fast motion. */
const MOST_PICTURES = 60;

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
    num: Math.max(1, Math.floor(1000 * Math.min(PICTURES_PER_SECOND, MOST_PICTURES / seconds))),
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
