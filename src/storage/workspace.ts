import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import {
  bytesOf,
  isAlive,
  type Matrix,
  rowsClosed,
  type StoredMatrix,
  ThroughlineError,
  UsageError,
} from '../base/index.js';
import { type Cache, openCache } from './cache.js';
import {
  draftName,
  explainDisk,
  noteSources,
  openFolder,
  refuseLinks,
  writeAt,
  writeParts,
  writeWhole,
  type ContentHash,
  hashFile,
  keyOf,
} from './files.js';

/** Longer texts are not read whole. */
const MAX_TEXT_BYTES = 2 ** 28;

/** The most bytes of parts of films that are kept: half an hour to an hour of film at 1080p. */
const FILM_PARTS_BYTES = 2 * 2 ** 30;

/** The workspace of a run on one machine: analyses and tall matrices in a cache, results in folders; `verify` reads every file. */
export function localWorkspace(cache: Cache, { verify = false }: { verify?: boolean } = {}) {
  const { folder, find, draft } = cache;
  const { known, hash } = openKnownFiles(cache, verify);
  const { store: storeRows, close: closeRows } = openRowsFile(folder);
  const claims = new Map<string, () => Promise<void>>();
  const claim = async (path: string, sources: readonly string[]): Promise<void> => {
    await openFolder(path);
    if (!claims.has(path)) claims.set(path, await claimFolder(path));
    await noteSources(path, sources);
  };
  const close = async (): Promise<void> => {
    await closeRows();
    for (const release of claims.values()) await release();
  };
  const existing = async (path: string, signal?: AbortSignal): Promise<ContentHash | null> =>
    (await stat(path).catch(() => null))?.isFile() ? hash(path, signal) : null;
  const readText = async (path: string): Promise<string | null> => {
    const found = await stat(path).catch(() => null);
    return found?.isFile() && found.size <= MAX_TEXT_BYTES ? readFile(path, 'utf8') : null;
  };
  const remove = async (path: string): Promise<void> => {
    // Through a link, a file elsewhere would be removed.
    const isOurs = await refuseLinks(dirname(path)).then(() => true, () => false); // prettier-ignore
    if (isOurs && (await lstat(path).catch(() => null))?.isFile()) await rm(path);
  };
  const writing = { readText, remove, openFolder, claim, existing, writeWhole, writeParts };
  const filmParts = boundedCache(join(folder, 'film-parts'), FILM_PARTS_BYTES);
  return { filmParts, known, hash, keyOf, find, draft, ...writing, storeRows, close };
}

/** The file in a folder of results that says which run is writing to it. */
const LOCK = '.throughline-lock';

const holderSchema = z.object({ pid: z.int(), host: z.string(), started: z.string(), token: z.string() });
type Holder = z.infer<typeof holderSchema>;

/** When a process was started, on systems that state it: process ids are used again. */
function startOf(pid: number): string {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ')[19] ?? ''
    );
  } catch {
    return '';
  }
}

/** Whether the run that holds a folder may still be writing to it; for a run on another machine this is not known. */
function isRunning({ pid, host, started }: Holder): boolean {
  if (host !== hostname()) return true;
  const now = startOf(pid);
  return isAlive(pid) && (started === '' || now === '' || started === now);
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Claims a folder of results for one run, so that two never write to it at the same time. Gives the function that releases it.
 * The claim of a run that was killed is taken over.
 */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, LOCK);
  const token = randomBytes(8).toString('hex');
  const own: Holder = { pid: process.pid, host: hostname(), started: startOf(process.pid), token };
  const take = (): Promise<boolean> =>
    writeFile(path, JSON.stringify(own), { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw explainDisk(error, folder);
      },
    );
  if (!(await take())) {
    const holder = await readHolder(path);
    if (holder === null || isRunning(holder) || !(await removeClaim(path, holder)) || !(await take())) {
      throw inUse(folder, path, holder);
    }
  }
  return async () => {
    if ((await readHolder(path))?.token === token) await rm(path, { force: true }).catch(() => undefined);
  };
}

