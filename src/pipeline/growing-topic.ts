import { stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';

import { StoreError, UsageError, compareTexts } from '../base/index.js';
import { openCache, openFolder, openKnownFiles, readText, writeParts } from '../storage/index.js';
import {
  compareSummaries,
  parseSummary,
  type SummaryChange,
  type SummaryDocument,
  readRecord,
} from '../summary/index.js';

/** What is in the folder of a topic. */
const RECORD = 'topic.json';
const SUMMARY = 'summary';
const STORE = 'store';

/** Options by name, as they are stored; the summariser checks them. */
type Given = Readonly<Record<string, unknown>>;

/** Summarises videos with these options, `out` and `cache` included. Throws if no video could be used. */
type Summarise<O> = (videos: readonly string[], options: Given) => Promise<O>;

/** The result of adding or removing videos. */
export type Growth<O> = {
  readonly project: Project;
  /** Paths of videos that were added, that were removed, and that were already in the topic. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly known: readonly string[];
  /** How each summary changed; `null` if no video is left. */
  readonly changes: readonly SummaryChange[] | null;
  readonly outcome: O | null;
};

type Outcome = { readonly document: SummaryDocument };

/**
 * Adds videos to the topic in `folder`, which is created if there is none, and summarises it again. Options given
 * replace the stored ones. The record changes only when the work is done, so an interrupted run can be repeated.
 */
export async function addVideos<O extends Outcome>(
  folder: string,
  videos: readonly string[],
  given: Given,
  summarise: Summarise<O>,
  { verify = false }: { verify?: boolean | undefined } = {},
): Promise<Growth<O>> {
  const { project, text } = (await readTopic(folder)) ?? { project: emptyProject(folder), text: null };
  await openFolder(folder);
  // The run names a file that cannot be read, as it names any other that it cannot use.
  const unreadable: string[] = [];
  const hashed = await hashAll(folder, videos, { verify, onUnreadable: (path) => unreadable.push(path) });
  const { list, known } = merge(project.videos, hashed, folder);
  const next = { ...project, options: { ...project.options, ...given }, videos: list };
  return work(folder, { before: project, next, text, known, unreadable }, summarise);
}

/** A video by its content, and the path it was found at. */
type Hashed = { readonly path: string; readonly sha256: string; readonly bytes: number };

/** Throws if a file cannot be read, unless such files are wanted. */
async function hashAll(
  folder: string,
  paths: readonly string[],
  { verify, onUnreadable }: { verify?: boolean; onUnreadable?: ((path: string) => void) | undefined } = {},
): Promise<Hashed[]> {
  if (paths.length === 0) return [];
  const { hash } = openKnownFiles(await openCache(join(folder, STORE)), verify);
  const hashed: Hashed[] = [];
  for (const path of paths) {
    try {
      hashed.push({ path, ...(await hash(path)) });
    } catch (error) {
      if (!onUnreadable || !(error instanceof StoreError)) throw error;
      onUnreadable(path);
    }
  }
  return hashed;
}

/** The videos a topic has, followed by those that are new to it; `known` are the paths of videos it has already, by content. */
function merge(
  had: readonly ProjectVideo[],
  found: readonly Hashed[],
  folder: string,
): { list: ProjectVideo[]; known: string[] } {
  const [list, known]: [ProjectVideo[], string[]] = [[...had], []];
  for (const { path, sha256, bytes } of found) {
    if (list.some((video) => video.sha256 === sha256)) known.push(path);
    else list.push({ path: storedPath(folder, path), sha256, bytes });
  }
  return { list, known };
}

/** Removes videos, named by path or file name, from the topic, and summarises the others again. */
export async function removeVideos<O extends Outcome>(
  folder: string,
  names: readonly string[],
  summarise: Summarise<O>,
): Promise<Growth<O>> {
  const { project, text } = await requireTopic(folder);
  const gone = names.flatMap((name) => {
    const found = project.videos.filter(
      (video) => fullPath(folder, video) === resolve(name) || basename(video.path) === name || video.path === name,
    );
    if (found.length > 0) return found;
    throw new UsageError(
      'not-in-topic',
      `Expected a video of the topic "${project.name}", found "${name}". List its videos with "throughline topic list ${folder}".`,
    );
  });
  const next = { ...project, videos: project.videos.filter((video) => !gone.includes(video)) };
  return work(folder, { before: project, next, text, known: [] }, summarise);
}

/** Summarises the topic again. Options given replace the stored ones. */
export async function updateTopic<O extends Outcome>(
  folder: string,
  given: Given,
  summarise: Summarise<O>,
): Promise<Growth<O>> {
  const { project, text } = await requireTopic(folder);
  const next = { ...project, options: { ...project.options, ...given } };
  return work(folder, { before: project, next, text, known: [] }, summarise);
}

/**
 * Creates a topic of these videos in `folder`, without summarising it. If there is one already, returns it unchanged. Throws
 * if a file cannot be read, unless such files are wanted: they do not join the topic.
 */
export async function beginTopic(
  folder: string,
  videos: readonly string[],
  { name, onUnreadable }: { name?: string; onUnreadable?: (path: string) => void } = {},
): Promise<Project> {
  const found = await readTopic(folder);
  if (found !== null) return found.project;
  await openFolder(folder);
  const { list } = merge([], await hashAll(folder, videos, { onUnreadable }), folder);
  const project = { ...emptyProject(folder), ...(name === undefined ? {} : { name }), videos: list };
  await writeParts(join(folder, RECORD), [serialiseProject(project)]);
  return project;
}

/** Adds videos to the record of the topic, without summarising it. `known` are the paths of videos it has already, by content. */
export async function includeVideos(
  folder: string,
  videos: readonly string[],
): Promise<{ project: Project; added: ProjectVideo[]; known: string[] }> {
  const hashed = await hashAll(folder, videos);
  let [added, known]: [ProjectVideo[], string[]] = [[], []];
  const project = await changeRecord(folder, (before) => {
    const merged = merge(before.videos, hashed, folder);
    [added, known] = [merged.list.slice(before.videos.length), merged.known];
    return { ...before, videos: merged.list };
  });
  return { project, added, known };
}

/** Removes videos from the record of the topic, without summarising it. */
export async function withdrawVideos(folder: string, gone: readonly ProjectVideo[]): Promise<Project> {
  const isGone = new Set(gone.map(({ sha256 }) => sha256));
  return changeRecord(folder, (project) => ({
    ...project,
    videos: project.videos.filter(({ sha256 }) => !isGone.has(sha256)),
  }));
}

/**
 * Stores options in the record of the topic, without summarising it; with `leftOut`, also which videos, by file name, are not
 * summarised.
 */
export async function keepOptions(folder: string, given: Given, leftOut?: readonly string[]): Promise<Project> {
  const marked = (video: ProjectVideo): ProjectVideo => {
    const { leftOut: _, ...plain } = video;
    return leftOut!.includes(basename(video.path)) ? { ...plain, leftOut: true } : plain;
  };
  return changeRecord(folder, (project) => ({
    ...project,
    options: { ...project.options, ...given },
    videos: leftOut ? project.videos.map(marked) : project.videos,
  }));
}

/** The last change of each record in this process. The next one waits for it, so that none is lost. */
const changes = new Map<string, Promise<unknown>>();

async function changeRecord(folder: string, step: (project: Project) => Project): Promise<Project> {
  const path = resolve(folder, RECORD);
  const change = async (): Promise<Project> => {
    const next = step((await requireTopic(folder)).project);
    await writeParts(path, [serialiseProject(next)]);
    return next;
  };
  const changed = (changes.get(path) ?? Promise.resolve()).then(change, change);
  changes.set(path, changed);
  try {
    return await changed;
  } finally {
    if (changes.get(path) === changed) changes.delete(path);
  }
}

/** Paths of a topic's results, its cache, the videos that are summarised and those that are left out. */
export function placesOf(
  folder: string,
  { videos }: Project,
): { out: string; cache: string; videos: string[]; leftOut: string[] } {
  const pathsOf = (list: readonly ProjectVideo[]): string[] => list.map((video) => fullPath(folder, video));
  return {
    out: join(folder, SUMMARY),
    cache: join(folder, STORE),
    videos: pathsOf(videos.filter(({ leftOut }) => !leftOut)),
    leftOut: pathsOf(videos.filter(({ leftOut }) => leftOut)),
  };
}

/** Options whose entries begin with the name of a video: `FILE#SHOT` or `FILE@FROM-TO`. */
const WISHES = ['pin', 'veto', 'sequence', 'topicSequence'];

/** Options without the wishes about these videos: a run without the videos would refuse them. They stay in the record. */
export function wishesWithout<O extends Given>(options: O, leftOut: readonly string[]): O {
  const names = leftOut.map((path) => basename(path));
  const isAbout = (wish: unknown): boolean =>
    names.some((name) => String(wish).startsWith(`${name}#`) || String(wish).startsWith(`${name}@`));
  const kept = Object.entries(options).map(([name, value]) =>
    WISHES.includes(name) && Array.isArray(value) ? [name, value.filter((wish) => !isAbout(wish))] : [name, value],
  );
  return Object.fromEntries(kept) as O;
}

/** Whether a folder is the folder of a topic. */
export async function isTopic(folder: string): Promise<boolean> {
  return (await stat(join(folder, RECORD)).catch(() => null)) !== null;
}

/** The topic's record, the state of its files, and its last summary, if there is one. */
export async function describeTopic(folder: string): Promise<{
  project: Project;
  /** Each with whether its file is still the same. */
  videos: (Project['videos'][number] & { readonly state: 'ready' | 'missing' | 'changed' })[];
  summary: SummaryDocument | null;
}> {
  const { project } = await requireTopic(folder);
  return { project, videos: await lookUp(folder, project.videos), summary: await lastSummary(folder) };
}

async function lookUp(folder: string, videos: readonly ProjectVideo[]) {
  const facts = await Promise.all(videos.map((video) => stat(fullPath(folder, video)).catch(() => null)));
  return videos.map((video, place) => {
    const size = facts[place]?.size;
    const state = size === undefined ? 'missing' : size === video.bytes ? 'ready' : 'changed';
    return { ...video, state } as const;
  });
}

async function work<O extends Outcome>(
  folder: string,
  { before, next, text, known, unreadable = [] }: { before: Project; next: Project; text: string | null; known: readonly string[]; unreadable?: readonly string[] }, // prettier-ignore
  summarise: Summarise<O>,
): Promise<Growth<O>> {
  const earlier = await lastSummary(folder);
  await openFolder(folder);
  const included = next.videos.filter(({ leftOut }) => !leftOut);
  const here = [...(await present(folder, included)), ...unreadable];
  const { out, cache, leftOut } = placesOf(folder, next);
  const options = { topic: next.name, ...wishesWithout(next.options, leftOut), out, cache };
  const outcome = here.length === 0 ? null : await summarise(here, options);

  // A new video that could not be summarised is reported by the run and does not join the topic.
  const used = new Set(outcome?.document.videos.map((video) => video.sha256));
  const old = new Set(before.videos.map((video) => video.sha256));
  const videos = next.videos.filter(({ sha256 }) => used.has(sha256) || old.has(sha256));
  const project = { ...next, videos };
  await refuseRace(folder, text);
  await writeParts(join(folder, RECORD), [serialiseProject(project)]);
  const paths = (list: readonly ProjectVideo[]): string[] => list.map((video) => video.path);
  return {
    project,
    added: paths(videos.filter(({ sha256 }) => !old.has(sha256))),
    removed: paths(before.videos.filter((video) => !next.videos.includes(video))),
    known,
    changes: outcome && compareSummaries(earlier, outcome.document),
    outcome,
  };
}

/** Paths of all files. Throws if one is missing or changed: no video is dropped or replaced silently. */
async function present(folder: string, videos: readonly ProjectVideo[]): Promise<string[]> {
  const odd = (await lookUp(folder, videos)).filter(({ state }) => state !== 'ready');
  const [first] = odd;
  if (first === undefined) return videos.map((video) => fullPath(folder, video));
  const more = odd.length > 1 ? ` ${odd.length - 1} more are gone or changed.` : '';
  throw new UsageError(
    `video-${first.state}`,
    first.state === 'missing'
      ? `Expected the topic's video "${fullPath(folder, first)}", found nothing.${more} Put it back, or remove it with "throughline topic remove".`
      : `Expected the topic's video "${fullPath(folder, first)}" to be the file that was added, found another.${more} Remove it with "throughline topic remove" and add it again.`,
  );
}

async function refuseRace(folder: string, text: string | null): Promise<void> {
  const now = await readText(join(folder, RECORD)).catch(() => null);
  if (now === text) return;
  throw new UsageError(
    'topic-changed',
    `Expected the topic in "${folder}" to stay the same during this run, found that another run changed it. Run the command again; finished work is reused.`,
  );
}

async function readTopic(folder: string): Promise<{ project: Project; text: string } | null> {
  const path = join(folder, RECORD);
  const text = await readText(path);
  return text === null ? null : { project: parseProject(text, path), text };
}

async function requireTopic(folder: string): Promise<{ project: Project; text: string }> {
  const found = await readTopic(folder);
  if (found !== null) return found;
  throw new UsageError(
    'no-topic',
    `Expected a topic in "${folder}", found no ${RECORD} there. Create one with "throughline topic add ${folder} VIDEOS".`,
  );
}

async function lastSummary(folder: string): Promise<SummaryDocument | null> {
  const path = join(folder, SUMMARY, 'summary.json');
  const text = await readText(path).catch(() => null);
  try {
    return text === null ? null : parseSummary(text, path);
  } catch (error) {
    // What a crash cut off is made again by the next run; a record of a newer version is not ours to replace.
    if (error instanceof UsageError && error.code === 'bad-json') return null;
    throw error;
  }
}

function emptyProject(folder: string): Project {
  return { schema: 'topic.1', name: basename(resolve(folder)) || 'topic', options: {}, videos: [] };
}

/** The relative path that is stored, so that a topic and its videos can be moved together. */
function storedPath(folder: string, path: string): string {
  const way = relative(resolve(folder), resolve(path));
  return isAbsolute(way) ? way : way.split(sep).join('/');
}

function fullPath(folder: string, video: ProjectVideo): string {
  return resolve(folder, video.path);
}

/** The record of a topic that grows, schema `topic.1`: `topic.json` in its folder. */
export const projectDocument = z.object({
  schema: z.literal('topic.1'),
  name: z.string().min(1).describe('What the topic is called'),
  options: z.record(z.string(), z.unknown()).describe('Options that were given; those not here have their defaults'),
  videos: z
    .array(
      z.object({
        path: z.string().min(1).describe('Relative to the folder of this file, with forward slashes, or absolute'),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        bytes: z.int().nonnegative(),
        leftOut: z.literal(true).optional().describe('Stays in the topic, but is not summarised'),
      }),
    )
    .describe('In the order they were added'),
});

/** The content of `topic.json`: the videos of a topic in a folder, and its options. */
export type Project = z.infer<typeof projectDocument>;
/** One video of a topic in a folder. */
export type ProjectVideo = Project['videos'][number];

/** Reads a `topic.json`; `source` names the file in errors. */
export function parseProject(text: string, source: string): Project {
  const advice = 'Restore the file, or create the topic again.';
  const record = readRecord(text, { kind: 'topic', current: 1, upgrades: {}, source, advice });
  const parsed = projectDocument.safeParse(record);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(
    'bad-topic',
    `Expected a valid ${issue?.path.join('.') ?? 'record'} in "${source}", found a problem: ${issue?.message}. Correct that field.`,
  );
}

/** The text of a `topic.json`. */
export function serialiseProject(project: Project): string {
  const options = Object.fromEntries(Object.entries(project.options).toSorted(([a], [b]) => compareTexts(a, b)));
  return `${JSON.stringify(projectDocument.parse({ ...project, options }), null, 2)}\n`;
}
