import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';

import { compareTexts, UsageError, whyUnreadable } from '../base/index.js';

/** Endings of files that count as videos in a folder. Files given one by one may have any ending. */
export const VIDEO_ENDINGS: ReadonlySet<string> = new Set(
  '.mp4 .m4v .mov .mkv .webm .avi .ts .mts .m2ts .mpg .mpeg .vob .wmv .asf .flv .ogv .3gp .3g2 .mxf .dv .y4m'.split(
    ' ',
  ),
);

/** The id of the film of the topic; no video gets it. */
export const CONCEPT_ID = 'concept';

/** A video file to work on. */
export type Input = {
  /** Unique within the run; safe as a file name. */
  readonly id: string;
  readonly path: string;
  /** As shown to people: relative to the topic folder. */
  readonly name: string;
};

/** A folder inside the topic that could not be read; `name` is relative to the topic folder. */
type UnreadableFolder = { readonly name: string; readonly message: string };

/**
 * The files of a topic in name order, and the name of the topic. `out` is where the results will go: it is not searched, and
 * must not contain sources, because films could get the same names.
 */
export async function collectInputs(
  given: readonly string[],
  options: { recursive: boolean; out: string; topic?: string | undefined },
): Promise<{ topic: string; inputs: Input[]; unreadable: UnreadableFolder[] }> {
  if (given.length === 0)
    throw new UsageError('no-inputs', 'Expected a folder of videos or video files, found none. Name a folder.');
  const paths: { path: string; name: string }[] = [];
  const unreadable: UnreadableFolder[] = [];
  let home: string | null = null;
  for (const path of given) {
    // As in a folder, a link named like a video is one file, wherever it leads; reading it will tell.
    const isLink = isVideo(path) && ((await lstat(path).catch(() => null))?.isSymbolicLink() ?? false);
    const facts = await stat(path).catch((error: unknown) => {
      if (!isLink) throw notFound(path, error);
      return null;
    });
    if (facts?.isDirectory() && !isLink) {
      home ??= resolve(path);
      const found = await listVideos(path, options);
      for (const file of found.files) paths.push({ path: file, name: relative(path, file) });
      unreadable.push(...found.unreadable);
    } else paths.push({ path, name: basename(path) });
  }
  if (paths.length === 0) {
    throw new UsageError(
      'no-videos',
      `Expected videos in "${given.join('", "')}" (${[...VIDEO_ENDINGS].slice(0, 5).join(', ')} and others), found none. Name a folder that holds some${options.recursive ? '' : ', or add --recursive to look into its subfolders'}.`,
    );
  }
  const distinct = await distinctFiles(paths);
  await refuseOverwriting(distinct, options.out);
  const inputs = withIds(distinct.map(({ path, name }) => ({ path, name })));
  // A topic of files given one by one is named after their folder; of a single file, after that file.
  const first = resolve(given[0] as string);
  const topic = options.topic ?? (basename(home ?? (given.length > 1 ? dirname(first) : first)) || 'topic');
  return { topic, inputs, unreadable };
}

/** Videos in the order of their names, each with the id it has in every run over the same names. */
export function withIds<T extends Pick<Input, 'name'>>(videos: readonly T[]): (T & Pick<Input, 'id'>)[] {
  const taken = new Set<string>([CONCEPT_ID]);
  const inOrder = videos.toSorted((a, b) => compareTexts(a.name, b.name));
  return inOrder.map((video) => ({ ...video, id: uniqueId(video.name, taken) }));
}

/** The folders that the names of inputs start from, in the order of the inputs. */
export function foldersOf(inputs: readonly Pick<Input, 'path' | 'name'>[]): string[] {
  return [...new Set(inputs.map(({ path, name }) => resolve(path, ...name.split(sep).map(() => '..'))))];
}

function notFound(path: string, error: unknown): UsageError {
  const say = (found: string): UsageError =>
    new UsageError('not-found', `Expected a folder or a video at "${path}", found ${found}`);
  if (/^https?:\/\//.test(path)) return say('a web address. Download the video, and name the file.');
  const why = whyUnreadable(error);
  return why === 'permission denied'
    ? say('a folder on the way that may not be read. Check its permissions.')
    : say('nothing. Check the path.');
}

/** Whether a file in a folder counts as a video, by its name. */
export function isVideo(path: string): boolean {
  return VIDEO_ENDINGS.has(extname(path).toLowerCase());
}

async function listVideos(
  top: string,
  options: { recursive: boolean; out: string },
): Promise<{ files: string[]; unreadable: UnreadableFolder[] }> {
  const files: string[] = [];
  const unreadable: UnreadableFolder[] = [];
  const folders = [top];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      const name = folder === top ? top : relative(top, folder);
      const message = `Could not read the folder "${name}" (${whyUnreadable(error)}). Check its permissions.`;
      if (folder === top) throw new UsageError('unreadable', message);
      unreadable.push({ name, message });
      return [];
    });
    for (const entry of entries) {
      // Hidden files hold system metadata, half copies and our own drafts, never footage.
      if (entry.name.startsWith('.')) continue;
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) {
        if (isVideo(path)) files.push(path);
      } else if (options.recursive && resolve(path) !== resolve(options.out)) folders.push(path);
    }
  }
  return { files, unreadable };
}

/** Keeps a file that was given twice, by whatever paths, once. `real` is its path with links followed. */
async function distinctFiles<T extends { path: string }>(paths: readonly T[]): Promise<(T & { real: string })[]> {
  const seen = new Map<string, T & { real: string }>();
  for (const each of paths) {
    const real = await realpath(each.path).catch(() => resolve(each.path));
    if (!seen.has(real)) seen.set(real, { ...each, real });
  }
  return [...seen.values()];
}

async function refuseOverwriting(sources: readonly { path: string; real: string }[], out: string): Promise<void> {
  const target = await realpath(out).catch(() => resolve(out));
  for (const { path, real } of sources) {
    if (dirname(real) !== target) continue;
    throw new UsageError(
      'out-holds-sources',
      `Expected a folder for results without sources, found the source "${basename(path)}" in "${out}": films could overwrite it. Choose another --out.`,
    );
  }
}

/** Letters as people see them: one with its accents and vowel signs is never cut in two. */
const LETTERS = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** In bytes: file systems allow 255 for a name, including endings and a number. */
const LONGEST_ID = 180;

function uniqueId(name: string, taken: Set<string>): string {
  // Some systems store "é" as two characters, others as one: names of results are the same on all of them.
  const stem = name.slice(0, name.length - extname(name).length).normalize('NFC');
  // Letters with all that belongs to them, such as vowel signs, and the joiners between them.
  const plain = stem.replace(/[^\p{L}\p{M}\p{N}\p{Join_Control}._ -]/gu, '_').replace(/^[. ]+|[. ]+$/g, '');
  const safe = plain.replace(/^[\p{M}\p{Join_Control}]/u, '_') || 'video';
  let short = '';
  for (const { segment: letter } of LETTERS.segment(safe)) {
    if (Buffer.byteLength(short + letter) > LONGEST_ID) break;
    short += letter;
  }
  for (let count = 1; ; count++) {
    const id = count === 1 ? short : `${short}-${count}`;
    // Some file systems ignore case: ids must differ in more than that.
    if (taken.has(id.toLowerCase())) continue;
    taken.add(id.toLowerCase());
    return id;
  }
}
