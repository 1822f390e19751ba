import { ThroughlineError } from '../base/index.js';
import type { Run } from '../run.js';

/** Disks for which the note was given; once is enough. */
const told = new WeakSet<Run['shelf']>();

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
    const draft = await run.shelf.draft(key);
    try {
      for (const [name, bytes] of Object.entries(sections)) await draft.append(name, bytes);
      await draft.commit(header, Object.keys(sections));
    } catch (error) {
      await draft.discard();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof ThroughlineError) || !NOT_KEPT.has(error.code)) throw error;
    if (told.has(run.shelf)) return;
    told.add(run.shelf);
    run.tell({ type: 'note', code: 'not-kept', message: `Results are not cached for later runs. ${error.message}` });
  }
}
