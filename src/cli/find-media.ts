import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { proxyPath } from '../media/index.js';
import { sourcesOf } from '../storage/index.js';
import { fileUrls, relativeUrls } from '../timeline/index.js';

/** Where the videos of a summary are: `folder` has most of them; a video that is not there may be in another. */
type Media = { readonly folder: string; folderOf(name: string): string; readonly missing: string[] };

/** Looks for videos in the folder given, or in those that the run used, and in likely ones. */
export async function findMedia(
  summary: string,
  topic: string,
  names: readonly string[],
  asked: string | undefined,
): Promise<Media> {
  const beside = dirname(resolve(summary));
  const likely = [join(beside, '..', topic), beside, join(beside, '..'), resolve(topic), resolve('.')];
  const folders = asked === undefined ? [...(await sourcesOf(beside)), ...likely] : [resolve(asked)];
  const looked = await Promise.all(
    folders.map(async (folder) => {
      const found = await Promise.all(names.map((name) => access(resolve(folder, name)).then(() => true, () => false))); // prettier-ignore
      return { folder, missing: names.filter((_, at) => found[at] === false) };
    }),
  );
  const best = looked.reduce((first, each) => (each.missing.length < first.missing.length ? each : first));
  const folderOf = (name: string): string =>
    (best.missing.includes(name) ? looked.find(({ missing }) => !missing.includes(name)) : best)?.folder ?? best.folder;
  const missing = names.filter((name) => looked.every((each) => each.missing.includes(name)));
  return { folder: best.folder, folderOf, missing };
}

/** URLs of the proxies that the studio made in the folder of the topic, by path of the video. */
export async function findProxies(
  summary: string,
  videos: readonly string[],
  folderOf: (name: string) => string,
  from: string,
  paths: 'absolute' | 'relative',
): Promise<Map<string, string>> {
  const beside = dirname(resolve(summary));
  const folder = [beside, dirname(beside)].map((each) => join(each, 'proxies')).find((each) => existsSync(each));
  const found = new Map<string, string>();
  for (const name of folder === undefined ? [] : videos) {
    const proxy = await proxyPath(folder!, resolve(folderOf(name), name)).catch(() => null);
    if (proxy === null || !existsSync(proxy)) continue;
    found.set(name, (paths === 'absolute' ? fileUrls(folder!) : relativeUrls(folder!, from))(basename(proxy)));
  }
  return found;
}
