import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

import type { SummaryDocument } from '../summary/index.js';
import { fileUrls, parseRate, timelineFormats, timelineOfConcept, timelineOfTopic, timelineOfVideo, type Comment } from '../timeline/index.js'; // prettier-ignore
import type { CutListRequest, ResultFile } from './contract.js';

/** What is known of a topic besides its record: comments, and small copies of videos by their paths. */
export type Known = { readonly comments: readonly Comment[]; readonly proxies: ReadonlyMap<string, string> };

/** A selection as a cut list. `pathOf` turns the path in the record into the path of the file. */
export function writeCutList(
  document: SummaryDocument,
  { of, format: name, rate, handles, comments, proxies }: CutListRequest & Known,
  pathOf: (path: string) => string,
): { name: string; text: string; notes: string[] } {
  const locate = (path: string): string => fileUrls('/')(pathOf(path));
  const marks = ['comments'] as const;
  const copies = document.videos.flatMap(({ path }): [string, string][] => {
    const proxy = proxies.get(pathOf(path));
    return proxy === undefined ? [] : [[path, fileUrls('/')(proxy)]];
  });
  const options = {
    proxies: new Map(copies),
    handles,
    locate,
    marks,
    comments,
    counting: rate === null ? undefined : parseRate(rate),
  };
  const timeline =
    of === 'film'
      ? timelineOfConcept(document, options)
      : of === 'all'
        ? timelineOfTopic(document, undefined, options)
        : timelineOfVideo(document, of.video, options);
  const format = timelineFormats[name];
  const { text, notes } = format.write(timeline);
  const stem = of === 'film' ? `${document.topic}-film` : of === 'all' ? document.topic : of.video;
  return { name: `${stem}${format.extension}`, text, notes: [...timeline.notes, ...notes] };
}

/** The files in the folder of results, by name; none if there is no such folder yet. */
export async function listResults(folder: string): Promise<ResultFile[]> {
  const found = await readdir(folder, { recursive: true }).catch(() => []);
  const names = found
    .map((name) => name.split(sep).join('/'))
    .filter((name) => !/(^|\/)\./.test(name))
    .sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name, facts: await stat(join(folder, name)).catch(() => null) })),
  );
  return files.flatMap(({ name, facts }) =>
    facts?.isFile()
      ? [{ name, bytes: facts.size, href: `/results/${name.split('/').map(encodeURIComponent).join('/')}` }]
      : [],
  );
}
