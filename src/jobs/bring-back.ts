import { mapLimited, UsageError } from '../base/index.js';
import { CHUNK, chunksOf } from './chunks.js';
import { namesOf, READ_AT_ONCE, readHead, readRecords, type Said } from './records.js';
import { UNSTEADY } from './run-task.js';
import type { TaskDesk } from './types.js';

/**
 * Takes out of the store what says that videos were left out, and all that was made without them: the tasks of the topic,
 * done again from the first, find the rest done. Interrupted, it can be begun again. Tells how many there are.
 */
export async function bringBack(topic: string, { objects }: Pick<TaskDesk, 'objects'>): Promise<number> {
  const names = namesOf(topic);
  const { videos } = await readHead(objects, topic);
  const [extracted, ranked] = [await lostIn('extract', videos), await lostIn('summarise', videos)];
  const count = extracted.singles.length + ranked.singles.length;
  if (count === 0) {
    throw new UsageError(
      'nothing-left-out',
      `Expected a topic that went on without a video, or one of its films, for a reason that may have passed; found none in ${topic}.`,
    );
  }

  // What is made last goes first: while something is left, so is the word of who was left out.
  await removeAll([names.done, names.concept]);
  if (extracted.singles.length > 0) {
    // Who is in the topic has a say in every ranking, and so in every film.
    const home = names.done.slice(0, names.done.lastIndexOf('/') + 1);
    await removeAll(await listed(home, /^(?:out\/|rankings[-/]|moments\/|roster[-.])/));
  }
  for (const { singles, chunks } of [ranked, extracted]) {
    await removeAll(singles);
    await removeAll(chunks);
  }
  return count;

  /** Records of tasks that were given up, or found what may have passed; and the gathered ones they stand in. */
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