/** Removes the claim of a run that is gone, unless another run has taken it over in the meantime. */
async function removeClaim(path: string, holder: Holder): Promise<boolean> {
  const aside = `${path}-${randomBytes(6).toString('hex')}`;
  if (!(await rename(path, aside).then(() => true, () => false))) return true; // prettier-ignore
  const isTheirs = (await readHolder(aside))?.token === holder.token;
  if (!isTheirs) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return isTheirs;
}

function inUse(folder: string, path: string, holder: Holder | null): UsageError {
  const isHere = holder?.host === hostname();
  const who = holder === null ? 'a claim of another run' : isHere ? `process ${holder.pid}` : `"${holder.host}"`;
  const advice = isHere ? 'Wait until it has ended' : `Wait until it has ended, or remove "${path}" if it has`;
  return new UsageError(
    'out-in-use',
    `Expected a folder for results that no other run is writing to, found "${folder}" in use by ${who}. ${advice}, or choose another --out.`,
  );
}

/** A cache that holds a limited number of bytes. */
type BoundedCache = Pick<Cache, 'find' | 'draft'> & {
  /** Removes entries, those unused for longest first, until the others fit. */
  trim(): Promise<void>;
};

/** A cache in a folder of its own, which is made when it is first used. */
export function boundedCache(folder: string, mostBytes: number): BoundedCache {
  let opened: Promise<Cache> | null = null;
  const cache = (): Promise<Cache> => (opened ??= openCache(folder));
  return {
    async find(key) {
      if (opened === null && (await stat(folder).catch(() => null)) === null) return null;
      const entry = await (await cache()).find(key);
      const now = new Date();
      // When it was last used; a cache that may only be read forgets that.
      if (entry) await utimes(join(folder, key), now, now).catch(() => undefined);
      return entry;
    },
    draft: async (key) => (await cache()).draft(key),
    async trim() {
      const entries = await Promise.all((await namesIn(folder)).map((name) => sizeOf(join(folder, name))));
      const latestFirst = entries.toSorted((a, b) => b.usedMs - a.usedMs);
      let held = 0;
      for (const { path, bytes } of latestFirst) {
        held += bytes;
        if (held <= mostBytes) continue;
        // Renamed first, so that nobody finds it while it is being removed.
        const aside = draftName(path);
        await rename(path, aside).then(() => rm(aside, { recursive: true, force: true })).catch(() => undefined); // prettier-ignore
      }
    },
  };
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.'));

async function sizeOf(path: string): Promise<{ path: string; bytes: number; usedMs: number }> {
  const files = await Promise.all((await namesIn(path)).map((name) => stat(join(path, name)).catch(() => null)));
  const bytes = files.reduce((sum, facts) => sum + (facts?.size ?? 0), 0);
  return { path, bytes, usedMs: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
}

/** Device, inode, size and times of a file, in nanoseconds: another text after every write. Empty if there is no file. */
export async function stampOf(path: string): Promise<string> {
  return (await lookAt(path))?.stamp ?? '';
}

/** The content of files by their stamp, so that a file that has not changed is not read again. */
type KnownFiles = {
  /** The content of a file that was read before and has not changed since; `null` if it has to be read. */
  known(path: string): Promise<ContentHash | null>;
  /** The content of a file, which is read if it is not known. */
  hash(path: string, signal?: AbortSignal): Promise<ContentHash>;
};

const keptSchema = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().nonnegative() });

/** Keeps what is known of files in a cache; with `verify`, every file is read once more. */
export function openKnownFiles({ folder, find, draft }: Cache, verify = false): KnownFiles {
  const keyFor = (stamp: string): string => keyOf({ stage: 'content', version: 1, stamp });
  const verified = new Set<string>();
  const recall = async (stamp: string): Promise<ContentHash | null> =>
    keptSchema.safeParse((await find(keyFor(stamp)))?.header).data ?? null;
  const known = async (path: string): Promise<ContentHash | null> => {
    const stamp = await stampOf(path);
    return stamp === '' || (verify && !verified.has(stamp)) ? null : recall(stamp);
  };
  const keep = async (stamp: string, content: ContentHash): Promise<void> => {
    // Only where the disk gave other bytes without a change of the file is something else known already.
    const before = await recall(stamp);
    if (before?.sha256 === content.sha256) return;
    if (before) await rm(join(folder, keyFor(stamp)), { recursive: true, force: true });
    const entry = await draft(keyFor(stamp));
    await entry.commit(content, []).finally(() => entry.discard());
  };
  return {
    known,
    async hash(path, signal) {
      const found = await known(path);
      if (found !== null) return found;
      const before = await lookAt(path);
      const content = await hashFile(path, signal);
      if (before === null || before.isFresh || before.stamp !== (await stampOf(path))) return content;
      verified.add(before.stamp);
      // A cache that cannot be written costs another reading; results that are not kept are reported elsewhere.
      await keep(before.stamp, content).catch((error: unknown) => {
        if (!(error instanceof ThroughlineError)) throw error;
      });
      return content;
    },
  };
}

