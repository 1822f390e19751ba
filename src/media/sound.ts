import type { Writable } from 'node:stream';

import { bytesOf, CancelledError, rescale, type Rational } from '../base/index.js';
import { writeTo } from './encoder.js';
import { inputOf, newMark, requireOwnEnd, startFfmpeg, workLimitMs, lastComplaint } from './process.js';
import type { Stretch } from './types.js';

/** The sound of films: 48,000 stereo samples per second. */
export const SAMPLE_RATE = 48_000;
/** Films are stereo. */
export const CHANNELS = 2;
const BYTES_PER_SAMPLE = CHANNELS * Float32Array.BYTES_PER_ELEMENT;
/** The clock that counts samples. */
export const SAMPLE_CLOCK: Rational = { num: 1, den: SAMPLE_RATE };

/** Sound fades over this many samples (4 ms) at each join, so that a cut never clicks. */
export const FADE_SAMPLES = 192;

/** One sound track of a file. */
export type SoundSource = {
  readonly path: string;
  readonly track: number;
  readonly maySeek: boolean;
  /** Filters that continue its clock where that restarts, as by `soundClockFilters`. */
  readonly clock?: readonly string[];
  /** Containers that hold only sound are read too. */
  readonly isMusic?: boolean;
};

/** Sound from some sample on: interleaved stereo, silence where the source has none and after its end. */
export type SoundReading = {
  read(samples: number): Promise<Float32Array>;
  /** Samples read so far, without the silence after the end. */
  decoded(): number;
  kill(): void;
};

/** The sound of a stretch: where it begins in the source, and how many samples of the film it fills. */
export type Slice = { readonly from: number; readonly length: number };

/**
 * Rounds film time to samples in total, not stretch by stretch, so that sound never drifts from the picture: stretch k fills
 * samples [round(T_k), round(T_k+1)) of the film, where T_k is the total length of the stretches before it.
 */
export function sliceSound(stretches: readonly Stretch[], base: Rational): Slice[] {
  let filmTicks = 0;
  return stretches.map(({ start: from, end }) => {
    const filled = rescale(filmTicks, base, SAMPLE_CLOCK);
    filmTicks += end - from;
    return { from: rescale(from, base, SAMPLE_CLOCK), length: rescale(filmTicks, base, SAMPLE_CLOCK) - filled };
  });
}

/** A piece of sound, and its offset in a slice of `total` samples. */
type Piece = { readonly sound: Float32Array; readonly offset: number; readonly total: number };

/** A longer gap is skipped if the source allows it; in samples. */
const WORTH_A_JUMP = 30 * SAMPLE_RATE;

/** Decodes slices of one track, in film order, in pieces of at most a second; silence where the source has no sound. */
export async function* readSlices(
  source: SoundSource,
  slices: readonly Slice[],
  signal?: AbortSignal,
): AsyncGenerator<Piece> {
  let reading: SoundReading | null = null;
  let position = 0;
  try {
    for (const { from, length } of slices) {
      if (reading === null || (source.maySeek && from - position > WORTH_A_JUMP)) {
        reading?.kill();
        reading = await openSound(source, from, signal);
        position = from;
      }
      while (position < from)
        position += (await reading.read(Math.min(from - position, SAMPLE_RATE))).length / CHANNELS;
      for (let offset = 0; offset < length; offset += SAMPLE_RATE) {
        const sound = await reading.read(Math.min(length - offset, SAMPLE_RATE));
        position += sound.length / CHANNELS;
        yield { sound, offset, total: length };
      }
    }
  } finally {
    reading?.kill();
  }
}

/**
 * Writes the stretches of one track, joined, as 32-bit float stereo; `gain` is a factor. At each join, sound fades over two
 * frames: it goes on for up to a frame after its stretch while that of the next one begins a frame early.
 */
