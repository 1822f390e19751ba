import { join } from 'node:path';

import { mapLimited, StoreError, UsageError } from '../base/index.js';
import { hashFile, openFolder, type ObjectStore } from '../store/index.js';
import { namesOf, readRecord } from './records.js';
import type { TaskDesk } from './types.js';

/** Copies the results of a finished topic into a local folder, each file whole. Files that are already there are kept. */
export async function fetchResults(
  topic: string,
  folder: string,
  desk: TaskDesk,
): Promise<{ files: readonly string[] }> {
  const { objects, jobs, signal, tell } = desk;
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
    tell({ type: 'wrote', path });
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
