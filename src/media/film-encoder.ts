import type { Writable } from 'node:stream';

import { CancelledError, type Rational } from '../base/index.js';
import { chapterFeed, chapterInput, type FilmChapter } from './chapters.js';
import { tagColours } from './colour.js';
import { passEveryFrame } from './decode.js';
import { pipeInput } from './process.js';
import { runEncoder, writeTo, type Feed, type FilmHooks } from './encoder.js';
import { SAMPLE_RATE } from './sound.js';
import { locateFfmpeg } from './tools.js';
import type { Colour } from './types.js';

/** The format of a film: MP4 (H.264 + AAC) or WebM (VP9 + Opus). */
export type FilmFormat = 'mp4' | 'webm';

/** The format of a small animated picture without sound. */
export type PreviewFormat = 'gif' | 'webp';

/** A film to be written from raw yuv420p pictures and 32-bit float stereo sound. */
type FilmPlan = {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly sampleAspect: Rational;
  readonly colour: Colour;
  readonly timeBase: Rational;
  /** Length of the film. */
  readonly ticks: number;
  /** The film must have exactly as many frames; `null` for previews, where equal pictures become one. */
  readonly frames: number | null;
  readonly format: FilmFormat | PreviewFormat;
  /** In ticks of `timeBase`, in order; none for previews. */
  readonly chapters?: readonly FilmChapter[] | undefined;
  readonly output: string;
};

/** Delivers the pictures of a film, in order, and its sound; each stops when `signal` aborts. */
type FilmFeed = {
  pictures(write: (pixels: Uint8Array, ticks: number) => Promise<void>, signal: AbortSignal): Promise<void>;
  sound?(sink: Writable, signal: AbortSignal): Promise<void>;
};

/**
 * With several threads, x264 gives different bytes when the machine is busy (4 outputs in 60 runs on one input; with one
 * thread, 1 output in 40 runs). Films of several videos are still encoded in parallel.
 */
export const X264_THREADS = ['-threads:v', '1'] as const;

type Codecs = {
  readonly picture: readonly string[];
  readonly sound?: readonly string[];
  readonly file: readonly string[];
  /** Filters that the pictures need last. */
  readonly filters?: readonly string[];
};

