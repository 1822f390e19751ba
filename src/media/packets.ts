import { type Rational, CancelledError, toSeconds } from '../base/index.js';
import { chunkReader } from './decode.js';
import { inputOf, requireOwnEnd, startFfmpeg, workLimitMs, type Running } from './process.js';
import { PREROLL_SECONDS } from './stretch.js';
import { type StoredPicture, refuse } from './copy-plan.js';

/** A stored picture as ffmpeg lists it; it is not decoded. */
export type Packet = {
  /** Presentation time in ticks of the picture track. */
  readonly ticks: number;
  readonly durationTicks: number;
  readonly bytes: number;
  /** It does not depend on others. */
  readonly isKey: boolean;
  /** Only other pictures depend on it; players do not show it. */
  readonly isHidden: boolean;
};

/** Output arguments that list stored pictures on the error pipe, each as soon as it is read. */
export const PACKET_REPORT = ['-flush_packets', '1', '-f', 'framecrc', 'pipe:2'] as const;

/** Track, storing time, showing time, duration, bytes, checksum; then flags, unless the picture is a plain key. */
const PACKET = /^0, *-?\d+, *(-?\d+), *(\d+), *(\d+), 0x[0-9a-f]+(?:, F=0x([0-9A-Fa-f]+))?/;
const CLOCK = /^#tb 0: (\d+)\/(\d+)$/;
const [KEY, DISCARDED] = [0x1, 0x4];

/** Reads the lines of such a list. Pictures on another clock than this one are ignored: their times cannot be compared. */
export function packetReader({ num, den }: Rational, onPacket: (packet: Packet) => void): (line: string) => boolean {
  let isOurClock = false;
  return (line) => {
    const clock = CLOCK.exec(line);
    if (clock) isOurClock = Number(clock[1]) * den === Number(clock[2]) * num;
    const [, ticks, duration, bytes, flags = String(KEY)] = PACKET.exec(line) ?? [];
    if (ticks === undefined) return line.startsWith('#');
    const bits = parseInt(flags, 16);
    const [isKey, isHidden] = [(bits & KEY) !== 0, (bits & DISCARDED) !== 0];
    if (isOurClock) {
      onPacket({ ticks: Number(ticks), durationTicks: Number(duration), bytes: Number(bytes), isKey, isHidden });
    }
    return true;
  };
}

/** Storing order may differ from showing order by this many pictures (ITU-T H.264, A.3.1). */
const MAX_REORDERED = 16;

/** Stored pictures from before `from` to past `to`; `isWhole` if the file ended before that. */
export async function scanPictures(
  source: { readonly path: string; readonly timeBase: Rational },
  { from, to }: { from: number; to: number },
  signal: AbortSignal | undefined,
): Promise<{ pictures: StoredPicture[]; isWhole: boolean }> {
  const pictures: StoredPicture[] = [];
  let [behind, isWhole] = [0, true];
  const reading = await report(source, from, [], signal, (picture) => {
    pictures.push(picture);
    if (picture.ticks >= to && ++behind > MAX_REORDERED) {
      isWhole = false;
      reading.kill();
    }
  });
  const exit = await reading.exited;
  if (signal?.aborted) throw new CancelledError();
  if (isWhole) requireOwnEnd(exit, reading, source.path);
  if (isWhole && exit.code !== 0) throw refuse('its pictures could not be listed');
  return { pictures, isWhole };
}

/** The stored bytes of `count` pictures from the one shown at `from` on, as a byte stream with parameter sets. */
export async function* readPictures(
  source: { readonly path: string; readonly timeBase: Rational },
  from: number,
  count: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredPicture & { data: Buffer }> {
  const queue: (StoredPicture & { bytes: number })[] = [];
  let wake = (): void => undefined;
  const data = ['-map', '0:V:0', '-c', 'copy', '-bsf:v', 'h264_mp4toannexb', '-f', 'h264', 'pipe:1'];
  const reading = await report(source, from, data, signal, (picture) => {
    queue.push(picture);
    wake();
  });
  let hasEnded = false;
  const ended = reading.exited.catch(() => undefined).then(() => (hasEnded = true));
  const chunks = chunkReader([reading.output(1)]);
  try {
    for (let given = 0; given < count;) {
      while (queue.length === 0 && !hasEnded) {
        await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))]);
      }
      const picture = queue.shift();
      const bytes = picture && (await chunks.take(0, picture.bytes));
      if (signal?.aborted) throw new CancelledError();
      if (!picture || !bytes) {
        const exit = await reading.exited;
        requireOwnEnd(exit, reading, source.path);
        throw refuse('its pictures could not be read again');
      }
      if (given === 0 && picture.ticks !== from) continue;
      given++;
      yield { ticks: picture.ticks, isKey: picture.isKey, data: bytes as Buffer };
    }
  } finally {
    reading.kill();
  }
}

/** Starts an ffmpeg that copies the pictures and reports each on its error pipe. */
async function report(
  source: { readonly path: string; readonly timeBase: Rational },
  from: number,
  also: readonly string[],
  signal: AbortSignal | undefined,
  onPicture: (picture: StoredPicture & { bytes: number }) => void,
): Promise<Running> {
  const seconds = toSeconds(from, source.timeBase) - PREROLL_SECONDS;
  const jump = seconds > 0 ? ['-noaccurate_seek', '-seek_timestamp', '1', '-ss', seconds.toFixed(6)] : [];
  return startFfmpeg(
    [
      ...['-loglevel', 'error', '-copyts', ...jump, ...inputOf(source.path)],
      ...['-map', '0:V:0', '-c', 'copy', '-bsf:v', 'h264_mp4toannexb', ...PACKET_REPORT, ...also],
    ],
    { signal, workMs: workLimitMs(source), onLine: packetReader(source.timeBase, onPicture) },
  );
}
