import { createHash, randomBytes } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import {
  access,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { CancelledError, diskFullSentence, isAlive, StoreError, ThroughlineError, UsageError } from '../base/index.js';

/** Prefix of draft names. Later runs remove drafts of ended processes. */
const DRAFT_MARK = '.throughline-draft-';

/** A fresh name in the same folder as `path`, so that renaming it there is one step of the file system. */
export function draftName(path: string): string {
  return join(dirname(path), `${DRAFT_MARK}${process.pid}-${randomBytes(6).toString('hex')}`);
}

/** Error codes for operations that a file system does not support; any other error is one of the disk. */
const CANNOT_FLUSH = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EPERM', 'EACCES', 'EISDIR']);

/** Flushes a file, or the entries of a folder, to the disk (fsync). */
export async function flush(path: string, flags: 'r' | 'r+'): Promise<void> {
  try {
    const handle = await open(path, flags);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_FLUSH.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * Renames a draft to its final name, which then has the old file or the whole new one even after a power cut. Files inside
 * a folder must be flushed already.
 */
export async function putInPlace(draft: string, path: string, kind: 'file' | 'folder' = 'file'): Promise<void> {
  // Windows flushes only what may be written, and no folders.
  await flush(draft, kind === 'file' ? 'r+' : 'r');
  await rename(draft, path);
  await flush(dirname(path), 'r');
}

/** Writes all bytes at a position of a file, in several writes if needed: a nearly full disk writes a part before it fails. */
export async function writeAt(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    done += (await file.write(bytes, done, bytes.byteLength - done, at + done)).bytesWritten;
  }
}

/**
 * Calls `write` with a draft name, then renames the draft to `path`. Readers of `path` see the old file or the whole
 * new one, never a part of it. If writing fails, the draft is removed.
 */
export async function writeWhole(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = draftName(path);
  try {
    await refuseLinks(dirname(path));
    await makeFolder(dirname(path));
    await write(draft);
    await putInPlace(draft, path);
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    // Messages name the final path, not the draft.
    if (error instanceof ThroughlineError) error.message = error.message.replaceAll(draft, path);
    throw explainDisk(error, path);
  }
}

/** `writeWhole` for text or bytes that come in parts. */
export function writeParts(
  path: string,
  parts: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  return writeWhole(path, (draft) => pipeline(Readable.from(parts), createWriteStream(draft)));
}

/** Marker file in every folder that this program may write results to. */
const OURS = '.throughline';

/**
 * Makes a folder for results, and marks it. A folder with other files and without the mark is refused, because a result
 * could overwrite a file of the user there.
 */
export async function openFolder(path: string): Promise<void> {
  try {
    await refuseLinks(path);
    await makeFolder(path);
    const names = await readdir(path);
    if (names.some((name) => !name.startsWith('.')) && !names.includes(OURS)) {
      throw new UsageError(
        'out-not-empty',
        `Expected an empty folder or one of Throughline's own for results, found other files in "${path}". Choose an empty or new folder with --out.`,
      );
    }
    await access(path, constants.W_OK);
    await markFolder(path);
    await sweepDrafts(path);
  } catch (error) {
    throw explainDisk(error, path);
  }
}

/** Writes the marker if there is none. Never overwrites a file of that name, which may be a link. */
async function markFolder(path: string): Promise<void> {
  const mark = join(path, OURS);
  await writeFile(mark, '', { flag: 'wx' }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    if ((await lstat(mark)).isFile()) return;
    throw new StoreError(
      'bad-mark',
      `Expected a plain file "${mark}", found a link or a folder, which is not Throughline's. Remove it, or choose another folder with --out.`,
    );
  });
}

const sourcesSchema = z.object({ sources: z.array(z.string()) });

/** Records in the marker of a results folder where its videos are. Failing is harmless: only `export` uses it. */
export async function noteSources(path: string, sources: readonly string[]): Promise<void> {
  const text = `${JSON.stringify({ sources: sources.map((each) => relative(path, each) || '.') })}\n`;
  const mark = join(path, OURS);
  if ((await readFile(mark, 'utf8').catch(() => '')) === text) return;
  await writeParts(mark, [text]).catch(() => undefined);
}

/** The folders that the videos of a folder of results come from; none if it does not say. */
export async function sourcesOf(path: string): Promise<string[]> {
  try {
    const { sources } = sourcesSchema.parse(JSON.parse(await readFile(join(path, OURS), 'utf8')));
    return sources.map((each) => resolve(path, each));
  } catch {
    return [];
  }
}

/**
 * Refuses a folder that is reached by a link inside a folder of ours (or inside `root`): a results folder from somebody
 * else could make us write anywhere. Links above a folder of ours are the user's own choice.
 */
export async function refuseLinks(path: string, root?: string): Promise<void> {
  const full = resolve(path);
  if ((await realpath(full).catch(() => null)) === full) return;
  const isPlain = async (mark: string): Promise<boolean> => (await lstat(mark).catch(() => null))?.isFile() ?? false;
  const top = resolve(root ?? parse(full).root);
  let [step, isOurs] = [top, root !== undefined];
  for (const part of relative(top, full).split(sep).filter(Boolean)) {
    isOurs ||= await isPlain(join(step, OURS));
    step = join(step, part);
    if (!isOurs || !(await lstat(step).catch(() => null))?.isSymbolicLink()) continue;
    throw new StoreError(
      'link-inside',
      `Expected a folder at "${step}", found a link, through which files could be written anywhere. Remove it, or choose another folder.`,
    );
  }
}

/**
 * Makes a folder and its parents one by one. Node's own `recursive` tries for ever on file systems that deny a folder they
 * have just listed (/proc, automounted ones).
 */
export async function makeFolder(path: string): Promise<void> {
  if ((await stat(path).catch(() => null))?.isDirectory()) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw notWritable(path, 'no folder can be created there', error);
    // Another run may have made it in the meantime; a file, or a link to nothing, is no folder.
    if (error.code !== 'EEXIST' || !(await stat(path).catch(() => null))?.isDirectory()) throw error;
  });
  await flush(dirname(path), 'r');
}

