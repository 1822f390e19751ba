import type { Outline } from './analysis/record.js';
import { wideColours } from '../media/index.js';
import type { Run } from './run.js';
import type { VideoSummary } from '../summary/index.js';
import type { Video } from './admit.js';
import { note } from './limits.js';

type Read = Pick<Outline, 'stream' | 'frameCount'>;

/** A video with what a whole reading found about its stream: every later reading needs it to see the same frames. */
export function asRead<V extends Pick<Video, 'info'>>(video: V, { stream }: Pick<Outline, 'stream'>): V {
  const { packets: _, ...found } = stream;
  return { ...video, info: { ...video.info, ...found } };
}

/** Tells the reader of the results what is missing of a video, or was changed in a way that they may notice. */
export function noteChanges(
  { name, info }: Pick<Video, 'name' | 'info'>,
  { stream, frameCount }: Read,
  run: Run,
): void {
  const missing = missingFrames(info, stream.packets, frameCount);
  if (missing !== 0) {
    const found =
      missing > 0
        ? `${missing} ${missing === 1 ? 'is' : 'are'} missing in its summary`
        : 'some are shown more than once';
    note(run, 'frame-count', `"${name}" stores ${stream.packets} pictures, but ${frameCount} frames could be read: ${found}.`); // prettier-ignore
  }
  if (stream.clock) {
    const times = stream.clock.length === 1 ? 'once' : `${stream.clock.length} times`;
    note(run, 'clock-restarts', `The clock of "${name}" restarts ${times}. It was continued: times count from the first picture on, as in editing systems, and summary.json has the times in the file.`); // prettier-ignore
  }
  const colours = wideColours(info);
  if (colours !== null && stream.sdr) {
    note(run, 'tone-mapped', `The colours of "${name}" (${colours}) were converted to those of ordinary screens.`);
  } else if (colours !== null) {
    note(run, 'not-tone-mapped', `The colours of "${name}" (${colours}) could not be converted to those of ordinary screens, because this ffmpeg has no zscale or tonemap filter: its pictures look pale. Unset FFMPEG_PATH to use the bundled one.`); // prettier-ignore
  }
  if (stream.resizes) {
    note(run, 'picture-changes', `The size or format of the pictures of "${name}" changes on the way. All were brought to ${info.widthPx}×${info.heightPx}.`); // prettier-ignore
  }
}

/**
 * Stored pictures without a frame; negative if there are more frames. A packet of VP8 may hold a picture that is never shown,
 * and one of an interlaced stream half a picture.
 */
function missingFrames({ codec, interlaced }: Video['info'], packets: number, frames: number): number {
  if (codec === 'vp8' && packets > frames) return 0;
  return interlaced && Math.abs(packets - 2 * frames) <= 1 ? 0 : packets - frames;
}

/** What the record says about how a video was read; `undefined` if its frames are as they are stored. */
export function normalisedOf(info: Video['info'], { stream, frameCount }: Read): VideoSummary['normalised'] {
  const { num, den } = info.sampleAspect;
  const changes = {
    ...(missingFrames(info, stream.packets, frameCount) === 0 ? {} : { packets: stream.packets }),
    ...(stream.clock ? { clock: stream.clock.map(({ ticks, fileTicks }) => ({ ticks, fileTicks })) } : {}),
    ...(stream.resizes ? { resized: true } : {}),
    ...(stream.sdr ? { colours: wideColours(info)!, whiteNits: stream.sdr.white } : {}),
    ...(info.interlaced ? { deinterlaced: true } : {}),
    ...(info.rotationDeg ? { rotatedDeg: info.rotationDeg } : {}),
    ...(num === den ? {} : { squarePixels: true }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}
