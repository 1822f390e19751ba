import { symlink } from 'node:fs/promises';
import { extname, join } from 'node:path';

import { MediaError, StoreError } from '../base/index.js';
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
import { parseBudget } from '../summary/index.js';
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

/** Chunks of inputs a task remembers: all of a topic that is compared, and of a larger one no more. */
const CHUNKS_HELD = 16;

/** A topic as a task sees it: what was asked for, a run whose shelf is the store, and ways to what earlier tasks left. */
export type OpenTopic = {
  readonly names: ReturnType<typeof namesOf>;
  readonly head: Head;
  readonly run: Run;
  readonly wishes: RunWishes;
  readonly objects: TaskDesk['objects'];
  input(place: number): Promise<SubmittedVideo>;
  /** A video with its file in reach, by content the one that was submitted. */
  withSource(video: SubmittedVideo): Promise<Video>;
};

/** Opens a topic for one task, which has `scratch` to itself. Refuses where another engine began it. */
export async function openTopic(id: string, desk: TaskDesk, scratch: string): Promise<OpenTopic> {
  const { objects, signal } = desk;
  const [names, head] = [namesOf(id), await readHead(objects, id, signal)];
  refuseOtherEngine(head.engine, await engineHere());
  const { length, concept } = head.options;
  const shots = head.shots && (await fetchShots(head.shots.sha256, join(scratch, head.shots.name), desk));
  const run: Run = {
    options: { ...head.options, ...(shots === null ? {} : { shots }) },
    budget: parseBudget(length),
    conceptBudget: concept === undefined ? null : parseBudget(concept),
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
      // Asked for again it comes last, so that the first is the one not asked for longest.
      chunks.delete(chunk);
      chunks.set(chunk, inputs);
      if (chunks.size > CHUNKS_HELD) chunks.delete(chunks.keys().next().value!);
      return (await inputs)[place % CHUNK]!;
    },
    async withSource(video) {
      // Its ending may be a hint to the decoder, so it keeps it.
      const path = join(scratch, `source-${sources++}${extname(video.name)}`);
      const stamp = await reach(video, path, desk);
      return { ...asVideo(video, path), ...(stamp === null ? {} : { stamp }) };
    },
  };
}

/**
 * Brings a source within reach of local programs, at `path`; whoever opens it makes sure that it is the one that was
 * submitted. Of a file that others may write to, its stamp.
 */
async function reach(video: SubmittedVideo, path: string, { objects, signal }: TaskDesk): Promise<string | null> {
  const name = videoName(video.sha256);
  if (video.path !== undefined) {
    try {
      return await link(video.path, video, path, signal);
    } catch (error) {
      // Whoever submitted it again without --in-place has put it into the store.
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
    const otherwise = video.path === undefined ? '' : ' without --in-place';
    throw new StoreError(
      'source-changed',
      `The file "${local}" is not the one that was submitted as "${video.name}". Put it back, or submit the topic again${otherwise}.`,
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

/** What a task said so far. */
export function saidIn({ notes, skipped }: Run): Said {
  return { notes: [...notes], skipped: [...skipped] };
}

/** Takes over what earlier tasks said. */
export function say({ notes, skipped }: Said, run: Run): void {
  for (const note of notes) run.notes.push(note);
  for (const each of skipped) run.skipped.push(each);
}

/** The members of the topic, all or those of one chunk, by their places. */
export async function membersOf({ objects, names }: OpenTopic, count: number, chunk?: number): Promise<Member[]> {
  const chunks = chunk === undefined ? [...Array(chunksOf(count)).keys()] : [chunk];
  return (await requireRecords<Member[]>(objects, chunks.map(names.rosterChunk))).flat();
}

export function rosterOf({ objects, names }: OpenTopic): Promise<Roster> {
  return requireRecord<Roster>(objects, names.roster);
}

/** What the members count for each other. */
export function votesOf(members: readonly Member[]): Votes {
  const common = members.map(({ weight }) => weight);
  const special = members.map((member) => member.special);
  return special.some(Boolean) ? { common, special } : { common };
}

/** A run that keeps to itself what was said before. */
export function muted(run: Run): Run {
  return { ...run, notes: [], skipped: [], tell: () => undefined };
}

/** What was found in a video by the task that extracted it; found anew where the store has lost it. */
export async function recall(member: Pick<Member, 'input' | 'extractor'>, topic: OpenTopic): Promise<AnalysedVideo> {
  const [input, run] = [await topic.input(member.input), muted(topic.run)];
  // Without its file, what is not in the store cannot be decoded.
  const kept = await recallVideo(knownVideo(input, member), run).catch((error: unknown) => {
    if (error instanceof MediaError) return null;
    throw error;
  });
  const found = kept ?? (await analyseEach([await topic.withSource(input)], run))[0];
  if (found) return found;
  throw new StoreError('lost-analysis', `What was found in "${input.name}" is gone from the store, and could not be found again. Submit the topic again.`); // prettier-ignore
}

/** The same without its vectors, and how it stands in the topic. */
export async function recallShots(member: Member, topic: OpenTopic): Promise<OutlinedVideo & Related> {
  const known = knownVideo(await topic.input(member.input), member);
  const video = (await recallOutline(known, topic.run)) ?? (await recall(member, topic));
  return { ...video, ...standingOf(member) };
}

function knownVideo(input: SubmittedVideo, { extractor }: Pick<Member, 'extractor'>): KnownVideo {
  return { ...asVideo(input, ''), extractor };
}

/** What is known of how a video stands in its topic, and nothing else. */
export function standingOf({ standing, remarks }: Related): Related {
  return { ...(standing ? { standing } : {}), ...(remarks ? { remarks } : {}) };
}
