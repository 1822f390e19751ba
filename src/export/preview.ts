import { lengthInSeconds } from '../base/index.js';
import { encodePreview, type PreviewFormat, type VideoInfo } from '../media/index.js';
import type { Clip } from '../summary/index.js';
import { cutsOf, shownSize } from './reel.js';

/** Raise when the same clips would be drawn otherwise. */
export const PREVIEW_VERSION = 1;

/** Clips of one or several videos as a small moving picture. */
export type FilmPreview = {
  readonly clips: readonly { readonly info: VideoInfo; readonly clip: Clip; readonly isDamaged: boolean }[];
  readonly format: PreviewFormat;
};

const LONGER_SIDE = 320;
const PICTURES_A_SECOND = 4;
/** Longer summaries are shown in fast motion: a preview that plays for 15 seconds has been understood. */
const MOST_PICTURES = 60;

/** Renders a preview to `output`: 4 pictures a second, 320 pixels on its longer side, 15 seconds at most, for ever again. */
export async function renderPreview(
  { clips, format }: FilmPreview,
  output: string,
  hooks: { signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { width, height } = shownSize(clips[0]!.info);
  const scale = LONGER_SIDE / Math.max(width, height);
  const even = (side: number): number => 2 * Math.max(1, Math.round((side * scale) / 2));
  const seconds = clips.reduce((sum, { clip }) => sum + lengthInSeconds(clip.range), 0);
  // In thousandths of a picture a second, so that the rate is a fraction of whole numbers.
  const rate = { num: Math.max(1, Math.floor(1000 * Math.min(PICTURES_A_SECOND, MOST_PICTURES / seconds))), den: 1000 };
  await encodePreview(
    {
      parts: cutsOf(clips, 'none'),
      frame: { widthPx: even(width), heightPx: even(height), rate },
      shownRate: { num: PICTURES_A_SECOND, den: 1 },
      ...{ format, output },
    },
    hooks,
  );
}
