import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { ThroughlineError } from '../base/index.js';
import type { Cache } from './cache.js';
import { hashFile, keyOf, type ContentHash } from './hash.js';

/** Device, inode, size and times of a file, in nanoseconds: another text after every write. Empty if there is no file. */
export async function stampOf(path: string): Promise<string> {
  return (await lookAt(path))?.stamp ?? '';
}

/** The content of files by their stamp, so that a file that has not changed is not read again. */
export type KnownFiles = {
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
