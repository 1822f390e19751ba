import { join } from 'node:path';

import { mapLimited, StoreError, UsageError } from '../base/index.js';
import { hashFile, openFolder, type ObjectStore } from '../storage/index.js';
import { namesOf, readRecord, READ_AT_ONCE, readHead, readRecords, type TaskMessages } from './records.js';
import { type TaskContext, CHUNK, chunksOf } from './tasks.js';
import { UNSTEADY } from './run-task.js';

/** Copies the results of a finished topic into a local folder, each file whole. Files that are already there are kept. */
export async function fetchResults(
  topic: string,
  folder: string,
  context: TaskContext,
): Promise<{ files: readonly string[] }> {
  const { objects, jobs, signal, emit } = context;
  const { done, out } = namesOf(topic);
  if ((await readRecord(objects, done, signal)) === null) {
    throw new UsageError(
      'not-done',
      `Expected the results of topic ${topic} in the store ${objects.url}, found none. Wait until the topic is done; "throughline jobs status" shows its progress.`,
    );
  }
  await openFolder(folder);
  const names: string[] = [];
  for await (const name of objects.list(`${out}/`)) names.push(name);
  const files = names.map((name) => name.slice(out.length + 1)).sort();
  await mapLimited(files, jobs, async (file) => {
    const [name, path] = [`${out}/${file}`, join(folder, ...file.split('/'))];
    const wanted = await objects.head(name, signal);
    const found = await hashFile(path, signal).catch(() => null);
    if (wanted !== null && found?.sha256 === wanted.sha256) return;
    if (!(await objects.download(name, path, signal))) {
      throw new StoreError(
        'no-object',
        `Expected "${name}" in the store ${objects.url}, found that it was removed just now. Fetch again.`,
      );
    }
    emit({ type: 'wrote', path });
  });
  return { files };
}

/** The id of the topic in a store that begins with `given`. Throws if several do; returns `given` if none does. */
export async function topicNamed(given: string, objects: ObjectStore): Promise<string> {
  if (!/^[0-9a-f]{4,39}$/.test(given)) return given;
  const found = new Set<string>();
  for await (const name of objects.list(`topics/${given}`)) found.add(name.split('/')[1]!);
  if (found.size < 2) return [...found][0] ?? given;
  throw new UsageError(
    'unclear-topic',
    `Expected the id of one topic, found ${found.size} that begin with "${given}": ${[...found].slice(0, 5).join(', ')}. Give more characters.`,
  );
}

/**
 * Removes the records of videos that were left out, and all results made without them, so that running the topic again
 * redoes only these. Returns how many tasks will be tried again. Can be repeated after an interruption.
 */
export async function bringBack(topic: string, { objects }: Pick<TaskContext, 'objects'>): Promise<number> {
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
    const found = await readRecords<TaskMessages[]>(objects, all);
    const isLost = ({ skipped }: TaskMessages): boolean =>
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
