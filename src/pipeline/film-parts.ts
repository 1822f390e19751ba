import { open, writeFile } from 'node:fs/promises';
import { z } from 'zod';

import { StoreError } from '../base/index.js';
import { locateFfmpeg, PART_VERSION, type FilmHooks, type PartStore } from '../media/index.js';
import { requireUnchanged, type Video } from './admit.js';
import type { Scratch } from './analysis/record.js';
import type { Run } from './run.js';

const headerSchema = z.object({ frames: z.int().nonnegative(), bytes: z.int().positive() });

/** Bytes that are copied at once. */
const COPY_BYTES = 1 << 22;

/** How a film of these videos is written: parts that an earlier film has are not encoded again. */
export async function filmHooks(
  videos: readonly Video[],
  run: Run,
  { workers, onFrames }: Pick<FilmHooks, 'onFrames'> & { workers: number },
): Promise<FilmHooks> {
  const { filmParts } = run.workspace;
  const hooks = { signal: run.signal, onFrames, workers };
  return filmParts ? { ...hooks, parts: await openParts(videos, filmParts, run) } : hooks;
}

async function openParts(
  videos: readonly Video[],
  { find, draft }: NonNullable<Run['workspace']['filmParts']>,
  run: Run,
): Promise<PartStore> {
  const contents = new Map(videos.map(({ info, sha256 }) => [info.path, sha256]));
  const encoder = (await locateFfmpeg()).version;
  const keyFor = (identity: unknown): string =>
    run.workspace.keyOf({ stage: 'film-part', version: PART_VERSION, encoder, identity });
  return {
    contentOf: (path) => {
      const content = contents.get(path);
      if (content === undefined) throw new Error(`A film of other sources than said: ${path}`);
      return content;
    },
    recall: (identity, file) =>
      unlessUnkept(async () => {
        const entry = await find(keyFor(identity));
        const { data: header } = headerSchema.safeParse(entry?.header);
        if (!entry || !header) return null;
        await writeFile(file, '');
        for (let at = 0; at < header.bytes; at += COPY_BYTES) {
          await writeFile(file, await entry.read('pictures', at, COPY_BYTES), { flag: 'a' });
        }
        return header.frames;
      }),
    keep: (identity, file, frames) =>
      unlessUnkept(async () => {
        for (const video of videos) await requireUnchanged(video, run);
        const entry = await draft(keyFor(identity));
        try {
          const bytes = await copyInto(entry, file);
          await entry.commit({ frames, bytes }, ['pictures']);
        } finally {
          await entry.discard();
        }
        return null;
      }).then(() => undefined),
  };
}

async function copyInto(entry: Scratch, path: string): Promise<number> {
  const file = await open(path, 'r');
  let bytes = 0;
  try {
    for await (const chunk of file.createReadStream({ highWaterMark: COPY_BYTES, autoClose: false })) {
      await entry.append('pictures', chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
  } finally {
    await file.close();
  }
  return bytes;
}

/** What is kept only saves time: where the cache fails, a part is encoded again. */
async function unlessUnkept<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}
