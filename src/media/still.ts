import { MediaError } from '../base/index.js';
import type { PictureSize } from './blend.js';
import { sdrFilters } from './colour.js';
import { SCALER, shownSize } from './normalise.js';
import { readStretch, type FrameSource, type StretchRequest } from './stretch.js';
import type { Stretch } from './types.js';

/** One frame of a source, as shown on screen: rotated, with square pixels. */
export type Still = PictureSize & {
  /** Presentation time, in the source's ticks. */
  readonly ticks: number;
  /** RGB, 3 bytes per pixel. */
  readonly pixels: Uint8Array;
};

/** The frame in the middle of a stretch: the first that begins there or later, else the first frame of the stretch. */
export async function readStill(source: FrameSource, { start, end }: Stretch, signal?: AbortSignal): Promise<Still> {
  const size = shownSize(source.info);
  const middle = start + Math.floor((end - start) / 2);
  const from = (first: number): StretchRequest => ({
    ...source,
    stretches: [{ start: first, end }],
    filters: [
      `scale=${size.widthPx}:${size.heightPx}:${SCALER}`,
      ...['setsar=1', ...sdrFilters(source.info, 'rgb'), 'format=rgb24'],
    ],
    frameBytes: 3 * size.widthPx * size.heightPx,
    maySeek: true,
  });
  const found = middle > start ? await firstOf(from(middle), signal).catch(nothingThere) : null;
  return { ...size, ...(found ?? (await firstOf(from(start), signal))) };
}

/** `null` if there is no frame after the middle, or a jump misses it; any other error would occur again. */
function nothingThere(error: unknown): null {
  if (error instanceof MediaError && ['film-incomplete', 'seek-missed'].includes(error.code)) return null;
  throw error;
}

async function firstOf(request: StretchRequest, signal?: AbortSignal): Promise<Pick<Still, 'ticks' | 'pixels'>> {
  const reading = await readStretch(request, signal);
  try {
    const pixels = await reading.next();
    if (pixels === null) {
      throw new MediaError(
        'film-incomplete',
        `Expected a frame of "${request.info.path}" for a still, the decoder gave none. Did the file change while it was read?`,
      );
    }
    return { ticks: (await reading.tickOf(0))!, pixels };
  } finally {
    reading.kill();
  }
}
