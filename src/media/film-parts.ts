import { open, type FileHandle } from 'node:fs/promises';

import { CancelledError, MediaError } from '../base/index.js';

/** A piece of an encoded part: what all parts of a film have in common, or its pictures. */
type Piece = { readonly kind: 'header' | 'data'; readonly bytes: Buffer };

/** Bytes that are read at once. */
const READ_BYTES = 1 << 20;
/** No fragment has a longer list of its pictures. */
const MAX_LIST_BYTES = 1 << 26;

/**
 * Reads a part of a film, which is an MP4 in fragments (ISO 14496-12, 8.8), so that its first picture is shown at `start`. In
 * the file, times count from the first picture stored, which is shown later by as much as its entry says.
 */
export async function* readPart(path: string, start: number, signal: AbortSignal): AsyncGenerator<Piece> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    let [shift, brand]: [bigint | null, Buffer] = [null, Buffer.alloc(0)];
    for (let at = 0; at < size;) {
      if (signal.aborted) throw new CancelledError();
      const head = await read(file, at, 8, path);
      const [length, name] = [head.readUInt32BE(0), head.toString('latin1', 4)];
      if (length < 8 || at + length > size) throw notWhole(path);
      if (name === 'moof') {
        const fragment = await read(file, at, Math.min(length, MAX_LIST_BYTES), path);
        shift ??= BigInt(start) - BigInt(shownAfter(fragment));
        const time = find(fragment, 8, ['traf', 'tfdt']);
        if (time === null || fragment[time] !== 1) throw notWhole(path);
        fragment.writeBigInt64BE(fragment.readBigInt64BE(time + 4) + shift, time + 4);
        yield { kind: 'data', bytes: fragment };
      } else if (name === 'ftyp') {
        brand = await read(file, at, length, path);
      } else if (name === 'moov') {
        yield { kind: 'header', bytes: Buffer.concat([brand, await read(file, at, length, path)]) };
      } else if (name === 'mdat') {
        for (let done = 0; done < length; done += READ_BYTES) {
          yield { kind: 'data', bytes: await read(file, at + done, Math.min(READ_BYTES, length - done), path) };
        }
      }
      at += length;
    }
  } finally {
    await file.close();
  }
}

/** How many ticks after it is stored the first picture of a fragment is shown. */
function shownAfter(fragment: Buffer): number {
  const run = find(fragment, 8, ['traf', 'trun']);
  if (run === null) return 0;
  const flags = fragment.readUInt32BE(run) & 0xffffff;
  if ((flags & 0x800) === 0) return 0;
  // After flags and count: the place of the data and the flags of the first picture; of each, length, size, flags, delay.
  const entry = run + 8 + 4 * bits(flags & 0x5);
  return fragment.readInt32BE(entry + 4 * bits(flags & 0x700));
}

const bits = (flags: number): number => flags.toString(2).replaceAll('0', '').length;

/** Where the content of a box begins, by the names of those around it; `null` if it is not there. */
function find(bytes: Buffer, from: number, [name, ...inside]: readonly string[], end = bytes.length): number | null {
  for (let at = from; at + 8 <= end;) {
    const length = bytes.readUInt32BE(at);
    if (length < 8) return null;
    if (bytes.toString('latin1', at + 4, at + 8) === name) {
      return inside.length === 0 ? at + 8 : find(bytes, at + 8, inside, Math.min(end, at + length));
    }
    at += length;
  }
  return null;
}

async function read(file: FileHandle, at: number, length: number, path: string): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  if (bytesRead !== length) throw notWhole(path);
  return bytes;
}

function notWhole(path: string): MediaError {
  return new MediaError(
    'film-incomplete',
    `Expected a whole part of a film in "${path}", found it cut off. Does another program write to this folder?`,
  );
}
