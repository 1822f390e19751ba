import { CancelledError, toSeconds, type Rational } from '../../base/index.js';
import { chunkReader } from '../chunks.js';
import { PACKET_REPORT, packetReader } from '../packet-report.js';
import { inputOf, requireOwnEnd, startFfmpeg, workLimitMs, type Running } from '../process.js';
import { PREROLL_SECONDS } from '../stretch.js';
import type { StoredPicture } from './plan.js';
import { refuse } from './refusal.js';

/** Storing order may differ from showing order by this many pictures (ITU-T H.264, A.3.1). */
const MOST_REORDERED = 16;

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
    if (picture.ticks >= to && ++behind > MOST_REORDERED) {
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
