import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

import { compareTexts, UsageError } from '../../base/index.js';
import { VIDEO_ENDINGS } from '../../stages/index.js';

/** The files that were found, by id, and the ids without a file. */
export type FoundFiles = { readonly found: ReadonlyMap<string, string>; readonly missing: readonly string[] };

/**
 * The videos of a data set in a folder, or in folders one level below. A file belongs to an id that is its name; to an id
 * `topic/number` (CoSum) also if it is `topic/number`, or the beginning of the topic, three letters or more, with the number
 * (`base1.mp4`, `base_jump_1.mp4`). Of several, the ending named first among the known ones wins, then the earlier path.
 */
export async function findVideos(folder: string, ids: readonly string[]): Promise<FoundFiles> {
  return findFiles(folder, ids, [...VIDEO_ENDINGS]);
}

/** Like `findVideos`, for files with other endings. */
export async function findFiles(
  folder: string,
  ids: readonly string[],
  endings: readonly string[],
): Promise<FoundFiles> {
  const files = await listFiles(folder, endings);
  const found = new Map<string, string>();
  for (const id of ids) {
    const file = files.find(({ parent, stem }) => isNamed(id, parent, stem));
    if (file) found.set(id, join(folder, file.path));
  }
  return { found, missing: ids.filter((id) => !found.has(id)) };
}

type NamedFile = { readonly path: string; readonly parent: string; readonly stem: string; readonly rank: number };

async function listFiles(folder: string, endings: readonly string[]): Promise<NamedFile[]> {
  const files: NamedFile[] = [];
  const visit = async (parent: string): Promise<void> => {
    const entries = await readdir(join(folder, parent), { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (parent !== '') return [];
        throw new UsageError(
          'not-a-folder',
          `Expected a folder at "${folder}", found none that can be read (${error.code}). Check the path.`,
        );
      },
    );
    for (const entry of entries) {
      const ending = extname(entry.name);
      const rank = endings.indexOf(ending.toLowerCase());
      if (entry.isDirectory() && parent === '') await visit(entry.name);
      else if (!entry.isDirectory() && rank >= 0) {
        const stem = entry.name.slice(0, -ending.length);
        files.push({ path: join(parent, entry.name), parent, stem, rank });
      }
    }
  };
  await visit('');
  return files.sort((a, b) => a.rank - b.rank || compareTexts(a.path, b.path));
}

function isNamed(id: string, parent: string, stem: string): boolean {
  if (stem === id) return true;
  const [, topic, number] = /^(\w+)\/(\d+)$/.exec(id) ?? [];
  if (topic === undefined || number === undefined) return false;
  if (stem === number) return parent.replace(/^\d+_/, '') === topic;
  const [, begin, given] = /^([a-z_]*[a-z])_?(\d+)$/.exec(stem.toLowerCase()) ?? [];
  return given === number && begin !== undefined && begin.length >= 3 && topic.startsWith(begin);
}
