import { mapLimited, UsageError } from '../base/index.js';
import { CHUNK, chunksOf } from './chunks.js';
import { namesOf, READ_AT_ONCE, readHead, readRecords, type Said } from './records.js';
import { UNSTEADY } from './run-task.js';
import type { TaskDesk } from './types.js';

/**
 * Removes the records of videos that were left out, and all results made without them, so that running the topic again
 * redoes only these. Returns how many tasks will be tried again. Can be repeated after an interruption.
 */
export async function bringBack(topic: string, { objects }: Pick<TaskDesk, 'objects'>): Promise<number> {
  const names = namesOf(topic);
  const { videos } = await readHead(objects, topic);
  const [extracted, ranked] = [await lostIn('extract', videos), await lostIn('summarise', videos)];
  const count = extracted.singles.length + ranked.singles.length;
  if (count === 0) {
    throw new UsageError(
      'nothing-left-out',
      `Expected topic ${topic} to have left out a video or a film for a reason that may have passed, found none. There is nothing to retry.`,
    );
  }

  // What was made last is removed first, and the list of videos left out last, so that an interrupted call can be repeated.
  await removeAll([names.done, names.concept]);
  if (extracted.singles.length > 0) {
    // Every ranking, and so every film, depends on which videos are in the topic.
    const home = names.done.slice(0, names.done.lastIndexOf('/') + 1);
    await removeAll(await listed(home, /^(?:out\/|rankings[-/]|moments\/|roster[-.])/));
  }
  for (const { singles, chunks } of [ranked, extracted]) {
    await removeAll(singles);
    await removeAll(chunks);
  }
  return count;

  /** Records of tasks that were given up, or failed for a reason that may have passed, and the chunks that contain them. */
  async function lostIn(of: 'extract' | 'summarise', most: number) {
    const all = Array.from({ length: chunksOf(most) }, (_, chunk) => names.gathered(of, chunk));
    const found = await readRecords<Said[]>(objects, all);
    const isLost = ({ skipped }: Said): boolean =>
      skipped.some(({ code }) => code === 'given-up' || UNSTEADY.has(code));
    const lost = found.map((records, chunk) =>
      (records ?? []).flatMap((record, at) => (isLost(record) ? [names.one(of, chunk * CHUNK + at)] : [])),
    );
    return { singles: lost.flat(), chunks: all.filter((_, chunk) => lost[chunk]!.length > 0) };
  }

  async function listed(prefix: string, pattern: RegExp): Promise<string[]> {
    const found: string[] = [];
    for await (const name of objects.list(prefix)) if (pattern.test(name.slice(prefix.length))) found.push(name);
    return found;
  }

  async function removeAll(gone: readonly string[]): Promise<void> {
    await mapLimited(gone, READ_AT_ONCE, (name) => objects.remove(name));
  }
}
