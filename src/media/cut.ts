import { MediaError, toSeconds } from '../base/index.js';
import { pictureBytes, type PictureSize } from './blend.js';
import { colourFilters, filmColour } from './colour.js';
import { writeFilm, type FilmFormat, type FilmHooks } from './film-encoder.js';
import { evenGain, measureLoudness } from './loudness.js';
import { pourSound, sliceSound, type Stretch } from './sound.js';
import { isSeekable, readStretch, SeekMissed, withoutMissedSeeks, type FrameSource } from './stretch.js';

export type CutRequest = FrameSource & {
  /** What the film plays, in film order, in source ticks. */
  readonly stretches: readonly Stretch[];
  /** Frames the stretches hold, as counted when the file was analysed. The film must have exactly these. */
  readonly frameCount: number;
  /** Sound track to carry over; `null` for a silent film. */
  readonly soundTrack: number | null;
  /** Bring the sound to the loudness of films of many sources; absent = leave it as it is. */
  readonly evenLoudness?: boolean;
  readonly format: FilmFormat;
  /** Where the film goes; the caller renames it into place. */
  readonly output: string;
};

/** A jump decodes from a key picture on, often 250 frames: a shorter gap is cheaper to read through. */
const WORTH_A_JUMP_SECONDS = 10;
/** Stretches read in one go; each takes about 50 characters of a command line, which systems limit. */
const MOST_STRETCHES = 400;

/**
 * Encodes stretches of one source, joined. Every picture keeps its own duration: frame k of the film is shown at
 * pts − start(stretch) + total length of the stretches before,  so a variable rate stays variable and a steady one
 * steady. Size, shape and rate are the source's; rotation is applied. Long gaps are jumped over where that is exact.
 */
export async function encodeCuts(request: CutRequest, hooks: FilmHooks = {}): Promise<void> {
  await withoutMissedSeeks((maySeek) => encodeOnce(request, maySeek, hooks));
}

async function encodeOnce(request: CutRequest, maySeek: boolean, hooks: FilmHooks): Promise<void> {
  const { info, timeBase, stretches, soundTrack } = request;
  // The form every player takes stores colour for 2×2 pixels: an odd last row or column goes.
  const size = { widthPx: info.widthPx - (info.widthPx % 2), heightPx: info.heightPx - (info.heightPx % 2) };
  const plan = {
    ...{ ...size, timeBase, frames: request.frameCount, format: request.format, output: request.output },
    sampleAspect: info.sampleAspect,
    colour: filmColour(info),
    ticks: stretches.reduce((ticks, { start, end }) => ticks + end - start, 0),
  };
  const seeks = maySeek && isSeekable(request);
  const sound = soundTrack === null ? null : { path: info.path, track: soundTrack, base: timeBase, maySeek: seeks };
  await writeFilm(
    plan,
    {
      pictures: (write, signal) => pourPictures(request, size, { maySeek: seeks, write, signal }),
      ...(sound && {
        sound: async (sink, signal) => {
          const gain = request.evenLoudness
            ? evenGain(await measureLoudness(sound, sliceSound(stretches, timeBase), signal))
            : 1;
          await pourSound({ ...sound, gain }, stretches, sink, signal);
        },
      }),
    },
    hooks,
  );
}

type Pouring = {
  readonly maySeek: boolean;
  readonly signal: AbortSignal;
  readonly write: (pixels: Uint8Array, ticks: number) => Promise<void>;
};

async function pourPictures(request: CutRequest, size: PictureSize, to: Pouring): Promise<void> {
  const { info, frameCount } = request;
  const isOdd = info.widthPx !== size.widthPx || info.heightPx !== size.heightPx;
  const filters = [...(isOdd ? [`crop=${size.widthPx}:${size.heightPx}:0:0`] : []), ...colourFilters(info)];
  let [frames, before] = [0, 0];
  for (const stretches of readTogether(request, to.maySeek)) {
    const how = { filters, frameBytes: pictureBytes(size), maySeek: to.maySeek };
    const reading = await readStretch({ ...request, ...how, stretches }, to.signal);
    try {
      let place = 0;
      for (let index = 0; ; index++) {
        const picture = await reading.next();
        if (picture === null) break;
        const tick = await reading.tickOf(index);
        if (tick === undefined || ++frames > frameCount) break;
        while (tick >= stretches[place]!.end) before += lengthOf(stretches[place++]!);
        await to.write(picture, before + tick - stretches[place]!.start);
      }
      before += stretches.slice(place).reduce((ticks, stretch) => ticks + lengthOf(stretch), 0);
    } finally {
      reading.kill();
    }
  }
  if (frames === frameCount) return;
  if (to.maySeek) throw new SeekMissed(info.path);
  throw new MediaError(
    'film-incomplete',
    `Expected ${frameCount} frames in the film of "${info.path}", the decoder gave ${frames}. Did the file change while it was read?`,
  );
}

function lengthOf({ start, end }: Stretch): number {
  return end - start;
}

/** Stretches that one reading covers: those between gaps that are worth a jump. */
function readTogether({ stretches, timeBase }: CutRequest, maySeek: boolean): Stretch[][] {
  const groups: Stretch[][] = [];
  for (const stretch of stretches) {
    const group = groups.at(-1);
    const gap = toSeconds(stretch.start - (group?.at(-1)?.end ?? stretch.start), timeBase);
    const joins = group && group.length < MOST_STRETCHES && !(maySeek && gap > WORTH_A_JUMP_SECONDS);
    if (joins) group.push(stretch);
    else groups.push([stretch]);
  }
  return groups;
}