export async function writeSound(
  source: SoundSource & { base: Rational; gain: number; frameSamples: number },
  stretches: readonly Stretch[],
  sink: Writable,
  signal?: AbortSignal,
): Promise<void> {
  const slices = sliceSound(stretches, source.base);
  // Stretches that follow each other in the source at once are one sound, and near ones share what is between them.
  const halves = slices.slice(1).map((next, index) => {
    const { from, length } = slices[index]!;
    return Math.min(source.frameSamples, (next.from - from - length) >> 1, length >> 1, next.length >> 1);
  });
  const half = (join: number): number => Math.max(0, halves[join] ?? 0);
  const wider = slices.map(({ from, length }, index) => {
    return { from: from - half(index - 1), length: half(index - 1) + length + half(index) };
  });
  const edge = (index: number): number => Math.min(FADE_SAMPLES, slices[index]!.length >> 1);
  let [index, tail] = [-1, new Float32Array(0)];
  let next = tail;
  for await (const { sound, offset, total } of readSlices(source, wider, signal)) {
    if (offset === 0) [index, tail, next] = [index + 1, next, new Float32Array(4 * half(index + 1))];
    const isLast = index === slices.length - 1;
    scaleSound(sound, source.gain);
    fadeEdges(sound, { offset, total, fadeIn: index === 0 ? edge(index) : 2 * half(index - 1), fadeOut: isLast ? edge(index) : 2 * half(index) }); // prettier-ignore
    addSound(sound, tail, -offset);
    addSound(next, sound, offset - (total - 2 * half(index)));
    const ready = Math.max(0, Math.min(sound.length / CHANNELS, total - 2 * half(index) - offset));
    if (ready > 0) await writeTo(sink, bytesOf(sound.subarray(0, ready * CHANNELS)));
  }
}

/** Adds `sound` to `to` from sample `at` of it on, in place; what lies outside is left out. */
export function addSound(to: Float32Array, sound: Float32Array, at: number): void {
  const shift = at * CHANNELS;
  const last = Math.min(sound.length, to.length - shift);
  for (let place = Math.max(0, -shift); place < last; place++) to[place + shift]! += sound[place]!;
}

/**
 * The filter that fills gaps in a track with silence and begins exactly at sample `from` at `rate` samples per second. The
 * resampler counts `first_pts` in samples of its input, so the rate is changed before.
 */
export function beginAt(from: number, rate: number, { clock = [] }: Pick<SoundSource, 'clock'>): string {
  // By default, sound may be off by a tenth of a second. Parts that were joined overlap by less than that.
  const exact = clock.length > 0 ? ':min_hard_comp=0.005' : '';
  return `aresample=${rate},aresample=${rate}:async=1:first_pts=${from}${exact}`;
}

/** After a jump, a sound decoder needs a few packets before its output is right; in samples. */
const PREROLL_SAMPLES = SAMPLE_RATE;
/** Decoding and dropping the sound before the first wanted sample may take long: this prints a number now and then. */
const SIGN_OF_LIFE = "aselect='if(mod(n,2000),1,1+0*print(n,16))'";
const ALIVE = /^(?:\[[^\]]+\] )?\d+\.\d+$/;

/** Opens a track at sample `from` of the file's clock. If a jump lands after it, the track is read from its start. */
export async function openSound(source: SoundSource, from: number, signal?: AbortSignal): Promise<SoundReading> {
  const seekTo = from - PREROLL_SAMPLES;
  if (source.maySeek && seekTo > 0) {
    const reading = await open(source, from, seekTo, signal);
    const landed = await reading.landed;
    if (landed !== null && landed <= from) return reading;
    reading.kill();
    if (signal?.aborted) throw new CancelledError();
  }
  return open(source, from, null, signal);
}

