import { ThroughlineError } from '../base/index.js';
import type { Run } from '../run.js';

/** Disks that have been told of; once is enough. */
const told = new WeakSet<Run['shelf']>();

/**
 * Keeps what saves a later run time, and nothing else: where the cache has no room for it or may not be written, that is
 * said, and the run goes on. Not a note of the record, whose bytes must not depend on it.
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
    if (!(error instanceof ThroughlineError) || !/^(?:disk-full|not-writable)$/.test(error.code)) throw error;
    if (told.has(run.shelf)) return;
    told.add(run.shelf);
    run.tell({ type: 'note', code: 'not-kept', message: `What was made is not kept for later runs. ${error.message}` });
  }
}
