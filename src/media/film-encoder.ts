import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';

import { CancelledError, mapLimited, MediaError, type Rational } from '../base/index.js';
import { chapterFeed, chapterInput, type FilmChapter } from './chapters.js';
import { tagColours } from './colour.js';
import { passEveryFrame } from './decode.js';
import { readPart } from './film-parts.js';
import { asPipeGroup, pipeInput } from './process.js';
import { encode, runEncoder, writeTo, WrongCount, type Feed, type FilmHooks } from './encoder.js';
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

/** Part of cache keys. Raise it when the same pictures would be encoded to other bytes. */
export const PART_VERSION = 1;

/** A picture of a film and when it is shown. */
export type FilmPicture = { readonly pixels: Uint8Array; readonly ticks: number };

/** A piece of a film whose pictures depend on nothing before or behind it, so that it can be encoded by itself. */
export type FilmPart = {
  /** Length, in ticks of the film. */
  readonly ticks: number;
  /** All that decides its pictures, with the content of its sources; `null` if it is not worth keeping. */
  readonly identity: unknown;
  /** Its pictures in order, with ticks from its own start. */
  pictures(signal: AbortSignal): AsyncGenerator<FilmPicture>;
};

/** What a film shows, part after part, and its sound, which stops when `signal` aborts. */
type FilmFeed = {
  readonly parts: readonly FilmPart[];
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

/**
 * Writes a film. MP4 is encoded part by part, several at a time, and joined: each part begins with a key picture, so the
 * bytes depend on the parts alone. Other formats have one encoder, which gets pictures and sound at the same time.
 */
export async function writeFilm(plan: FilmPlan, feed: FilmFeed, hooks: FilmHooks = {}): Promise<void> {
  if (plan.format === 'mp4') return writeInParts(plan, feed, hooks);
  const sound = feed.sound?.bind(feed);
  const args = await encodeArguments(plan, sound !== undefined);
  const chapters = chapterFeed(plan.chapters ?? [], plan.ticks, plan.timeBase);
  await runEncoder(args, [picturesOf(plan, feed.parts), ...(sound ? [sound] : []), ...chapters], plan, hooks);
}

/** Gives the pictures of parts to an encoder. The next part is opened while one plays; its first picture waits. */
function picturesOf({ widthPx, heightPx }: Pick<FilmPlan, 'widthPx' | 'heightPx'>, parts: readonly FilmPart[]): Feed {
  return async (sink, signal) => {
    const open = (part: FilmPart | undefined) => {
      const pictures = part?.pictures(signal);
      const first = pictures?.next();
      // A failure is thrown when the part's turn comes; until then it must not count as unhandled.
      first?.catch(() => undefined);
      return pictures && { pictures, first: first! };
    };
    await writeTo(sink, framesHeader(widthPx, heightPx));
    let before = 0;
    let ahead = open(parts[0]);
    try {
      for (const [at, { ticks: length }] of parts.entries()) {
        const { pictures, first } = ahead!;
        ahead = open(parts[at + 1]);
        try {
          for (let next = await first; !next.done; next = await pictures.next()) {
            await writeTo(sink, frameHeader(before + next.value.ticks, next.value.pixels.length));
            await writeTo(sink, next.value.pixels);
            if (signal.aborted) throw new CancelledError();
          }
        } finally {
          await pictures.return(undefined);
        }
        before += length;
      }
    } finally {
      await ahead?.first.catch(() => undefined);
      await ahead?.pictures.return(undefined);
    }
  };
}

/** Encodes the parts, several at a time, into files next to the film, and joins those that are there in order. */
async function writeInParts(plan: FilmPlan, feed: FilmFeed, hooks: FilmHooks): Promise<void> {
  const { parts } = feed;
  const stop = new AbortController();
  const signal = hooks.signal ? AbortSignal.any([hooks.signal, stop.signal]) : stop.signal;
  const files = parts.map((_, at) => `${plan.output}.part-${at}`);
  const written = (): number => {
    let sum = 0;
    for (const path of [plan.output, ...files]) {
      const facts = statSync(path, { throwIfNoEntry: false });
      if (facts) sum += facts.size + facts.mtimeMs;
    }
    return sum;
  };
  const counts = parts.map(() => 0);
  const count = (at: number, frames: number): void => {
    counts[at] = frames;
    hooks.onFrames?.(counts.reduce((sum, each) => sum + each, 0));
  };
  const made: number[] = [];
  const waiting = parts.map(() => newPromise());
  const encodeParts = async (): Promise<void> => {
    await mapLimited(parts, hooks.workers ?? 1, async (part, at) => {
      if (signal.aborted) throw new CancelledError();
      const known = part.identity === null ? null : await hooks.parts?.recall(part.identity, files[at]!);
      if (known) {
        count(at, known);
      } else {
        const own = { ...plan, ticks: part.ticks, chapters: [], output: files[at]!, frames: null };
        const onFrames = (frames: number): void => count(at, frames);
        const args = await encodeArguments(own, false, true);
        count(at, await encode(args, [picturesOf(own, [part])], own, { signal, onFrames }));
        made.push(at);
      }
      waiting[at]!.resolve();
    });
    const frames = counts.reduce((sum, each) => sum + each, 0);
    if (plan.frames !== null && frames !== plan.frames) throw new WrongCount(plan.output, plan.frames, frames);
  };
  const work = async (): Promise<void> => {
    const failures: unknown[] = [];
    const attempt = (task: Promise<void>): Promise<void> =>
      task.catch((error: unknown) => {
        failures.push(error);
        stop.abort();
        for (const each of waiting) each.reject(new CancelledError());
      });
    const encoding = attempt(encodeParts());
    const ready = async (at: number): Promise<string> => (await waiting[at]!.promise, files[at]!);
    await Promise.all([encoding, attempt(joinParts(plan, feed, ready, { signal }))]);
    if (hooks.signal?.aborted) throw new CancelledError();
    if (failures.length > 0) throw failures.find((error) => !(error instanceof CancelledError)) ?? failures[0];
    for (const at of made) {
      const { identity } = parts[at]!;
      if (identity !== null) await hooks.parts?.keep(identity, files[at]!, counts[at]!);
    }
  };
  try {
    await asPipeGroup(written, work);
  } finally {
    for (const file of files) await rm(file, { force: true });
  }
}

/** Joins encoded parts, as they become ready, with the sound and the chapters of the film. */
async function joinParts(
  plan: FilmPlan,
  { parts, sound }: FilmFeed,
  ready: (at: number) => Promise<string>,
  hooks: Pick<FilmHooks, 'signal'>,
): Promise<void> {
  const { num, den } = plan.timeBase;
  const titled = plan.chapters ?? [];
  const chapters = chapterInput(titled, sound ? { fd: 5, input: 2 } : { fd: 4, input: 1 });
  // A picture is stored before it is shown, by less than the length of its part.
  const delay = num * Math.max(...parts.map(({ ticks }) => ticks));
  const pictures: Feed = async (sink, signal) => {
    let header: Buffer | null = null;
    let before = 0;
    for (const [at, { ticks }] of parts.entries()) {
      const file = await ready(at);
      for await (const piece of readPart(file, before * num + delay, signal)) {
        if (piece.kind === 'data') await writeTo(sink, piece.bytes);
        else if (header === null) await writeTo(sink, (header = piece.bytes));
        else if (!header.equals(piece.bytes)) throw unlikeParts(plan.output);
      }
      before += ticks;
    }
  };
  const args = [
    ...['-copyts', ...pipeInput('mov', 3), ...(sound ? SOUND_INPUT : []), ...chapters.input],
    ...['-map', '0:v', '-c:v', 'copy', '-bsf:v', `setts=pts=PTS-${delay}:dts=DTS-${delay}`],
    ...(sound ? ['-map', '1:a', ...soundCodec(plan.format)] : []),
    ...[...chapters.output, '-video_track_timescale', String(den), ...CODECS.mp4.file],
  ];
  const marks = chapterFeed(titled, plan.ticks, plan.timeBase);
  // ffmpeg does not report how many frames it copied; they were counted as they were encoded.
  await encode(args, [pictures, ...(sound ? [sound] : []), ...marks], { ...plan, frames: null }, hooks);
}

type Waiting = { readonly promise: Promise<void>; resolve(): void; reject(error: unknown): void };

function newPromise(): Waiting {
  let [resolve, reject]: [() => void, (error: unknown) => void] = [() => undefined, () => undefined];
  const promise = new Promise<void>((done, fail) => ([resolve, reject] = [done, fail]));
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** How a part is stored: in fragments, whose times count from its first picture. */
const FRAGMENTS = ['-movflags', 'empty_moov+default_base_moof+frag_keyframe', '-f', 'mp4'];

async function encodeArguments(plan: FilmPlan, withSound: boolean, isPart = false): Promise<string[]> {
  const { major } = await locateFfmpeg();
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
    ...(isPart ? FRAGMENTS : codecs.file),
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

function unlikeParts(output: string): MediaError {
  return new MediaError(
    'film-incomplete',
    `Expected the encoder to write all parts of the film "${output}" alike, found different settings. Please report this.`,
  );
}
