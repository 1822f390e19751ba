import { symlink, mkdtemp, rm } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { MediaError, StoreError, ThroughlineError } from '../base/index.js';
import { budgetsOf } from '../options/index.js';
import {
  type Run,
  type Workspace,
  analyseEach,
  recallOutline,
  recallVideo,
  type AnalysedVideo,
  type KnownVideo,
  type OutlinedVideo,
  type Related,
  type RunWishes,
  type Video,
} from '../pipeline/index.js';
import { hashFile, keyOf, openObjectCache, openRowsFile, stampOf, type ObjectStore } from '../storage/index.js';
import type { Votes } from '../topic/index.js';
import { parseWish } from '../summary/index.js';
import { CHUNK, chunksOf, type TaskContext } from './tasks.js';
import { engineHere, refuseOtherEngine } from './engine.js';
import {
  fileName,
  lacking,
  namesOf,
  readHead,
  requireRecord,
  requireRecords,
  videoName,
  type Head,
  type Member,
  type Roster,
  type TaskMessages,
  type SubmittedVideo,
} from './records.js';

/** Chunks of inputs a task keeps in memory: enough for every topic whose videos are compared with each other. */
const CHUNKS_HELD = 16;

/** A topic as a task sees it: what was submitted, a run whose workspace is the store, and access to the inputs. */
export type OpenTopic = {
  readonly names: ReturnType<typeof namesOf>;
  readonly head: Head;
  readonly run: Run;
  readonly wishes: RunWishes;
  readonly objects: TaskContext['objects'];
  input(index: number): Promise<SubmittedVideo>;
  /** A video with a local path to its file, checked to be the file that was submitted. */
  withSource(video: SubmittedVideo): Promise<Video>;
};

/** Opens a topic for one task, which has `scratch` to itself. Throws if the topic was submitted with another engine. */
export async function openTopic(id: string, context: TaskContext, scratch: string): Promise<OpenTopic> {
  const { objects, signal } = context;
  const [names, head] = [namesOf(id), await readHead(objects, id, signal)];
  refuseOtherEngine(head.engine, await engineHere());
  const shots = head.shots && (await fetchShots(head.shots.sha256, join(scratch, head.shots.name), context));
  const run: Run = {
    options: { ...head.options, ...(shots === null ? {} : { shots }) },
    ...budgetsOf(head.options),
    jobs: context.jobs,
    ...(context.comparedVideos === undefined ? {} : { comparedVideos: context.comparedVideos }),
    out: names.out,
    workspace: objectWorkspace(objects, scratch, signal),
    emit: context.emit,
    signal,
    skipped: [],
    notes: [],
  };
  const chunks = new Map<number, Promise<SubmittedVideo[]>>();
  let sources = 0;
  return {
    ...{ names, head, run, objects, wishes: wishesIn(head) },
    async input(index) {
      const chunk = Math.floor(index / CHUNK);
      const inputs = chunks.get(chunk) ?? requireRecord<SubmittedVideo[]>(objects, names.inputs(chunk), signal);
      // Reinserted at the end, so that the first entry is the least recently used.
      chunks.delete(chunk);
      chunks.set(chunk, inputs);
      if (chunks.size > CHUNKS_HELD) chunks.delete(chunks.keys().next().value!);
      return (await inputs)[index % CHUNK]!;
    },
    async withSource(video) {
      // The extension is kept: it may be a hint to the decoder.
      const path = join(scratch, `source-${sources++}${extname(video.name)}`);
      const stamp = await reach(video, path, context);
      return { ...asVideo(video, path), ...(stamp === null ? {} : { stamp }) };
    },
  };
}

/**
 * Puts a source at `path`, for local programs to read. Returns the stamp of a file that others may write to, and `null` for
 * a copy of our own.
 */
async function reach(video: SubmittedVideo, path: string, { objects, signal }: TaskContext): Promise<string | null> {
  const name = videoName(video.sha256);
  if (video.path !== undefined) {
    try {
      return await link(video.path, video, path, signal);
    } catch (error) {
      // It may have been submitted again without --in-place, and so be in the store.
      if (!(error instanceof StoreError) || (await objects.head(name, signal)) === null) throw error;
    }
  }
  const local = objects.localPath(name);
  if (local !== null) return link(local, video, path, signal);
  if (await objects.download(name, path, signal)) return null;
  throw lacking(name, objects);
}

async function link(local: string, video: SubmittedVideo, path: string, signal?: AbortSignal): Promise<string> {
  const stamp = await stampOf(local);
  if ((await hashFile(local, signal)).sha256 !== video.sha256) {
    const how = video.path === undefined ? '' : ' without --in-place';
    throw new StoreError(
      'source-changed',
      `Expected "${local}" to be the file that was submitted as "${video.name}", found another. Restore it, or submit the topic again${how}.`,
    );
  }
  await symlink(local, path);
  return stamp;
}

function asVideo({ id, name, sha256, bytes, info }: SubmittedVideo, path: string): Video {
  return { id, name, sha256, bytes, path, info: { ...info, path } };
}

