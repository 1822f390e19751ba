import { mapLimited } from '../base/index.js';
import type { ObjectStore } from '../storage/index.js';
import { namesOf, READ_AT_ONCE, readRecord, videoName, type GivenVideo } from './records.js';

/** What pruning removed, or would remove, by the first part of the names. */
export type Pruned = Readonly<Record<string, { readonly objects: number; readonly bytes: number }>>;

type Wish = {
  readonly olderThanMs: number;
  /** Keeps the results of topics; only what they were made from is removed. */
  readonly keepResults: boolean;
  /** Only counts. */
  readonly dryRun: boolean;
  /** Whether a topic without results may be removed. */
  readonly isAbandoned: (topic: string) => Promise<boolean>;
};

type Known = { newestMs: number; doneMs: number | null };

/**
 * Removes what is older than `olderThanMs`, by the clock of the store: topics that are done or abandoned, and videos,
 * analyses and other files that no remaining unfinished topic was submitted with. The record that says that a topic is done
 * goes first, so that an interrupted call leaves no topic that looks whole.
 */
export async function pruneStore(objects: ObjectStore, wish: Wish): Promise<Pruned> {
  const before = (await clockOf(objects)) - wish.olderThanMs;
  const pruned: Record<string, { objects: number; bytes: number }> = {};
  const remove = async (entries: readonly { name: string; bytes: number }[]): Promise<void> => {
    for (const { name, bytes } of entries) {
      const of = (pruned[name.split('/')[0]!] ??= { objects: 0, bytes: 0 });
      of.objects++;
      of.bytes += bytes;
    }
    if (!wish.dryRun) await mapLimited(entries, READ_AT_ONCE, ({ name }) => objects.remove(name));
  };

  const topics = new Map<string, Known>();
  for await (const { name, modifiedMs } of objects.entries('topics/')) {
    const id = name.split('/')[1]!;
    const known = topics.get(id) ?? { newestMs: 0, doneMs: null };
    known.newestMs = Math.max(known.newestMs, modifiedMs);
    if (name === namesOf(id).done) known.doneMs = modifiedMs;
    topics.set(id, known);
  }
  const unfinished: string[] = [];
  for (const [id, { newestMs, doneMs }] of topics) {
    const isOld = doneMs === null ? newestMs < before && (await wish.isAbandoned(id)) : doneMs < before;
    if (isOld) await removeTopic(id, wish.keepResults && doneMs !== null);
    else if (doneMs === null) unfinished.push(id);
  }

  const needed = await namesOfVideos(objects, unfinished);
  for (const prefix of ['videos/', 'files/', 'analyses/', 'parts/']) {
    let some: { name: string; bytes: number }[] = [];
    for await (const entry of objects.entries(prefix)) {
      // Files such as shot lists are small, and an unfinished topic may need them.
      if (entry.modifiedMs >= before || needed.has(entry.name)) continue;
      if (prefix === 'files/' && unfinished.length > 0) continue;
      some.push(entry);
      if (some.length < 1000) continue;
      await remove(some);
      some = [];
    }
    await remove(some);
  }
  return pruned;

  async function removeTopic(id: string, keepResults: boolean): Promise<void> {
    const { done, head, out } = namesOf(id);
    const found: { name: string; bytes: number }[] = [];
    for await (const entry of objects.entries(`topics/${id}/`)) found.push(entry);
    const isKept = (name: string): boolean => name === done || name === head || name.startsWith(`${out}/`);
    if (keepResults) return remove(found.filter(({ name }) => !isKept(name)));
    await remove(found.filter(({ name }) => name === done));
    await remove(found.filter(({ name }) => name !== done));
  }
}

/** The time by the clock of the store: that of this machine may be wrong. */
async function clockOf(objects: ObjectStore): Promise<number> {
  const name = 'prune/clock';
  await objects.write(name, '');
  for await (const { modifiedMs } of objects.entries(name)) {
    await objects.remove(name);
    return modifiedMs;
  }
  // Another call removed it just now.
  return clockOf(objects);
}

async function namesOfVideos(objects: ObjectStore, topics: readonly string[]): Promise<Set<string>> {
  const needed = new Set<string>();
  for (const id of topics) {
    for (let chunk = 0; ; chunk++) {
      const videos = await readRecord<readonly GivenVideo[]>(objects, namesOf(id).inputs(chunk));
      if (videos === null) break;
      for (const { sha256 = '' } of videos) needed.add(videoName(sha256));
    }
  }
  return needed;
}
