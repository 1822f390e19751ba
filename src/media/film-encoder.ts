import type { Writable } from 'node:stream';

import { CancelledError, diskFullSentence, MediaError, type Rational } from '../base/index.js';
import { passEveryFrame } from './decode.js';
import { writeTo } from './pour.js';
import { lastComplaint, start } from './process.js';
import { SAMPLE_RATE } from './sound.js';
import { frameHeader, framesHeader, takeTicks } from './timed-frames.js';
import { locateFfmpeg } from './tools.js';
import type { Colour } from './types.js';

/** What a film is written as: MP4 (H.264 + AAC) or WebM (VP9 + Opus). */
export type FilmFormat = 'mp4' | 'webm';

/** What a small moving picture without sound is written as. */
export type PreviewFormat = 'gif' | 'webp';

/** A film to be written from raw yuv420p pictures and 32-bit float stereo sound. */
export type FilmPlan = {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly sampleAspect: Rational;
  readonly colour: Colour;
  readonly timeBase: Rational;
  /** Length of the film. */
  readonly ticks: number;
  readonly frames: number;
  readonly format: FilmFormat | PreviewFormat;
  readonly output: string;
};

/** Who delivers a film's pictures, in order, and its sound; each stops when `signal` says so. */
export type FilmFeed = {
  pictures(write: (pixels: Uint8Array, ticks: number) => Promise<void>, signal: AbortSignal): Promise<void>;
  sound?(sink: Writable, signal: AbortSignal): Promise<void>;
};

export type FilmHooks = {
  readonly signal?: AbortSignal | undefined;
  readonly onFrames?: ((frames: number) => void) | undefined;
};

/** Encoders' decisions depend on how many threads share a film, so the number is fixed: same input, same bytes. */
const ENCODER_THREADS = 4;

type Codecs = {
  readonly picture: readonly string[];
  readonly sound?: readonly string[];
  readonly file: readonly string[];
  /** Filters that the pictures need last. */
  readonly filters?: readonly string[];
};

const CODECS: Record<FilmFormat | PreviewFormat, Codecs> = {
  mp4: {
    picture: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18'],
    sound: ['-c:a', 'aac', '-b:a', '160k'],
    file: ['-movflags', '+faststart', '-f', 'mp4'],
  },
  webm: {
    picture: ['-c:v', 'libvpx-vp9', '-crf', '30', '-b:v', '0', '-deadline', 'good', '-cpu-used', '5', '-row-mt', '1'],
    sound: ['-c:a', 'libopus', '-b:a', '128k'],
    file: ['-f', 'webm'],
  },
  gif: {
    // One palette for all pictures, made of what changes between them; the pattern keeps flat parts still.
    filters: [
      'split[all][seen]',
      '[seen]palettegen=stats_mode=diff[palette]',
      '[all][palette]paletteuse=dither=bayer:bayer_scale=4',
    ],
    picture: ['-c:v', 'gif'],
    file: ['-loop', '0', '-f', 'gif'],
  },
  webp: { picture: ['-c:v', 'libwebp_anim', '-quality', '80'], file: ['-loop', '0', '-f', 'webp'] },
};

/**
 * Writes a film in one encoder, pictures and sound poured into it side by side. Whichever of the three fails stops the
 * others. A film with another number of frames than planned is an error, not a film.
 */
