import { z } from 'zod';

import { ThroughlineError, bytesOf, filledFrom } from '../base/index.js';
import type { Run } from './run.js';
import type { FeatureMatrix } from '../features/index.js';

/** Disks for which the note was given; once is enough. */
const reported = new WeakSet<Run['workspace']>();

/** What a cache says that did not take something, for reasons of its own. */
const NOT_KEPT = new Set('disk-full not-writable folder-gone file-too-large disk-failed entry-vanished'.split(' '));

/**
 * Caches something that only saves time in a later run. If the cache is full or cannot be written, an event says so and the
 * run goes on. It is not a note in the record, whose bytes must not depend on the cache.
 */
export async function keepForLater(
  run: Run,
  key: string,
  header: unknown,
  sections: Readonly<Record<string, Uint8Array>> = {},
): Promise<void> {
  try {
    const draft = await run.workspace.draft(key);
    try {
      for (const [name, bytes] of Object.entries(sections)) await draft.append(name, bytes);
      await draft.commit(header, Object.keys(sections));
    } catch (error) {
      await draft.discard();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof ThroughlineError) || !NOT_KEPT.has(error.code)) throw error;
    if (reported.has(run.workspace)) return;
    reported.add(run.workspace);
    run.emit({ type: 'note', code: 'not-kept', message: `Results are not cached for later runs. ${error.message}` });
  }
}

/** Numbers of a video's shots, with a note for the reader if something was odd when they were made. */
export type NotedMatrix = FeatureMatrix & { readonly note: string | null };

const headerSchema = z.object({
  schema: z.literal('rows.1'),
  dim: z.int().nonnegative(),
  note: z.string().nullable(),
});

/** Such numbers from the cache, else made and cached under what they are made from. */
export async function keptMatrix(
  run: Run,
  record: Record<string, unknown>,
  shotCount: number,
  make: () => Promise<NotedMatrix>,
): Promise<NotedMatrix> {
  const key = run.workspace.keyOf(record);
  const kept = await run.workspace.find(key);
  const { data: header } = headerSchema.safeParse(kept?.header);
  if (kept && header) {
    const bytes = await kept.read('rows');
    if (bytes.length === shotCount * header.dim * Float32Array.BYTES_PER_ELEMENT) {
      const data = filledFrom(new Float32Array(shotCount * header.dim), bytes);
      return { shotCount, dim: header.dim, data, note: header.note };
    }
  }
  const made = await make();
  const { dim, note } = made;
  const seal: z.infer<typeof headerSchema> = { schema: 'rows.1', dim, note };
  await keepForLater(run, key, seal, { rows: bytesOf(made.data) });
  return made;
}
