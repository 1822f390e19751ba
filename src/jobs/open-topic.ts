import { symlink } from 'node:fs/promises';
import { extname, join } from 'node:path';

import { MediaError, StoreError } from '../base/index.js';
import { budgetsOf } from '../options/index.js';
import type { Run } from '../run.js';
import {
  analyseEach,
  recallOutline,
  recallVideo,
  stampOf,
  type AnalysedVideo,
  type KnownVideo,
  type OutlinedVideo,
  type Related,
  type RunWishes,
  type Video,
} from '../stages/index.js';
import { hashFile } from '../store/index.js';
import type { Votes } from '../topic/index.js';
import { parseWish } from '../wishes/index.js';
import { CHUNK, chunksOf } from './chunks.js';
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
  type Said,
  type SubmittedVideo,
} from './records.js';
import { storeShelf } from './shelf.js';
import type { TaskDesk } from './types.js';

/** Chunks of inputs a task keeps in memory: enough for every topic whose videos are compared with each other. */
const CHUNKS_HELD = 16;

/** A topic as a task sees it: what was submitted, a run whose shelf is the store, and access to the inputs. */
export type OpenTopic = {
  readonly names: ReturnType<typeof namesOf>;
  readonly head: Head;
  readonly run: Run;
  readonly wishes: RunWishes;
  readonly objects: TaskDesk['objects'];
  input(place: number): Promise<SubmittedVideo>;
  /** A video with a local path to its file, checked to be the file that was submitted. */
  withSource(video: SubmittedVideo): Promise<Video>;
};

/** Opens a topic for one task, which has `scratch` to itself. Throws if the topic was submitted with another engine. */
export async function openTopic(id: string, desk: TaskDesk, scratch: string): Promise<OpenTopic> {
  const { objects, signal } = desk;
  const [names, head] = [namesOf(id), await readHead(objects, id, signal)];
  refuseOtherEngine(head.engine, await engineHere());
  const shots = head.shots && (await fetchShots(head.shots.sha256, join(scratch, head.shots.name), desk));
  const run: Run = {
    options: { ...head.options, ...(shots === null ? {} : { shots }) },
    ...budgetsOf(head.options),
    jobs: desk.jobs,
    ...(desk.comparedVideos === undefined ? {} : { comparedVideos: desk.comparedVideos }),
    out: names.out,
    shelf: storeShelf(objects, scratch, signal),
    tell: desk.tell,
    signal,
    skipped: [],
    notes: [],
  };
  const chunks = new Map<number, Promise<SubmittedVideo[]>>();
  let sources = 0;
  return {
    ...{ names, head, run, objects, wishes: wishesIn(head) },
    async input(place) {
      const chunk = Math.floor(place / CHUNK);
      const inputs = chunks.get(chunk) ?? requireRecord<SubmittedVideo[]>(objects, names.inputs(chunk), signal);
      // Put last again, so that the first is the least recently used.
      chunks.delete(chunk);
      chunks.set(chunk, inputs);
      if (chunks.size > CHUNKS_HELD) chunks.delete(chunks.keys().next().value!);
      return (await inputs)[place % CHUNK]!;
    },
    async withSource(video) {
      // The extension is kept: it may be a hint to the decoder.
      const path = join(scratch, `source-${sources++}${extname(video.name)}`);
      const stamp = await reach(video, path, desk);
      return { ...asVideo(video, path), ...(stamp === null ? {} : { stamp }) };
    },
  };
}

/**
 * Puts a source at `path`, for local programs to read. Returns the stamp of a file that others may write to, and `null` for
 * a copy of our own.
 */
async function reach(video: SubmittedVideo, path: string, { objects, signal }: TaskDesk): Promise<string | null> {
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

async function fetchShots(sha256: string, path: string, { objects, signal }: TaskDesk): Promise<string> {
  if (await objects.download(fileName(sha256), path, signal)) return path;
  throw lacking(fileName(sha256), objects);
}

function wishesIn({ wishes }: Head): RunWishes {
  const place = (kind: keyof RunWishes): RunWishes['pin'] =>
    wishes[kind].map(({ written, video }) => ({ wish: parseWish(written)!, video }));
  return { pin: place('pin'), veto: place('veto'), sequence: place('sequence'), topicSequence: place('topicSequence') };
}

/** The notes and skipped inputs of a run so far. */
export function saidIn({ notes, skipped }: Run): Said {
  return { notes: [...notes], skipped: [...skipped] };
}

/** Adds the notes and skipped inputs of an earlier task to a run. */
export function say({ notes, skipped }: Said, run: Run): void {
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
  return { ...run, notes: [], skipped: [], tell: () => undefined };
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

/** The same without its vectors, and with its standing in the topic. */
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