export async function writeFilm(plan: FilmPlan, feed: FilmFeed, hooks: FilmHooks = {}): Promise<void> {
  const [ffmpeg, codecs] = [await locateFfmpeg(), CODECS[plan.format]];
  const stop = new AbortController();
  const signal = hooks.signal ? AbortSignal.any([hooks.signal, stop.signal]) : stop.signal;
  const withSound = feed.sound !== undefined;
  const running = start(ffmpeg.path, encodeArguments(plan, withSound, ffmpeg.major), {
    pipes: withSound ? 2 : 1,
    signal,
  });
  let frames = 0;
  running.output(1).on('data', (text: Buffer) => {
    for (const match of text.toString().matchAll(/^frame=\s*(\d+)/gm)) frames = Number(match[1]);
    hooks.onFrames?.(frames);
  });
  const failures: unknown[] = [];
  const pour = async (fd: number, work: (sink: Writable) => Promise<void>): Promise<void> => {
    const sink = running.input(fd);
    // An encoder that fails stops reading; its own exit tells why.
    sink.on('error', () => undefined);
    try {
      await work(sink);
    } catch (error) {
      failures.push(error);
      stop.abort();
    } finally {
      sink.end();
    }
  };
  const ended = running.exited.finally(() => stop.abort());
  ended.catch(() => undefined);
  await Promise.all([
    pour(3, (sink) => pourPictures(plan, sink, feed, signal)),
    withSound ? pour(4, (sink) => feed.sound!(sink, signal)) : null,
  ]);
  const exit = await ended;
  if (hooks.signal?.aborted) throw new CancelledError();
  const failure = failures.find((error) => !(error instanceof CancelledError));
  if (failure !== undefined) throw failure;
  if (exit.code !== 0) throw encodeFailed(plan.output, running.errors);
  // A preview's pictures that do not differ become one.
  if (codecs.sound && frames !== plan.frames) {
    throw new MediaError(
      'film-incomplete',
      `Expected ${plan.frames} frames in the film "${plan.output}", the encoder wrote ${frames}. Please report this.`,
    );
  }
}

async function pourPictures(plan: FilmPlan, sink: Writable, feed: FilmFeed, signal: AbortSignal): Promise<void> {
  await writeTo(sink, framesHeader(plan.widthPx, plan.heightPx));
  await feed.pictures(async (pixels, ticks) => {
    await writeTo(sink, frameHeader(ticks, pixels.length));
    await writeTo(sink, pixels);
    if (signal.aborted) throw new CancelledError();
  }, signal);
}

function encodeArguments(plan: FilmPlan, withSound: boolean, major: number): string[] {
  const { timeBase, sampleAspect, colour } = plan;
  const codecs = CODECS[plan.format];
  const tags = Object.entries({
    range: colour.isFullRange ? 'pc' : 'tv',
    colorspace: colour.matrix,
    color_primaries: colour.primaries,
    color_trc: colour.transfer,
  }).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
  const filter = [
    ...takeTicks(timeBase),
    `setsar=${sampleAspect.num}/${sampleAspect.den}`,
    `setparams=${tags.join(':')}`,
  ].join(',');
  const filters = codecs.filters ? `${filter},${codecs.filters.join(';')}` : filter;
  return [
    ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'error', '-y', '-copyts'],
    ...['-probesize', '32', '-analyzeduration', '0', '-f', 'matroska', '-i', 'pipe:3'],
    ...(withSound ? ['-f', 'f32le', '-ar', String(SAMPLE_RATE), '-ac', '2', '-i', 'pipe:4'] : []),
    ...[
      '-map',
      '0:v',
      '-filter:v',
      filters,
      ...passEveryFrame(major),
      '-enc_time_base:v',
      `${timeBase.num}/${timeBase.den}`,
    ],
    ...[...codecs.picture, '-threads:v', String(ENCODER_THREADS)],
    // Each picture is said to last until the film ends; only what is said of the last one written is kept.
    ...['-bsf:v', `setts=pts=PTS:dts=DTS:duration=min(${plan.ticks}-PTS\\,${plan.ticks}-DTS+STARTDTS)`],
    ...(withSound ? ['-map', '1:a', ...(codecs.sound ?? [])] : []),
    ...(plan.format === 'mp4' ? ['-video_track_timescale', String(timeBase.den)] : []),
    ...['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact'],
    ...['-progress', 'pipe:1', ...codecs.file, `file:${plan.output}`],
  ];
}

function encodeFailed(output: string, errors: readonly string[]): MediaError {
  if (errors.some((line) => line.includes('No space left'))) {
    return new MediaError('disk-full', diskFullSentence(output));
  }
  return new MediaError('encode-failed', `Could not write the film "${output}" (${lastComplaint(errors)}).`);
}
