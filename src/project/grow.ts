import { stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';

import { UsageError } from '../base/index.js';
import { hashFile, openFolder, readText, writeParts } from '../store/index.js';
import { compareSummaries, parseSummary, type SummaryChange, type SummaryDocument } from '../summary/index.js';
import { parseProject, serialiseProject, type Project, type ProjectVideo } from './record.js';

/** Where a topic's own things stand inside its folder. */
const RECORD = 'topic.json';
const SUMMARY = 'summary';
const STORE = 'store';

/** Options as they are kept: by name, checked by whoever summarises. */
type Given = Readonly<Record<string, unknown>>;

/** Summarises videos with these options; `out` and `cache` are among them. Fails when none could be used. */
export type Summarise<O> = (videos: readonly string[], options: Given) => Promise<O>;

/** What adding or removing videos led to. */
export type Growth<O> = {
  readonly project: Project;
  /** Paths that were added, taken out, or asked for but there already. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly known: readonly string[];
  /** What became of every summary; `null` where no video is left. */
  readonly changes: readonly SummaryChange[] | null;
  readonly outcome: O | null;
};

/** How a topic's video stands on disk. */
export type VideoState = ProjectVideo & { readonly state: 'ready' | 'missing' | 'changed' };

type Outcome = { readonly document: SummaryDocument };

/**
 * Adds videos to the topic in `folder`, which is begun where there is none, and summarises it again. Options given
 * replace those kept. The record changes only when the work is done: a run that was stopped can be repeated.
 */
export async function addVideos<O extends Outcome>(
  folder: string,
  videos: readonly string[],
  given: Given,
  summarise: Summarise<O>,
): Promise<Growth<O>> {
  const { project, text } = (await readTopic(folder)) ?? { project: emptyProject(folder), text: null };
  const { list, known } = await sortOut(folder, videos, project.videos);
  const next = { ...project, options: { ...project.options, ...given }, videos: list };
  return work(folder, { before: project, next, text, known }, summarise);
}

/** The videos a topic has and those that are new to it, in this order; and those that it has already, by content. */
async function sortOut(
  folder: string,
  videos: readonly string[],
  had: readonly ProjectVideo[],
): Promise<{ list: ProjectVideo[]; known: string[] }> {
  const [list, known]: [ProjectVideo[], string[]] = [[...had], []];
  for (const path of videos) {
    const { sha256, bytes } = await hashFile(path);
    if (list.some((video) => video.sha256 === sha256)) known.push(path);
    else list.push({ path: storedPath(folder, path), sha256, bytes });
  }
  return { list, known };
}

/** Takes videos, named by path or by file name, out of the topic, and summarises the others again. */
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
      `Expected a video of the topic "${project.name}", found "${name}", which is none. List them with "throughline topic list ${folder}".`,
    );
  });
  const next = { ...project, videos: project.videos.filter((video) => !gone.includes(video)) };
  return work(folder, { before: project, next, text, known: [] }, summarise);
}

/** Summarises the topic again, with the options given replacing those kept. */
export async function updateTopic<O extends Outcome>(
  folder: string,
  given: Given,
  summarise: Summarise<O>,
): Promise<Growth<O>> {
  const { project, text } = await requireTopic(folder);
  const next = { ...project, options: { ...project.options, ...given } };
  return work(folder, { before: project, next, text, known: [] }, summarise);
}

/** Makes sure that `folder` has a topic of these videos, without summarising it; one that is there stays as it is. */
export async function beginTopic(folder: string, videos: readonly string[], name?: string): Promise<Project> {
  const found = await readTopic(folder);
  if (found !== null) return found.project;
  const { list } = await sortOut(folder, videos, []);
  const project = { ...emptyProject(folder), ...(name === undefined ? {} : { name }), videos: list };
  await openFolder(folder);
  await writeParts(join(folder, RECORD), [serialiseProject(project)]);
  return project;
}

/** Adds videos to the record of the topic, without summarising it. `known` are those it has already, by content. */
export async function includeVideos(
  folder: string,
  videos: readonly string[],
): Promise<{ project: Project; added: ProjectVideo[]; known: string[] }> {
  const { project } = await requireTopic(folder);
  const { list, known } = await sortOut(folder, videos, project.videos);
  const next = { ...project, videos: list };
  await writeParts(join(folder, RECORD), [serialiseProject(next)]);
  return { project: next, added: list.slice(project.videos.length), known };
}

