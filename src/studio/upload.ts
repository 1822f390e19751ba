import { createWriteStream } from 'node:fs';
import { mkdir, readdir, stat, statfs } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';

import { UsageError } from '../base/index.js';
import { VIDEO_ENDINGS } from '../pipeline/index.js';
import { writeWhole } from '../storage/index.js';

/** A day of high-definition footage; a larger file is a mistake, or better opened where it is. */
export const MAX_UPLOAD_BYTES = 64 * 2 ** 30;
/** Bytes that stay free on the disk, for the analysis. */
const SPARE_BYTES = 256 * 2 ** 20;
/** In bytes. File systems allow 255, which must include a number and the mark of a draft. */
const LONGEST_NAME = 180;

/** Where videos that are sent are stored, and how large one may be. */
export type Inbox = {
  readonly folder: string;
  readonly maxBytes: number;
  /** Names of the topic's other videos, which must not be used again: wishes identify videos by name. */
  names(): readonly string[];
};

/** Paths that are being written; two files sent at the same time must not get the same one. */
const taken = new Set<string>();

/**
 * Writes a video to its folder as it arrives, without holding the whole of it in memory. An interrupted upload leaves
 * nothing. The name is made safe; one that exists already gets a number.
 */
export async function receive(
  { folder, maxBytes, names }: Inbox,
  given: string,
  body: ReadableStream<Uint8Array> | null,
  declaredBytes: number | null,
): Promise<{ name: string; bytes: number }> {
  const wanted = safeName(given);
  await mkdir(folder, { recursive: true });
  if (declaredBytes !== null && declaredBytes > maxBytes) throw tooLarge(given, maxBytes);
  await refuseFull(folder, declaredBytes ?? 0);
  const name = await freeName(folder, wanted, names());
  const path = join(folder, name);
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _, next) {
      bytes += chunk.length;
      next(bytes > maxBytes ? tooLarge(given, maxBytes) : null, chunk);
    },
  });
  try {
    await writeWhole(path, async (draft) => {
      await pipeline(body ? Readable.fromWeb(body as WebStream) : Readable.from([]), count, createWriteStream(draft));
      if (bytes === 0) throw new UsageError('empty', `"${given}" is empty. Choose another file.`);
      if (declaredBytes !== null && bytes !== declaredBytes) {
        throw new UsageError(
          'broken-off',
          `Expected ${declaredBytes} bytes of "${given}", found ${bytes}. Send it again.`,
        );
      }
    });
  } finally {
    taken.delete(path);
  }
  return { name, bytes };
}

/** A file name that is safe on every system. Throws if it does not have the ending of a video. */
function safeName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1)!;
  const clean = last.replace(/[\p{Cc}\p{Cs}\p{Cf}<>:"|?*]/gu, '_').replace(/^[.\s]+|[.\s]+$/g, '');
  const ending = extname(clean).toLowerCase();
  if (!VIDEO_ENDINGS.has(ending)) {
    const known = [...VIDEO_ENDINGS].slice(0, 5).join(', ');
    throw new UsageError(
      'not-a-video',
      `"${last}" does not have the ending of a video (${known} …). Choose another file.`,
    );
  }
  let stem = '';
  for (const letter of clean.slice(0, -ending.length)) {
    if (Buffer.byteLength(stem + letter) > LONGEST_NAME) break;
    stem += letter;
  }
  return `${stem || 'video'}${ending}`;
}

/** The name itself, or with the first free number; reserved until it is written. */
async function freeName(folder: string, wanted: string, others: readonly string[]): Promise<string> {
  // File systems that ignore case must not see one name twice.
  const there = new Set([...(await readdir(folder)), ...others].map((name) => name.toLowerCase()));
  const ending = extname(wanted);
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted.slice(0, -ending.length)}-${count}${ending}`;
    const path = join(folder, name);
    if (there.has(name.toLowerCase()) || taken.has(path)) continue;
    taken.add(path);
    return name;
  }
}

/** Paths of all videos that were sent completely. */
export async function received({ folder }: Inbox): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).sort();
  const paths = names.map((name) => join(folder, name));
  const facts = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  return paths.filter((_, at) => facts[at]?.isFile());
}

async function refuseFull(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize > bytes + SPARE_BYTES) return;
  throw new UsageError(
    'disk-full',
    `Expected ${size(bytes + SPARE_BYTES)} of free space in "${folder}", found ${size(bavail * bsize)}. Free some space first.`,
  );
}

function tooLarge(name: string, maxBytes: number): UsageError {
  return new UsageError(
    'too-large',
    `"${name}" is larger than ${size(maxBytes)}, the limit for copying. Put it in a folder and open that instead: throughline studio FOLDER.`,
  );
}

function size(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(0)} GB` : `${Math.ceil(bytes / 2 ** 20)} MB`;
}
