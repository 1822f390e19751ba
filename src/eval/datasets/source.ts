import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { compareTexts, StoreError, UsageError } from '../../base/index.js';
import type { Refuse } from '../../features/index.js';

/** The usual name of a data set, and where its official files are. */
export type Origin = { readonly title: string; readonly home: string };

/** A file that was read, for the record of a run. */
export type FileRecord = { readonly path: string; readonly sha256: string };

/** The files of one folder. All files that are read are recorded; paths are relative to the folder, with `/`. */
export type Source = {
  /** The bytes of a file of at most `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer>;
  /** Names in the folder `path`, in code-unit order; `null` if there is no such folder. */
  list(path: string): Promise<string[] | null>;
  /** What was read so far, by path. */
  files(): FileRecord[];
  /** The error for something that is missing. */
  missing: Refuse;
  /** The error for a file that cannot be used. */
  damaged(path: string): Refuse;
};

/** Opens a folder as the files of a data set; nothing is read yet. */
export function openSource(folder: string, origin: Origin): Source {
  const hashes = new Map<string, string>();
  const from = `The official files of ${origin.title} are at ${origin.home}.`;
  const missing: Refuse = (expected, found) =>
    new UsageError('dataset-missing', `Expected ${expected} in "${folder}", found ${found}. ${from}`);
  const damaged = (path: string): Refuse => {
    return (expected, found) =>
      new StoreError('dataset-damaged', `Expected ${expected} in "${join(folder, path)}", found ${found}. ${from}`);
  };
  return {
    missing,
    damaged,
    files: () => [...hashes].map(([path, sha256]) => ({ path, sha256 })).sort((a, b) => compareTexts(a.path, b.path)),
    async read(path, maxBytes) {
      const [file, refuse] = [join(folder, path), damaged(path)];
      const facts = await stat(file).catch(() => null);
      if (!facts) throw missing(`the file "${path}"`, 'none');
      if (!facts.isFile()) throw refuse('a file', 'something else');
      if (facts.size > maxBytes) throw refuse(`at most ${maxBytes} bytes`, `${facts.size}`);
      const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
        throw refuse('a file that can be read', `one that cannot (${error.code})`);
      });
      hashes.set(path, createHash('sha256').update(bytes).digest('hex'));
      return bytes;
    },
    async list(path) {
      return readdir(join(folder, path)).then(
        (names) => names.sort(),
        () => null,
      );
    },
  };
}

/** The SHA-256 of a file of any size, read in a stream. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
