import { mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { MediaError, StoreError, ThroughlineError, UsageError } from '../base/index.js';
import { probe } from '../media/index.js';
import { budgetsOf } from '../options/index.js';
import {
  type Run,
  type Workspace,
  analyseEach,
  keepGoing,
  recallOutline,
  recallVideo,
  skip,
  type AnalysedVideo,
  type KnownVideo,
  type OutlinedVideo,
  type Related,
  type RunWishes,
  type Video,
} from '../pipeline/index.js';
import {
  hashFile,
  keyOf,
  openBucket,
  openObjectCache,
  openRowsFile,
  parseAddress,
  stampOf,
  type ObjectStore,
} from '../storage/index.js';
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
  type AdmittedVideo,
  type Extracted,
  type GivenVideo,
  type Head,
  type Member,
  type Roster,
  type TaskMessages,
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
  /** A video as it was submitted. */
  given(index: number): Promise<GivenVideo>;
  /** A video as its extract task found it. */
  input(index: number): Promise<AdmittedVideo>;
  /** Fetches a video and opens it; `null` if that failed for a reason of its own, which is noted in the run. */
  admit(video: GivenVideo): Promise<Video | null>;
  /** A video with a local path to its file, checked to be the file that was admitted. */
  withSource(video: AdmittedVideo): Promise<Video>;
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
  const chunks = new Map<number, Promise<Extracted[]>>();
  let sources = 0;
  // The extension is kept: it may be a hint to the decoder.
  const pathFor = ({ name }: GivenVideo): string => join(scratch, `source-${sources++}${extname(name)}`);
  return {
    ...{ names, head, run, objects, wishes: wishesIn(head) },
    async given(index) {
      const chunk = await requireRecord<GivenVideo[]>(objects, names.inputs(Math.floor(index / CHUNK)), signal);
      return chunk[index % CHUNK]!;
    },
    async input(index) {
      const chunk = Math.floor(index / CHUNK);
      const found = chunks.get(chunk) ?? requireRecord<Extracted[]>(objects, names.gathered('extract', chunk), signal);
      // Reinserted at the end, so that the first entry is the least recently used.
      chunks.delete(chunk);
      chunks.set(chunk, found);
      if (chunks.size > CHUNKS_HELD) chunks.delete(chunks.keys().next().value!);
      return (await found)[index % CHUNK]!.input!;
    },
    async admit(video) {
      const input = { id: video.id, name: video.name, path: pathFor(video) };
      // What is wrong with the store, or a file system that is away, may pass: the task fails.
      const found = await reach(video, input.path, context).catch((error: unknown) => {
        if (!(error instanceof MediaError)) throw error;
        skip(run, video.name, error.code, error.message);
        return null;
      });
      return (
        found && keepGoing(run, input, async () => ({ ...input, ...found, info: await probe(input.path, signal) }))
      );
    },
    async withSource(video) {
      const path = pathFor(video);
      return { ...asVideo(video, path), ...(await reach(video, path, context)) };
    },
  };
}

/**
 * Puts a source at `path`, for local programs to read, and hashes it on the way. A file that others may write to gets a
 * stamp, a copy of our own gets none.
 */
async function reach(
  video: GivenVideo,
  path: string,
  { objects, signal, buckets = [] }: TaskContext,
): Promise<Pick<Video, 'sha256' | 'bytes' | 'stamp'>> {
  const { source, sha256, bytes } = video;
  if (source !== undefined) {
    const address = parseAddress(source);
    if (address === null) return link(source, video, path, signal);
    requireBucket(address.bucket, { objects, buckets });
    const found = await (
      await openBucket(address.bucket)
    ).fetch(address.key, { bytes, etag: versionIn(video) }, path, signal);
    if (typeof found !== 'string' && isSame(video, found)) return found;
    if (found !== 'gone') throw new MediaError('source-changed', changed(video, source));
    throw new MediaError('source-gone', `Expected "${video.name}" at ${source}, found nothing. Restore it, or submit the topic without it.`); // prettier-ignore
  }
  const name = videoName(sha256!);
  const local = objects.localPath(name);
  if (local !== null) return link(local, video, path, signal);
  if (await objects.download(name, path, signal)) return { sha256: sha256!, bytes };
  throw lacking(name, objects);
}

/** Throws if a bucket is neither that of the store nor one that was allowed. */
export function requireBucket(
  bucket: string,
  { objects, buckets = [] }: Pick<TaskContext, 'objects' | 'buckets'>,
): void {
  const allowed = new Set([...buckets, parseAddress(objects.url)?.bucket]);
  if (allowed.has(bucket)) return;
  const known = [...allowed].filter((name) => name !== undefined).join(', ') || 'none';
  throw new UsageError(
    'bucket-not-allowed',
    `Expected a bucket that videos may come from (${known}), found "${bucket}". Allow it with --allow-bucket, for submit and for the workers.`,
  );
}

/** Tells one version of a local file from another, on every machine that sees it. */
export async function versionOf(path: string): Promise<{ readonly bytes: number; readonly etag: string } | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? { bytes: found.size, etag: String(Math.floor(found.mtimeMs)) } : null;
}

async function link(local: string, video: GivenVideo, path: string, signal?: AbortSignal) {
  const stamp = await stampOf(local);
  const content = await hashFile(local, signal);
  const version = versionIn(video);
  const isOther = version !== undefined && (await versionOf(local))?.etag !== version;
  if (isOther || !isSame(video, content)) throw new StoreError('source-changed', changed(video, local));
  await symlink(local, path);
  return { ...content, stamp };
}

/** The version a video must have at its source. What its bytes are says more, where it is known. */
function versionIn({ etag, sha256 }: GivenVideo): string | undefined {
  return sha256 === undefined ? etag : undefined;
}

function isSame(video: GivenVideo, { sha256, bytes }: Pick<Video, 'sha256' | 'bytes'>): boolean {
  return bytes === video.bytes && (video.sha256 === undefined || sha256 === video.sha256);
}

function changed({ name }: GivenVideo, where: string): string {
  return `Expected "${where}" to be the file that was submitted as "${name}", found another. Restore it, or submit the topic again.`;
}

function asVideo({ id, name, sha256, bytes, info }: AdmittedVideo, path: string): Video {
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

function knownVideo(input: AdmittedVideo, { extractor }: Pick<Member, 'extractor'>): KnownVideo {
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
