import { CancelledError, rescale, type Rational } from '../base/index.js';
import { inputOf, lastComplaint, requireOwnEnd, startFfmpeg, workLimitMs } from './process.js';
import { beginAt, type SoundSource } from './sound.js';

/** Sound being decoded: iterate `samples` once; then `complaint` tells whether it went well. */
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
