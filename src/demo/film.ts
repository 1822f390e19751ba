import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CancelledError, diskFullSentence, MediaError, messageOf, random } from '../base/index.js';
import { lastComplaint, pipeInput, startFfmpeg } from '../media/index.js';
import { synthesize, SAMPLE_RATE } from './sound.js';
import { aimAt, type Aim, paintScene, type Set } from './stage.js';
import { Canvas } from './canvas.js';
import type { SceneName } from './scenes/index.js';
import type { Film, Take, Defect } from './topic.js';

/** What `drawFilm` needs to draw a film. */
export type Studio = {
  readonly ffmpeg: string;
  readonly path: string;
  openSet(scene: SceneName): Promise<Set>;
  onFrame(): void;
  readonly signal?: AbortSignal;
};

/** Draws a film frame by frame as an mp4 (H.264 and AAC), written next to `path` first, then renamed. */
export async function drawFilm(film: Film, studio: Studio): Promise<void> {
  const part = resolve(`${studio.path}.part`);
  // Whatever has that name is removed: through a link, the encoder would write elsewhere.
  await rm(part, { force: true });
  const running = await startFfmpeg(encoderArgs(film, part), {
    ...{ program: studio.ffmpeg, signal: studio.signal, stdin: true, pipes: 1 },
  });
  const ended = running.exited.catch((error: unknown) => {
    if (error instanceof MediaError) throw error;
    throw new MediaError('encode-failed', `Could not start "${studio.ffmpeg}": ${messageOf(error)}`, { cause: error });
  });
  // Awaited below, once the pipes are done; until then a failed start must not count as unhandled.
  ended.catch(() => undefined);
  try {
    // An encoder that fails closes its pipes; its exit code below is more informative than EPIPE.
    const fed = await Promise.allSettled([
      writeAll(paintFrames(film, studio), running.input(0)),
      writeAll(playTakes(film), running.input(3)),
    ]);
    const { code } = await ended;
    if (studio.signal?.aborted) throw new CancelledError();
    if (code !== 0) throw complaintOf(running.errors, studio.path);
    for (const result of fed) if (result.status === 'rejected') throw result.reason;
    await rename(part, studio.path);
  } catch (error) {
    running.kill();
    await ended.catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}

function complaintOf(errors: readonly string[], path: string): MediaError {
  return errors.some((line) => line.includes('No space left'))
    ? new MediaError('disk-full', diskFullSentence(path))
    : new MediaError('encode-failed', `Could not write "${path}": ${lastComplaint(errors)}`);
}

function encoderArgs(film: Film, path: string): string[] {
  const colour = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
  const { num, den } = film.frameRate;
  return [
    ...['-loglevel', 'error', '-y', '-pix_fmt', 'yuv420p', '-s', `${film.widthPx}x${film.heightPx}`],
    ...['-framerate', `${num}/${den}`, ...pipeInput('rawvideo', 0)],
    ...['-ar', String(SAMPLE_RATE), '-ac', '2', ...pipeInput('s16le', 3), '-map', '0:v', '-map', '1:a'],
    // One thread and no dates or versions in the file: the same topic is the same bytes.
    ...['-c:v', 'libx264', '-preset', 'superfast', '-crf', '22', '-g', '50', '-threads', '1', ...colour],
    ...['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart', '-bitexact', '-f', 'mp4', `file:${path}`],
  ];
}

async function writeAll(chunks: AsyncIterable<Uint8Array>, pipe: Writable): Promise<void> {
  await pipeline(Readable.from(chunks, { highWaterMark: 2 }), pipe);
}

async function* paintFrames(film: Film, studio: Studio): AsyncGenerator<Uint8Array> {
  const canvas = new Canvas(film.widthPx, film.heightPx, film.grade, film.seed);
  let frame = 0;
  for (const [index, take] of film.takes.entries()) {
    const set = await studio.openSet(take.scene);
    const next = film.takes[index + 1];
    const nextSet = next && next.dissolve > 0 ? await studio.openSet(next.scene) : null;
    const before = film.takes[index - 1];
    const beforeSet = before && take.dissolve > 0 ? await studio.openSet(before.scene) : null;
    for (let i = 0; i < take.frames; i++, frame++) {
      const picture = shoot(canvas, film, take, set, i, frame);
      const [into, outOf] = [i - take.frames + (next?.dissolve ?? 0) / 2, take.dissolve / 2 - i];
      if (next && nextSet && into >= 0) {
        blendInto(picture, shoot(canvas, film, next, nextSet, i - take.frames, frame), (into + 0.5) / next.dissolve);
      } else if (before && beforeSet && outOf > 0) {
        blendInto(
          picture,
          shoot(canvas, film, before, beforeSet, before.frames + i, frame),
          (outOf - 0.5) / take.dissolve,
        );
      }
      studio.onFrame();
      yield picture;
    }
  }
}

/** Frame `i` of the take; dissolves need a few before its first and after its last. */
function shoot(canvas: Canvas, film: Film, take: Take, set: Set, i: number, frame: number): Uint8Array {
  if (take.defect === 'frozen' && i >= HELD.from * take.frames && i < HELD.to * take.frames) {
    // A freeze repeats one frame, grain included.
    const first = Math.ceil(HELD.from * take.frames);
    [i, frame] = [first, frame - i + first];
  }
  const seconds = (i * film.frameRate.den) / film.frameRate.num;
  const share = Math.min(1, Math.max(0, i / Math.max(1, take.frames - 1)));
  const seed = film.seed * 100 + film.takes.indexOf(take);
  const steady = aimAt(take.move, share, seconds, film.widthPx / film.heightPx, seed);
  const aim = take.defect === 'shaken' ? jolt(steady, random(seed * 1000 + i)) : steady;
  paintScene(canvas, set, aim, take.clock + seconds);
  return spoil(canvas.develop(frame), canvas, take.defect);
}

/** The stretch of a frozen take that stands still, as shares of it. */
const HELD = { from: 0.15, to: 0.85 };
/** How far a shaken camera jumps from one frame to the next, as a share of the height of the picture. */
const JOLT = 0.12;

function jolt({ x, y, height }: Aim, dice: ReturnType<typeof random>): Aim {
  const jump = (): number => height * JOLT * (2 * dice.next() - 1);
  return { x: x + jump(), y: y + jump(), height };
}

/** Makes the pixels of a finished picture (yuv420p) bad in the way named; returns the same array. */
function spoil(yuv: Uint8Array, { widthPx, heightPx }: Canvas, defect: Defect | undefined): Uint8Array {
  const [luma, blue, red] = [widthPx * heightPx, (widthPx * heightPx) / 4, (widthPx * heightPx) / 4];
  const planes = [yuv.subarray(0, luma), yuv.subarray(luma, luma + blue), yuv.subarray(luma + blue, luma + blue + red)];
  if (defect === 'black') {
    // As with a lens cap on: little light, and the grain.
    for (const [at, plane] of planes.entries())
      for (let i = 0; i < plane.length; i++)
        plane[i] = at === 0 ? 16 + (plane[i]! - 16) / 25 : 128 + (plane[i]! - 128) / 25;
  } else if (defect === 'exposed') {
    for (let i = 0; i < luma; i++) yuv[i] = Math.min(235, 90 + 1.9 * (yuv[i]! - 16));
    for (const plane of planes.slice(1)) for (let i = 0; i < plane.length; i++) plane[i] = 128 + (plane[i]! - 128) / 3;
  } else if (defect === 'bars') {
    for (const [at, plane] of planes.entries()) {
      const width = at === 0 ? widthPx : widthPx / 2;
      for (let i = 0; i < plane.length; i++) plane[i] = BARS[Math.floor(((i % width) * BARS.length) / width)]![at]!;
    }
  } else if (defect === 'blurred') {
    for (const [at, plane] of planes.entries()) {
      const [width, height] = at === 0 ? [widthPx, heightPx] : [widthPx / 2, heightPx / 2];
      const reach = Math.max(1, Math.round(BLUR * width));
      for (let turn = 0; turn < 3; turn++) {
        for (let y = 0; y < height; y++) smooth(plane, y * width, 1, width, reach);
        for (let x = 0; x < width; x++) smooth(plane, x, width, height, reach);
      }
    }
  }
  return yuv;
}

/** Grey, yellow, cyan, green, magenta, red and blue at 75 % in BT.709. */
const BARS = [[180, 128, 128], [168, 44, 136], [145, 147, 44], [133, 63, 52], [63, 193, 204], [51, 109, 212], [28, 212, 120]] as const; // prettier-ignore
/** How far a lens that is out of focus spreads a point, as a share of the width; done three times. */
const BLUR = 0.02;

/** Each of `count` pixels from `first` on, `step` apart, becomes the mean of those within `reach`. */
function smooth(plane: Uint8Array, first: number, step: number, count: number, reach: number): void {
  const line = Uint8Array.from({ length: count }, (_, i) => plane[first + i * step]!);
  const at = (i: number): number => line[Math.min(count - 1, Math.max(0, i))]!;
  let sum = 0;
  for (let i = -reach; i <= reach; i++) sum += at(i);
  for (let i = 0; i < count; i++) {
    plane[first + i * step] = Math.round(sum / (2 * reach + 1));
    sum += at(i + reach + 1) - at(i - reach);
  }
}

function blendInto(picture: Uint8Array, other: Uint8Array, share: number): void {
  const weight = Math.round(share * 256);
  for (let i = 0; i < picture.length; i++) picture[i] = (picture[i]! * (256 - weight) + other[i]! * weight) >> 8;
}

async function* playTakes(film: Film): AsyncGenerator<Uint8Array> {
  let [frame, sample] = [0, 0];
  for (const [index, take] of film.takes.entries()) {
    frame += take.frames;
    const end = Math.round((frame * film.frameRate.den * SAMPLE_RATE) / film.frameRate.num);
    yield synthesize(take.scene, end - sample, take.clock, film.seed * 1000 + index);
    sample = end;
  }
}