/** Turns an error of the disk into a `StoreError`; returns other errors unchanged. `elsewhere`: what the user can choose instead. */
export function explainDisk(error: unknown, path: string, elsewhere = 'another folder with --out'): unknown {
  if (error instanceof ThroughlineError) return error;
  const { code, path: at = '' } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StoreError('disk-full', diskFullSentence(path, elsewhere), { cause: error });
    case 'EACCES':
    case 'EPERM':
      return notWritable(path, 'permission denied', error);
    case 'EROFS':
      return notWritable(path, 'the disk is read-only', error);
    case 'ENOENT':
      if (!isAmong(resolve(at), resolve(path))) return error;
      return new StoreError(
        'folder-gone',
        `Could not write "${path}": its folder was removed or emptied during the run. Run again, and leave the folder alone until the run ends.`,
        { cause: error },
      );
    case 'EFBIG':
      return new StoreError(
        'file-too-large',
        `Could not write "${path}": the file is larger than this disk, or the limits of this process, allow. Choose ${elsewhere}, or raise the limit.`,
        { cause: error },
      );
    case 'EIO':
    case 'EMFILE':
    case 'ENFILE':
      return new StoreError(
        'disk-failed',
        `Could not write "${path}" (${code}). ${code === 'EIO' ? 'Check the disk' : 'Too many files are open: close other programs or raise the limit'}, and run again.`,
        { cause: error },
      );
    case 'ENAMETOOLONG':
      return new StoreError(
        'name-too-long',
        `Could not write "${path}": the name is too long for this disk. Shorten the file's or the folder's name.`,
        { cause: error },
      );
    case 'EISDIR':
    case 'ENOTEMPTY':
    case 'EBUSY':
    case 'ETXTBSY':
      return new StoreError(
        'not-replaceable',
        `Could not put "${path}" in its place: there is a folder of that name, or another program uses the file. Move it away, or choose ${elsewhere}.`,
        { cause: error },
      );
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ELOOP':
      return new StoreError(
        'not-a-folder',
        `Could not write "${path}": there is a file where a folder is needed. Choose ${elsewhere}.`,
        { cause: error },
      );
    default:
      return error;
  }
}

/** Whether an ENOENT concerns `path`, its draft, or a file in it. */
function isAmong(missing: string, path: string): boolean {
  return [missing, dirname(missing)].includes(dirname(path)) || missing.startsWith(path + sep);
}

function notWritable(path: string, why: string, cause: unknown): StoreError {
  return new StoreError(
    'not-writable',
    `Could not write "${path}": ${why}. Choose a folder you may write to (--out for results, --cache for the cache).`,
    { cause },
  );
}

