import { MediaError, toSeconds } from '../../base/index.js';
import { poolPictures, type Extractor } from '../../features/index.js';
import { decode, type VideoInfo } from '../../media/index.js';
import type { Shot } from '../../shots/index.js';

/** Clips in the network at a time. */
const IN_FLIGHT = 4;

type Course = {
  readonly signal?: AbortSignal | undefined;
  readonly threads: number;
  readonly onFrame?: (frames: number, seconds: number) => void;
  /** Half the video's length in seconds: the first reading was the first half of the work. */
  readonly half: number;
};

/**
 * The vectors of the shots, in order, from the clips inside them: consecutive frames at the video's own rate. The first clip
 * begins with the shot, the next ones every so many frames, and none reaches past its end. A shot shorter than a clip gives
 * one clip that repeats its last frame. A few clips are in memory at a time.
 */
export async function* embedClips(
  info: VideoInfo,
  shots: readonly Shot[],
  extractor: Extractor,
  { signal, threads, onFrame, half }: Course,
): AsyncGenerator<Float32Array> {
  const { sample, dim } = extractor;
  const decoding = decode(info, [{ name: 'clip', ...sample, every: 1 }], { signal, threads });
  const collector = clipCollector(sample.frames, sample.every);
  const inFlight = new Set<Promise<Float32Array>>();
  let at = 0;
  let first: number | null = null;
  let vectors: Promise<Float32Array>[] = [];
  for await (const frame of decoding.frames) {
    first ??= frame.ticks;
    onFrame?.(frame.index + 1, half + toSeconds(frame.ticks - first, info.timeBase) / 2);
    const shot = shots[at];
    if (shot === undefined || frame.index < shot.startFrame) continue;
    const isLast = frame.index === shot.endFrame - 1;
    for (const clip of collector.push(frame.pictures['clip'] as Uint8Array, isLast)) {
      while (inFlight.size >= IN_FLIGHT) await Promise.race(inFlight);
      const vector = extractor.embed(clip).finally(() => inFlight.delete(vector));
      // A failure is thrown when the shot is pooled; until then it must not count as unhandled.
      vector.catch(() => undefined);
      inFlight.add(vector);
      vectors.push(vector);
    }
    if (!isLast) continue;
    yield poolPictures(await Promise.all(vectors), dim);
    vectors = [];
    at++;
  }
  if (at < shots.length) throw readShorter(info);
}

/** The error for a second reading that gave fewer frames than the first. */
export function readShorter({ path }: VideoInfo): MediaError {
  return new MediaError(
    'source-changed',
    `Expected the same frames when "${path}" was read again, found fewer. Did the file change while it was read?`,
  );
}

/** Cuts the frames of shots into clips of `length` frames, one beginning every `every` frames. */
export function clipCollector(
  length: number,
  every: number,
): { push(frame: Uint8Array, isLastOfShot: boolean): Uint8Array[] } {
  let frames: Uint8Array[] = [];
  let [seen, given] = [0, 0];
  const join = (): Uint8Array => {
    const size = frames[0]!.length;
    const clip = new Uint8Array(length * size);
    for (let t = 0; t < length; t++) clip.set(frames[Math.min(t, frames.length - 1)]!, t * size);
    return clip;
  };
  return {
    push(frame, isLastOfShot) {
      frames.push(frame);
      if (frames.length > length) frames.shift();
      seen++;
      const clips: Uint8Array[] = [];
      if (seen >= length && (seen - length) % every === 0) clips.push(join());
      else if (isLastOfShot && given === 0) clips.push(join());
      given += clips.length;
      if (isLastOfShot) [frames, seen, given] = [[], 0, 0];
      return clips;
    },
  };
}