async function fetchShots(sha256: string, path: string, { objects, signal }: TaskContext): Promise<string> {
  if (await objects.download(fileName(sha256), path, signal)) return path;
  throw lacking(fileName(sha256), objects);
}

function wishesIn({ wishes }: Head): RunWishes {
  const parsed = (kind: keyof RunWishes): RunWishes['pin'] =>
    wishes[kind].map(({ written, video }) => ({ wish: parseWish(written)!, video }));
  return {
    pin: parsed('pin'),
    veto: parsed('veto'),
    sequence: parsed('sequence'),
    topicSequence: parsed('topicSequence'),
  };
}

/** The notes and skipped inputs of a run so far. */
export function messagesIn({ notes, skipped }: Run): TaskMessages {
  return { notes: [...notes], skipped: [...skipped] };
}

/** Adds the notes and skipped inputs of an earlier task to a run. */
export function say({ notes, skipped }: TaskMessages, run: Run): void {
  for (const note of notes) run.notes.push(note);
  for (const each of skipped) run.skipped.push(each);
}

/** The members of the topic in the order of the roster: all, or those of one chunk. */
export async function membersOf({ objects, names }: OpenTopic, count: number, chunk?: number): Promise<Member[]> {
  const chunks = chunk === undefined ? [...Array(chunksOf(count)).keys()] : [chunk];
  return (await requireRecords<Member[]>(objects, chunks.map(names.rosterChunk))).flat();
}

/** How many members the topic has, and what was noted when they were decided. */
export function rosterOf({ objects, names }: OpenTopic): Promise<Roster> {
  return requireRecord<Roster>(objects, names.roster);
}

/** How much each member counts for the others. */
export function votesOf(members: readonly Member[]): Votes {
  const common = members.map(({ weight }) => weight);
  const special = members.map((member) => member.special);
  return special.some(Boolean) ? { common, special } : { common };
}

/** The same run without events, notes and skipped inputs, for work that was reported before. */
export function muted(run: Run): Run {
  return { ...run, notes: [], skipped: [], emit: () => undefined };
}

/** The analysis that the extract task left in the store. If it is gone, the video is analysed again. */
export async function recall(member: Pick<Member, 'input' | 'extractor'>, topic: OpenTopic): Promise<AnalysedVideo> {
  const [input, run] = [await topic.input(member.input), muted(topic.run)];
  // A `MediaError` means that the store lacks it and that there is no file here to decode.
  const kept = await recallVideo(knownVideo(input, member), run).catch((error: unknown) => {
    if (error instanceof MediaError) return null;
    throw error;
  });
  const found = kept ?? (await analyseEach([await topic.withSource(input)], run))[0];
  if (found) return found;
  throw new StoreError('lost-analysis', `Expected the analysis of "${input.name}" in the store, found none, and the video can no longer be analysed. Submit the topic again.`); // prettier-ignore
}

/** The same without its vectors, and with its relation to the topic. */
export async function recallShots(member: Member, topic: OpenTopic): Promise<OutlinedVideo & Related> {
  const known = knownVideo(await topic.input(member.input), member);
  const video = (await recallOutline(known, topic.run)) ?? (await recall(member, topic));
  return { ...video, ...standingOf(member) };
}

function knownVideo(input: SubmittedVideo, { extractor }: Pick<Member, 'extractor'>): KnownVideo {
  return { ...asVideo(input, ''), extractor };
}

/** Only how a video relates to its topic. */
export function standingOf({ standing, belonging, remarks, budget }: Related): Related {
  return {
    ...(standing && { standing }),
    ...(belonging && { belonging }),
    ...(remarks && { remarks }),
    ...(budget !== undefined && { budget }),
  };
}

/** A workspace in the shared store. `scratch` is a local folder for drafts and tall matrices; paths of results are names in the store. */
export function objectWorkspace(objects: ObjectStore, scratch: string, signal?: AbortSignal): Workspace {
  const { find, draft } = openObjectCache(objects, scratch);
  const { store: storeRows, close } = openRowsFile(scratch);
  const nameOf = (path: string): string => path.split(sep).join('/');
  const writeWhole: Workspace['writeWhole'] = async (path, write) => {
    const folder = await mkdtemp(join(scratch, 'file-'));
    const draft = join(folder, 'draft');
    try {
      await write(draft);
      await objects.upload(nameOf(path), draft, signal);
    } catch (error) {
      // The reader of the message knows the file by its final name.
      if (error instanceof ThroughlineError) error.message = error.message.replaceAll(draft, path);
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return {
    // A machine of a fleet reads what it was sent: other machines may have written it.
    known: async () => null,
    hash: hashFile,
    keyOf,
    find,
    draft,
    openFolder: async () => undefined,
    claim: async () => undefined,
    existing: (path, stop) => objects.head(nameOf(path), stop),
    // A topic in the store is written once: there are no results of an earlier run.
    readText: async () => null,
    remove: async () => undefined,
    storeRows,
    close,
    writeWhole,
    writeParts: (path, parts) => writeWhole(path, (draft) => pipeline(Readable.from(parts), createWriteStream(draft))),
  };
}
