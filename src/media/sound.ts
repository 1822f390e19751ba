import type { Writable } from 'node:stream';

import { rescale, type Rational } from '../base/index.js';
import { inputOf, start } from './process.js';
import { locateFfmpeg } from './tools.js';

/** Films carry this sound: 48 000 stereo samples a second. */
export const SAMPLE_RATE = 48_000;
const CHANNELS = 2;
const BYTES_PER_SAMPLE = CHANNELS * Float32Array.BYTES_PER_ELEMENT;
const SAMPLE_CLOCK: Rational = { num: 1, den: SAMPLE_RATE };

/** Sound fades over this many samples (4 ms) at each join, so that a cut never clicks. */
const FADE_SAMPLES = 192;

/** A stretch of the source, `[start, end)` in ticks. */
export type Stretch = { readonly start: number; readonly end: number };

/** Where each stretch begins in the source and how many samples of the film it fills. */
type Slice = { readonly from: number; readonly length: number };

/**
 * Cumulative film time is rounded to samples, not each stretch by itself, so sound never drifts from the picture:
 * stretch k fills samples [round(T_k), round(T_k+1)) of the film, T_k = the total length of the stretches before it.
 */
export function sliceSound(stretches: readonly Stretch[], base: Rational): Slice[] {
  let filmTicks = 0;
  return stretches.map(({ start: from, end }) => {
    const filled = rescale(filmTicks, base, SAMPLE_CLOCK);
    filmTicks += end - from;
    return { from: rescale(from, base, SAMPLE_CLOCK), length: rescale(filmTicks, base, SAMPLE_CLOCK) - filled };
  });
}

/**
 * Decodes one sound track and writes the stretches, joined, as 32-bit float stereo to `sink`; silence where the
 * source has no sound. Ends the sink. Stretches must be in film order.
 */
export async function pourSound(
  source: { path: string; track: number; base: Rational },
  stretches: readonly Stretch[],
  sink: Writable,
  signal?: AbortSignal,
): Promise<void> {
  const slices = sliceSound(stretches, source.base);
  let position = slices[0]?.from ?? 0;
  const ffmpeg = await locateFfmpeg();
  const running = start(
    ffmpeg.path,
    [
      ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'error', '-copyts', ...inputOf(source.path)],
      ...['-map', `0:a:${source.track}`],
      // Fills holes in the track with silence and begins exactly at the first stretch.
      ...[
        '-af',
        `aresample=${SAMPLE_RATE}:async=1:first_pts=${position},aformat=sample_fmts=flt:channel_layouts=stereo`,
      ],
      ...['-f', 'f32le', 'pipe:1'],
    ],
    { signal },
  );
  const chunks = running.output(1)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer = Buffer.alloc(0);
  const next = async (samples: number): Promise<Buffer> => {
    while (held.length < samples * BYTES_PER_SAMPLE) {
      const chunk = await chunks.next();
      if (chunk.done) break;
      held = Buffer.concat([held, chunk.value]);
    }
    const taken = held.subarray(
      0,
      Math.min(held.length - (held.length % BYTES_PER_SAMPLE), samples * BYTES_PER_SAMPLE),
    );
    held = held.subarray(taken.length);
    return taken;
  };
  const write = async (data: Buffer): Promise<void> => {
    if (sink.destroyed || sink.write(data)) return;
    await new Promise<void>((resolve) => {
      const events = ['drain', 'close', 'error'];
      const go = (): void => {
        for (const event of events) sink.off(event, go);
        resolve();
      };
      for (const event of events) sink.on(event, go);
    });
  };

  try {
    for (const slice of slices) {
      while (position < slice.from) {
        const skipped = await next(Math.min(slice.from - position, SAMPLE_RATE));
        if (skipped.length === 0) break;
        position += skipped.length / BYTES_PER_SAMPLE;
      }
      position = slice.from;
      for (let filled = 0; filled < slice.length;) {
        const wanted = Math.min(slice.length - filled, SAMPLE_RATE);
        const sound = await next(wanted);
        const piece = Buffer.alloc(wanted * BYTES_PER_SAMPLE);
        sound.copy(piece);
        fadeEdges(piece, filled, slice.length);
        await write(piece);
        filled += wanted;
        position += wanted;
      }
    }
  } finally {
    running.kill();
    sink.end();
  }
}

/** Fades the first and last samples of a stretch of `total` samples; `piece` starts at sample `offset` of it. */
function fadeEdges(piece: Buffer, offset: number, total: number): void {
  const fade = Math.min(FADE_SAMPLES, total >> 1);
  const samples = piece.length / BYTES_PER_SAMPLE;
  for (let sample = 0; sample < samples; sample++) {
    const fromEdge = Math.min(offset + sample, total - 1 - offset - sample);
    if (fromEdge >= fade) continue;
    for (let channel = 0; channel < CHANNELS; channel++) {
      const at = sample * BYTES_PER_SAMPLE + channel * 4;
      piece.writeFloatLE((piece.readFloatLE(at) * (fromEdge + 0.5)) / fade, at);
    }
  }
}