const STALE_DRAFT_MS = 24 * 3600 * 1000;
const QUIET_DRAFT_MS = 60 * 1000;

/**
 * Removes drafts of runs that were killed: those not written to for a minute whose process is not found here, and those not
 * written to for a day. A process on another machine or in a container is not found, but it keeps writing.
 */
export async function sweepDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(DRAFT_MARK)) continue;
    const path = join(folder, name);
    const owner = Number(name.slice(DRAFT_MARK.length).split('-')[0]);
    const idleMs = Date.now() - (await lastWritten(path));
    if (idleMs > STALE_DRAFT_MS || (idleMs > QUIET_DRAFT_MS && !isAlive(owner))) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

async function lastWritten(path: string): Promise<number> {
  const inside = await readdir(path).catch(() => []);
  const times = await Promise.all(
    [path, ...inside.map((name) => join(path, name))].map(
      async (file) => (await stat(file).catch(() => null))?.mtimeMs ?? 0,
    ),
  );
  return Math.max(...times);
}

/** Characters with a special meaning on some file system, such as control characters, \ and :. */
const UNSAFE = /[\u0000-\u001f\u007f\\<>:"|?*]/;

/**
 * Names are parts joined by `/`. No part is empty, starts with a dot (`..`, drafts, our own records) or ends in a dot or
 * space: so no name leaves its folder, on any system.
 */
export function checkName(name: string): string {
  const isSafe = (part: string): boolean =>
    part !== '' && !part.startsWith('.') && !/[. ]$/.test(part) && !UNSAFE.test(part) && Buffer.byteLength(part) <= 200;
  // 1,024 bytes is S3's bound for a key; the rest is for the prefix.
  if (name.split('/').every(isSafe) && Buffer.byteLength(name) <= 800) return name;
  throw new UsageError(
    'object-name',
    `${JSON.stringify(name.slice(0, 200))} cannot name an object in the store. Names are parts joined by "/", none empty, none with a dot in front or \\ < > : " | ? * inside, at most 200 bytes each.`,
  );
}

/** The content of a file: the SHA-256 of its bytes, and their number. */
export type ContentHash = { readonly sha256: string; readonly bytes: number };

/** Message for a path that is a pipe, a device or a folder. */
export const NOT_A_FILE = 'not a file';

/** Opens a file for reading. A pipe or a device, which may never end, is refused unread. */
export async function openFile(path: string): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a pipe blocks until there is a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw Object.assign(new Error(NOT_A_FILE), { code: NOT_A_FILE });
}

/** The text of a file; `null` where there is none. */
export async function readText(path: string): Promise<string | null> {
  try {
    const file = await openFile(path);
    return await file.readFile('utf8').finally(() => file.close());
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw unreadable(path, error);
  }
}

/** The bytes of a file in a stream, a part at a time. */
export async function* readParts(path: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    const file = await openFile(path);
    yield* file.createReadStream({ highWaterMark: 1 << 20, ...(signal ? { signal } : {}) }) as AsyncIterable<Buffer>;
  } catch (error) {
    if (signal?.aborted) throw new CancelledError();
    throw unreadable(path, error);
  }
}

/** Hashes a file by reading it once, as a stream. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<ContentHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readParts(path, signal)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** The SHA-256 of bytes or of a text, in hexadecimal. */
export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** `hashFile` for bytes in memory. */
export function contentHash(bytes: Uint8Array): ContentHash {
  return { sha256: sha256(bytes), bytes: bytes.byteLength };
}

/** The error for a file of the caller that could not be read. */
export function unreadable(path: string, cause: unknown): StoreError {
  const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
  return new StoreError(
    'unreadable',
    `Could not read "${path}" (${reason}). Check that it exists and its permissions.`,
    {
      cause,
    },
  );
}

/** The error for bytes that are not those that were written. */
export function damaged(name: string, url: string): StoreError {
  return new StoreError(
    'object-damaged',
    `Expected "${name}" in the store ${url} to be as it was written, found another checksum. Remove it and run again; it will be recomputed.`,
  );
}

/** A short key for anything that can be written as JSON: equal records have equal keys. */
export function keyOf(record: unknown): string {
  return sha256(JSON.stringify(record)).slice(0, 40);
}