/** Takes videos out of the record of the topic, without summarising it. */
export async function withdrawVideos(folder: string, gone: readonly ProjectVideo[]): Promise<Project> {
  const { project } = await requireTopic(folder);
  const isGone = new Set(gone.map(({ sha256 }) => sha256));
  const next = { ...project, videos: project.videos.filter(({ sha256 }) => !isGone.has(sha256)) };
  await writeParts(join(folder, RECORD), [serialiseProject(next)]);
  return next;
}

/** Keeps options with the topic, without summarising it. */
export async function keepOptions(folder: string, given: Given): Promise<Project> {
  const { project } = await requireTopic(folder);
  const next = { ...project, options: { ...project.options, ...given } };
  await writeParts(join(folder, RECORD), [serialiseProject(next)]);
  return next;
}

/** Where a topic's results and its store are, and its videos, as paths that can be opened. */
export function placesOf(folder: string, { videos }: Project): { out: string; cache: string; videos: string[] } {
  return {
    out: join(folder, SUMMARY),
    cache: join(folder, STORE),
    videos: videos.map((video) => fullPath(folder, video)),
  };
}

/** Whether a folder is a topic's own. */
export async function isTopic(folder: string): Promise<boolean> {
  return (await stat(join(folder, RECORD)).catch(() => null)) !== null;
}

/** The topic as it stands: its record, its videos on disk, and its last summary where there is one. */
export async function describeTopic(
  folder: string,
): Promise<{ project: Project; videos: VideoState[]; summary: SummaryDocument | null }> {
  const { project } = await requireTopic(folder);
  return { project, videos: await lookUp(folder, project.videos), summary: await lastSummary(folder) };
}

async function lookUp(folder: string, videos: readonly ProjectVideo[]): Promise<VideoState[]> {
  const facts = await Promise.all(videos.map((video) => stat(fullPath(folder, video)).catch(() => null)));
  return videos.map((video, place) => {
    const size = facts[place]?.size;
    return { ...video, state: size === undefined ? 'missing' : size === video.bytes ? 'ready' : 'changed' };
  });
}

async function work<O extends Outcome>(
  folder: string,
  { before, next, text, known }: { before: Project; next: Project; text: string | null; known: readonly string[] },
  summarise: Summarise<O>,
): Promise<Growth<O>> {
  const earlier = await lastSummary(folder);
  await openFolder(folder);
  const here = await present(folder, next.videos);
  const { out, cache } = placesOf(folder, next);
  const options = { topic: next.name, ...next.options, out, cache };
  const outcome = next.videos.length === 0 ? null : await summarise(here, options);

  // A file that could not be summarised is named by the run; it belongs to the topic only if it did before.
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

/** The files, all of them: a video that is gone must not be forgotten silently, nor another one take its place. */
async function present(folder: string, videos: readonly ProjectVideo[]): Promise<string[]> {
  const odd = (await lookUp(folder, videos)).filter(({ state }) => state !== 'ready');
  const [first] = odd;
  if (first === undefined) return videos.map((video) => fullPath(folder, video));
  const more = odd.length > 1 ? ` ${odd.length - 1} more are gone or changed.` : '';
  throw new UsageError(
    `video-${first.state}`,
    first.state === 'missing'
      ? `Expected the topic's video "${fullPath(folder, first)}", found nothing.${more} Put it back, or take it out with "throughline topic remove".`
      : `The topic's video "${fullPath(folder, first)}" is not the file that was added.${more} Take it out with "throughline topic remove" and add it again.`,
  );
}

async function refuseRace(folder: string, text: string | null): Promise<void> {
  const now = await readText(join(folder, RECORD)).catch(() => null);
  if (now === text) return;
  throw new UsageError(
    'topic-changed',
    `The topic in "${folder}" was changed by another run meanwhile. Run the same command again: what was worked out is kept.`,
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
    `Expected a topic in "${folder}", found no ${RECORD} there. Begin one with "throughline topic add ${folder} VIDEOS".`,
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

/** A topic and its videos can be moved together, so a way from one to the other is kept, not a place. */
function storedPath(folder: string, path: string): string {
  const way = relative(resolve(folder), resolve(path));
  return isAbsolute(way) ? way : way.split(sep).join('/');
}

function fullPath(folder: string, video: ProjectVideo): string {
  return resolve(folder, video.path);
}
