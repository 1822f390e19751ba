import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve, sep } from 'node:path';

import { StoreError, UsageError } from '../base/index.js';
import { optionFacts } from '../options/index.js';
import { beginTopic, collectInputs, includeVideos, isTopic, placesOf } from '../pipeline/index.js';
import { topicFolder } from '../studio/index.js';

/** The folders that may be used, and nothing else. */
export type Roots = {
  /** Their real paths. */
  readonly folders: readonly string[];
  /** The real path of a folder named by a client: absolute, or relative to one of the folders. */
  find(named: string): Promise<string>;
  /** The folder of the topic of these videos; the videos and files it uses are checked, too. */
  topicOf(folder: string): Promise<string>;
};

/** Opens the folders named on the command line. */
export async function openRoots(given: readonly string[]): Promise<Roots> {
  const folders = await Promise.all(given.map(realFolder));
  const named = given.map((each) => resolve(each));
  const contains = (path: string, all: readonly string[] = folders): boolean =>
    all.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));

  const find = async (text: string): Promise<string> => {
    if (text.includes('\0')) throw outside(text);
    const bases = isAbsolute(text) ? [''] : named;
    // What leaves the folders by its words alone is refused before the disk is asked about it.
    const places = bases.map((base) => resolve(base, text)).filter((place) => contains(place, [...named, ...folders]));
    if (places.length === 0) throw outside(text);
    for (const place of places) {
      const real = await realpath(place).catch(() => null);
      if (real === null) continue;
      if (!contains(real)) throw outside(text);
      if ((await stat(real)).isDirectory()) return real;
    }
    throw new UsageError(
      'not-found',
      `Expected a folder at "${text}", found none. list_folders names those there are.`,
    );
  };

  const requireInside = async (paths: readonly string[], what: string): Promise<void> => {
    for (const path of paths) {
      // What is not there is named by the run, as any other file that cannot be used.
      const real = await realpath(path).catch(() => null);
      if (real === null || contains(real)) continue;
      throw new UsageError(
        'outside',
        `Expected ${what} inside the folders given, found that "${basename(path)}" is elsewhere. Its folder can be named when the server is started.`,
      );
    }
  };

  return {
    folders,
    find,
    async topicOf(folder) {
      const beside = await topicFolder(folder);
      const at = contains(beside) ? beside : join(folder, basename(beside));
      if ((await lstat(at).catch(() => null))?.isSymbolicLink()) throw outside(at);
      await requireInside(await videosIn(folder, at), 'videos');
      if (await isTopic(at)) {
        // What a record that cannot be read holds would be quoted in the message.
        await requireInside([join(at, 'topic.json')], 'the record of the topic');
        const project = await beginTopic(at, []);
        const { videos, leftOut } = placesOf(at, project);
        await requireInside([...videos, ...leftOut], 'the videos of the topic');
        await requireInside(filesIn(project.options), 'the files that its options name');
      }
      return at;
    },
  };
}

/** Adds videos to a topic that came into their folder since it was begun. */
export async function addNewVideos(folder: string, topic: string): Promise<void> {
  if (folder === topic || !(await isTopic(topic))) return;
  const { videos, leftOut } = placesOf(topic, await beginTopic(topic, []));
  const known = new Set([...videos, ...leftOut]);
  const fresh = (await videosIn(folder, topic)).filter((path) => !known.has(path));
  for (const path of fresh) {
    await includeVideos(topic, [path]).catch((error: unknown) => {
      // A link to nothing or a pipe cannot be a video of the topic.
      if (!(error instanceof StoreError && error.code === 'unreadable')) throw error;
    });
  }
}

/** Paths of the videos in a folder; none for the folder of a topic. */
async function videosIn(folder: string, topic: string): Promise<string[]> {
  if (folder === topic) return [];
  const { inputs } = await collectInputs([folder], { recursive: false, out: topic }).catch(async (error: unknown) => {
    if (error instanceof UsageError && error.code === 'no-videos' && (await isTopic(topic))) return { inputs: [] };
    throw error;
  });
  return inputs.map(({ path }) => path);
}

async function realFolder(given: string): Promise<string> {
  const real = await realpath(given).catch(() => null);
  if (real !== null && (await stat(real)).isDirectory()) return real;
  throw new UsageError(
    'not-found',
    `Expected a folder at "${given}", found ${real === null ? 'nothing' : 'a file'}. Check the path.`,
  );
}

function outside(named: string): UsageError {
  return new UsageError(
    'outside',
    `Expected a folder inside those given when the server was started, found "${named.slice(0, 200)}". list_folders names those there are.`,
  );
}

/** Paths among the options that are stored with a topic. */
function filesIn(options: Readonly<Record<string, unknown>>): string[] {
  return optionFacts.flatMap(({ name, placeholder }) => {
    const value = options[name];
    return /^(FILE|FOLDER|PATH)$/.test(placeholder ?? '') && typeof value === 'string' ? [value] : [];
  });
}