/**
 * Clocks of file systems move in steps, up to two seconds (FAT). A file may be written to again in the step it was looked
 * at, with the same times, so what changed this recently is not taken as known (as git does, "racily clean").
 */
const CLOCK_STEP_MS = 2000;

async function lookAt(path: string): Promise<{ stamp: string; isFresh: boolean } | null> {
  const nowMs = Date.now();
  // A missing file is reported by whatever opens it.
  const facts = await stat(path, { bigint: true }).catch(() => null);
  if (facts === null) return null;
  const stamp = [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join('-');
  const since = (timeMs: bigint): number => nowMs - Number(timeMs);
  // Anybody may set the time of a file to the future; only the time of its change is the clock's.
  const isFresh = since(facts.ctimeMs) <= CLOCK_STEP_MS || Math.abs(since(facts.mtimeMs)) <= CLOCK_STEP_MS;
  return { stamp, isFresh };
}

/** Temporary disk storage for matrices too tall for memory. Must be closed, which discards it. */
type RowsFile = {
  /** Stores a matrix that comes some rows at a time. */
  store(rows: number, cols: number, blocks: AsyncIterable<Matrix> | Iterable<Matrix>): Promise<StoredMatrix>;
  close(): Promise<void>;
};

/** Error codes of a read-only folder. */
const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Opens temporary storage in a folder, or in the system's temporary folder if that one is read-only: one file for all
 * matrices. It is created when first needed and unlinked at once, so that nothing is left however the process ends.
 */
export function openRowsFile(folder: string): RowsFile {
  let file: Promise<FileHandle> | null = null;
  let used = resolve(folder);
  let taken = 0;
  const isOpen = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(1);
  const explained = (error: unknown): unknown =>
    isOpen[0] === 0 ? rowsClosed() : explainDisk(error, used, 'another folder with --cache');
  const create = async (): Promise<FileHandle> => {
    try {
      return await createNameless(folder);
    } catch (error) {
      if (!READ_ONLY.has((error as NodeJS.ErrnoException).code ?? '')) throw explained(error);
      const handle = await createNameless(tmpdir()).catch(() => Promise.reject(explained(error)));
      used = tmpdir();
      return handle;
    }
  };
  return {
    async store(rows, cols, blocks) {
      if (isOpen[0] === 0) throw rowsClosed();
      const offset = taken;
      taken += rows * cols * Float64Array.BYTES_PER_ELEMENT;
      // The next call tries again: there may be space by then.
      file ??= create().catch((error: unknown) => ((file = null), Promise.reject(error)));
      const handle = await file;
      let at = offset;
      for await (const block of blocks) {
        const bytes = bytesOf(block.data);
        await writeAt(handle, bytes, at).catch((error: unknown) => Promise.reject(explained(error)));
        at += bytes.length;
      }
      return { rows, cols, file: handle.fd, offset, isOpen };
    },
    async close() {
      Atomics.store(isOpen, 0, 0);
      await (await file?.catch(() => null))?.close();
    },
  };
}

/** Creates a file in a folder and unlinks it. */
async function createNameless(folder: string): Promise<FileHandle> {
  const path = draftName(join(folder, 'rows'));
  const handle = await open(path, 'wx+');
  await rm(path, { force: true }).catch((error: unknown) => handle.close().then(() => Promise.reject(error)));
  return handle;
}