async function open(
  source: SoundSource,
  from: number,
  seekTo: number | null,
  signal: AbortSignal | undefined,
): Promise<SoundReading & { landed: Promise<number | null> }> {
  const mark = newMark();
  const firstSound = new RegExp(`^\\[ashowinfo@${mark} @ [^\\]]+\\] n:0 pts:(-?\\d+) `);
  let land: (sample: number | null) => void = () => undefined;
  const landed = new Promise<number | null>((resolve) => (land = resolve));
  const jump = seekTo === null ? [] : ['-seek_timestamp', '1', '-ss', (seekTo / SAMPLE_RATE).toFixed(6)];
  // After the resampler fills gaps, the first sample is always the one asked for; where the jump landed shows only before.
  const filter = [
    ...(source.clock ?? []),
    ...(seekTo === null ? [SIGN_OF_LIFE] : [`asettb=1/${SAMPLE_RATE}`, `ashowinfo@${mark}`]),
    beginAt(from, SAMPLE_RATE, source),
    'aformat=sample_fmts=flt:channel_layouts=stereo',
  ];
  const running = await startFfmpeg(
    [
      ...['-loglevel', seekTo === null ? 'error' : 'info', '-copyts'],
      ...['-noaccurate_seek', ...jump, ...inputOf(source.path, source), '-map', `0:a:${source.track}`],
      ...['-af', filter.join(','), '-f', 'f32le', 'pipe:1'],
    ],
    {
      signal,
      workMs: workLimitMs(source),
      onLine(line) {
        const first = firstSound.exec(line);
        if (first) land(Number(first[1]));
        return first !== null || ALIVE.test(line);
      },
    },
  );
  running.exited.then(
    () => land(null),
    () => land(null),
  );
  const chunks = running.output(1)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer = Buffer.alloc(0);
  let decoded = 0;
  return {
    landed,
    decoded: () => decoded,
    kill: running.kill,
    async read(samples) {
      const wanted = samples * BYTES_PER_SAMPLE;
      const parts = [held];
      let bytes = held.length;
      while (bytes < wanted) {
        const chunk = await chunks.next();
        if (chunk.done) {
          // A track is silent after its end; if ffmpeg was stopped, this is not the end.
          const exit = await running.exited;
          if (signal?.aborted) throw new CancelledError();
          requireOwnEnd(exit, running, source.path);
          break;
        }
        parts.push(chunk.value);
        bytes += chunk.value.length;
      }
      if (signal?.aborted) throw new CancelledError();
      const all = Buffer.concat(parts);
      held = all.subarray(Math.min(wanted, all.length));
      const sound = new Float32Array(samples * CHANNELS);
      decoded += all.copy(Buffer.from(sound.buffer), 0, 0, wanted) / BYTES_PER_SAMPLE;
      return sound;
    },
  };
}

/** The place of a piece in its stretch, and over how many samples the ends of the stretch fade. */
type Edges = { readonly offset: number; readonly total: number; readonly fadeIn: number; readonly fadeOut: number };

/** Fades the first and last samples of a stretch, linearly and in place. */
export function fadeEdges(piece: Float32Array, { offset, total, fadeIn, fadeOut }: Edges): void {
  const samples = piece.length / CHANNELS;
  for (let sample = 0; sample < samples; sample++) {
    const [before, behind] = [offset + sample, total - 1 - offset - sample];
    if (before >= fadeIn && behind >= fadeOut) continue;
    const level = Math.min(1, (before + 0.5) / fadeIn, (behind + 0.5) / fadeOut);
    for (let channel = 0; channel < CHANNELS; channel++) piece[sample * CHANNELS + channel]! *= level;
  }
}

/** Makes sound louder or softer, in place. */
export function scaleSound(sound: Float32Array, factor: number): void {
  if (factor !== 1) for (let at = 0; at < sound.length; at++) sound[at]! *= factor;
}

/** Sound being decoded: iterate `samples` once; then `complaint` is null if it went well. */
export type Listening = {
  /** One channel, 16 bits, from the moment asked for to the end of the track. */
  readonly samples: AsyncIterable<Int16Array>;
  /** Why the decoder gave up, or `null`. Valid after the last sample. */
  complaint(): string | null;
};

const FORMAT = 'aformat=sample_fmts=s16:channel_layouts=mono';

/** Decodes one sound track in a stream, mixed to one channel, from `from` ticks on; gaps are silent. */
export function listen(
  source: Omit<SoundSource, 'maySeek'> & { readonly from: number; readonly base: Rational },
  sampleRate: number,
  signal?: AbortSignal,
): Listening {
  let complaint: string | null = null;
  return { samples: samples(), complaint: () => complaint };

  async function* samples(): AsyncGenerator<Int16Array> {
    const first = rescale(source.from, source.base, { num: 1, den: sampleRate });
    const running = await startFfmpeg(
      [
        ...['-loglevel', 'error', '-copyts', ...inputOf(source.path)],
        ...['-map', `0:a:${source.track}`],
        ...['-af', [...(source.clock ?? []), beginAt(first, sampleRate, source), FORMAT].join(',')],
        ...['-f', 's16le', 'pipe:1'],
      ],
      { signal, workMs: workLimitMs(source) },
    );
    let rest: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of running.output(1) as AsyncIterable<Buffer>) {
        const bytes = Buffer.concat([rest, chunk]);
        const whole = new Int16Array(bytes.length >> 1);
        new Uint8Array(whole.buffer).set(bytes.subarray(0, whole.byteLength));
        rest = bytes.subarray(whole.byteLength);
        yield whole;
      }
      const exit = await running.exited;
      if (signal?.aborted) throw new CancelledError();
      requireOwnEnd(exit, running, source.path);
      if (exit.code !== 0) complaint = lastComplaint(running.errors);
    } finally {
      running.kill();
    }
  }
}