const CODECS: Record<FilmFormat | PreviewFormat, Codecs> = {
  mp4: {
    picture: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', ...X264_THREADS],
    sound: ['-c:a', 'aac', '-b:a', '160k'],
    file: ['-movflags', '+faststart', '-f', 'mp4'],
  },
  webm: {
    picture: '-c:v libvpx-vp9 -crf 30 -b:v 0 -deadline good -cpu-used 5 -threads:v 4'.split(' '),
    sound: ['-c:a', 'libopus', '-b:a', '128k'],
    file: ['-f', 'webm'],
  },
  gif: {
    // One palette for all pictures, made from what changes between them; the pattern keeps flat areas still.
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

/** Input arguments for the sound of a film, after those for the pictures. */
export const SOUND_INPUT = ['-ar', String(SAMPLE_RATE), '-ac', '2', ...pipeInput('f32le', 4)];

/** Output arguments for the sound of a film. */
export function soundCodec(format: FilmFormat | PreviewFormat): readonly string[] {
  return CODECS[format].sound ?? [];
}

/** Writes a film with one encoder, which gets pictures and sound at the same time. */
export async function writeFilm(plan: FilmPlan, feed: FilmFeed, hooks: FilmHooks = {}): Promise<void> {
  const { major } = await locateFfmpeg();
  const pictures: Feed = async (sink, signal) => {
    await writeTo(sink, framesHeader(plan.widthPx, plan.heightPx));
    const write = async (pixels: Uint8Array, ticks: number): Promise<void> => {
      await writeTo(sink, frameHeader(ticks, pixels.length));
      await writeTo(sink, pixels);
      if (signal.aborted) throw new CancelledError();
    };
    await feed.pictures(write, signal);
  };
  const sound = feed.sound?.bind(feed);
  const args = encodeArguments(plan, sound !== undefined, major);
  const chapters = chapterFeed(plan.chapters ?? [], plan.ticks, plan.timeBase);
  await runEncoder(args, [pictures, ...(sound ? [sound] : []), ...chapters], plan, hooks);
}

function encodeArguments(plan: FilmPlan, withSound: boolean, major: number): string[] {
  const { timeBase, sampleAspect, colour } = plan;
  const codecs = CODECS[plan.format];
  const shape = `setsar=${sampleAspect.num}/${sampleAspect.den}`;
  const filter = [...takeTicks(timeBase), shape, tagColours(colour)].join(',');
  const place = withSound ? { fd: 5, input: 2 } : { fd: 4, input: 1 };
  const chapters = chapterInput(plan.chapters ?? [], place);
  const filters = codecs.filters ? `${filter},${codecs.filters.join(';')}` : filter;
  return [
    ...['-copyts', '-probesize', '32', '-analyzeduration', '0', ...pipeInput('matroska', 3)],
    ...(withSound ? SOUND_INPUT : []),
    ...chapters.input,
    ...['-map', '0:v', '-filter:v', filters],
    ...[...passEveryFrame(major), '-enc_time_base:v', `${timeBase.num}/${timeBase.den}`],
    ...codecs.picture,
    // Every picture is stated to last until the film ends; only the duration of the last one written counts.
    ...['-bsf:v', `setts=pts=PTS:dts=DTS:duration=min(${plan.ticks}-PTS\\,${plan.ticks}-DTS+STARTDTS)`],
    ...(withSound ? ['-map', '1:a', ...soundCodec(plan.format)] : []),
    ...chapters.output,
    ...(plan.format === 'mp4' ? ['-video_track_timescale', String(timeBase.den)] : []),
    ...codecs.file,
  ];
}

/**
 * Raw pictures with exact times on a pipe, as the smallest Matroska (RFC 9559) that a decoder accepts: plain rawvideo has no
 * times. Its clock counts seconds, and one second means one tick; a filter of the reader (`takeTicks`) undoes that.
 */
const NANOSECONDS_A_TICK = 1_000_000_000;

/** The bytes before the first picture: one track of yuv420p pictures. */
function framesHeader(widthPx: number, heightPx: number): Buffer {
  return Buffer.concat([
    element(0x1a45dfa3, element(0x4282, Buffer.from('matroska'))),
    // A segment of unknown length: it ends with the pipe.
    Buffer.from('1853806701ffffffffffffff', 'hex'),
    element(0x1549a966, element(0x2ad7b1, uint(NANOSECONDS_A_TICK))),
    element(
      0x1654ae6b,
      element(
        0xae,
        ...[element(0xd7, uint(1)), element(0x73c5, uint(1)), element(0x83, uint(1))],
        element(0x86, Buffer.from('V_UNCOMPRESSED')),
        element(
          0xe0,
          ...[element(0xb0, uint(widthPx)), element(0xba, uint(heightPx)), element(0x2eb524, Buffer.from('I420'))],
        ),
      ),
    ),
  ]);
}

/** The bytes before each picture, which is a cluster of its own with its time. */
function frameHeader(ticks: number, bytes: number): Buffer {
  const block = Buffer.from([0x81, 0, 0, 0x80]);
  const time = element(0xe7, uint(ticks));
  const opening = opened(0xa3, block.length + bytes);
  return Buffer.concat([opened(0x1f43b675, time.length + opening.length + block.length + bytes), time, opening, block]);
}

/** Filters that convert the times of such a pipe to ticks of `num/den` seconds, exact below 2⁵² ticks. */
function takeTicks({ num, den }: { num: number; den: number }): string[] {
  return [`settb=${num}/${den}`, `setpts='floor(PTS*${num}/${den}+0.5)'`];
}

function element(id: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([opened(id, length), ...parts]);
}

/** The id and length of an element; lengths take eight bytes. */
function opened(id: number, length: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE((1n << 56n) | BigInt(length));
  return Buffer.concat([uint(id), size]);
}

function uint(value: number): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}
