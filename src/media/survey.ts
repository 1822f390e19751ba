import { CancelledError } from '../base/index.js';
import { longestGap } from './normalise.js';
import { inputOf, requireOwnEnd, startFfmpeg, workLimitMs } from './process.js';
import type { VideoInfo } from './types.js';

/** What the container says about the stored pictures of a file; none is decoded. */
export type Survey = {
  /** Stored pictures that are to be shown. */
  readonly packets: number;
  /** The clock of the file turns back, or jumps ahead where files of this kind are joined. */
  readonly restarts: boolean;
};

/**
 * A writer never gets times that turn back: ffmpeg would change them. So the packets are numbered, and their own times, made
 * positive, are carried where nothing is checked.
 */
const POSITIVE = 2 ** 40;
const CARRY_TIMES = `setts=dts=N:pts=PTS+${POSITIVE}:duration=DTS+${POSITIVE}`;
/** Track, number, showing time, storing time, bytes, checksum, flags. A single byte, as in AVI, only fills a place. */
const PACKET = /^0, *\d+, *-?\d+, *(-?\d+), *(\d+), 0x[0-9a-f]+(?:, F=0x([0-9A-Fa-f]+))?/;
const DISCARDED = 0x4;

/** Counts the stored pictures of a file and follows its clock, without decoding. */
export async function survey(info: VideoInfo, signal?: AbortSignal): Promise<Survey> {
  let packets = 0;
  let restarts = false;
  let before = -Infinity;
  const gapTicks = (longestGap(info) * info.timeBase.den) / info.timeBase.num;
  const running = await startFfmpeg(
    [
      ...['-loglevel', 'error', '-copyts', ...inputOf(info.path), '-map', '0:V:0', '-c', 'copy'],
      // By default, a copy begins with the first key picture.
      '-copyinkf',
      ...['-bsf:v', CARRY_TIMES, '-flush_packets', '0', '-f', 'framecrc', 'pipe:1'],
    ],
    { signal, workMs: workLimitMs(info) },
  );
  try {
    let rest = '';
    for await (const block of running.output(1) as AsyncIterable<Buffer>) {
      const lines = (rest + block.toString('latin1')).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const [whole, stored, bytes, flags = '1'] = PACKET.exec(line) ?? [];
        if (whole === undefined) continue;
        if (Number(bytes) > 1 && (parseInt(flags, 16) & DISCARDED) === 0) packets++;
        const ticks = Number(stored) - POSITIVE;
        // A packet without a time says nothing.
        if (ticks < -POSITIVE) continue;
        restarts ||= ticks < before || ticks - before > gapTicks;
        before = ticks;
      }
    }
    const exit = await running.exited;
    if (signal?.aborted) throw new CancelledError();
    requireOwnEnd(exit, running, info.path);
    return { packets, restarts };
  } finally {
    running.kill();
  }
}
