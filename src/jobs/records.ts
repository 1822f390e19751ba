import { z } from 'zod';

import { mapLimited, StoreError } from '../base/index.js';
import type { VideoInfo } from '../media/index.js';
import { optionsSchema } from '../options/index.js';
import type { Run } from '../run.js';
import type { ObjectStore } from '../store/index.js';
import type { OutlinedVideo, RankedVideo, Related, RenderedVideo } from '../stages/index.js';
import type { Concept, Support } from '../summary/index.js';
import { parseWish } from '../wishes/index.js';
import type { Engine } from './engine.js';
import { isRecord, MOST_VIDEOS, stepSchema } from './record-schemas.js';

export const videoName = (sha256: string): string => `videos/${sha256}`;
export const fileName = (sha256: string): string => `files/${sha256}`;
/** Where everything of a topic stands in the store. */
export const namesOf = (topic: string) => {
  const home = `topics/${topic}`;
  const single = { extract: 'extracted', summarise: 'rankings' } as const;
  return {
    head: `${home}/head.json`,
    inputs: (chunk: number) => `${home}/inputs/${chunk}.json`,
    one: (of: keyof typeof single, place: number) => `${home}/${single[of]}/${place}.json`,
    gathered: (of: keyof typeof single, chunk: number) => `${home}/${single[of]}-${chunk}.json`,
    roster: `${home}/roster.json`,
    rosterChunk: (chunk: number) => `${home}/roster-${chunk}.json`,
    moment: (level: number, node: number) => `${home}/moments/${level}-${node}`,
    concept: `${home}/concept.json`,
    done: `${home}/done.json`,
    out: `${home}/out`,
  };
};

/** What a task found worth saying: part of the record of the run in the end. */
export type Said = { readonly notes: readonly string[]; readonly skipped: Run['skipped'] };

const written = z.string().refine((text) => parseWish(text) !== null);
const wishSchema = z.array(z.object({ written, video: z.string() }));

const headSchema = z.object({
  schema: z.literal('job.1'),
  topic: z.string(),
  options: optionsSchema,
  engine: z.custom<Engine>((value) => typeof value === 'object' && value !== null),
  /** Of what makes the vectors. */
  extractor: z.string(),
  /** How many videos there are to look at. */
  videos: z.int().positive().max(MOST_VIDEOS),
  /** The shot list, where one was given. */
  shots: z.object({ sha256: z.string(), name: stepSchema }).nullable(),
  /** Wishes, each with the video it means. */
  wishes: z.object({ pin: wishSchema, veto: wishSchema, sequence: wishSchema, topicSequence: wishSchema }),
  notes: z.array(z.string()),
  skipped: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
});

/** A topic as it was submitted (`head.json`). */
export type Head = z.infer<typeof headSchema>;

/** A video as it was submitted; `path` where it is read in place. */
export type SubmittedVideo = {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly info: Omit<VideoInfo, 'path'>;
  readonly path?: string;
};

/** What is kept of looking at a video, beside its analysis; `video` is `null` where it had to be left out. */
export type Extracted = Said & {
  readonly video: { readonly extractor: OutlinedVideo['extractor']; readonly readWhole: string | null } | null;
};

/** A video of the topic, what it counts, and how it stands there. */
export type Member = Related & {
  readonly input: number;
  readonly id: string;
  readonly name: string;
  readonly extractor: OutlinedVideo['extractor'];
  readonly weight: number;
  /** What the others count for it, where it weighs them differently. */
  readonly special: readonly number[] | null;
};

/** Who is in the topic: how many; `Member`s stand in chunks. */
export type Roster = Said & { readonly count: number };

/** One video ranked, cut and rendered; `ranking` is `null` where that could not be done. */
export type Ranked = Said & {
  readonly ranking: {
    readonly order: readonly number[];
    readonly places: readonly number[];
    readonly scores: readonly number[];
    readonly own: readonly number[];
    readonly shared: readonly number[];
    readonly solver: RankedVideo['solver'];
    /** Who supports each chosen shot. */
    readonly support: readonly { readonly shot: number; readonly by: readonly Support[] }[];
  } | null;
  readonly made: Pick<RenderedVideo, 'film' | 'storyboard' | 'pictures'>;
};

export type Filmed = Said & { readonly concept: Concept | null };

/** Objects read at a time where many are needed: a bucket answers each late, and many at once. */
export const READ_AT_ONCE = 16;

/** Reads a record of ours; `null` when it is not there. */
export async function readRecord<T>(objects: ObjectStore, name: string, signal?: AbortSignal): Promise<T | null> {
  const bytes = await objects.read(name, undefined, signal);
  if (bytes === null) return null;
  let record: unknown = null;
  try {
    record = JSON.parse(bytes.toString('utf8'));
  } catch {
    // Said below.
  }
  if (!isRecord(name, record)) throw badRecord(name, objects);
  return record as T;
}

function badRecord(name: string, { url }: ObjectStore): StoreError {
  return new StoreError(
    'bad-record',
    `The record "${name}" in the store ${url} is not of a kind this version reads. Submit the topic again.`,
  );
}

/** Reads a record that an earlier task must have left. */
export async function requireRecord<T>(objects: ObjectStore, name: string, signal?: AbortSignal): Promise<T> {
  const record = await readRecord<T>(objects, name, signal);
  if (record === null) throw lacking(name, objects);
  return record;
}

export function lacking(name: string, { url }: ObjectStore): StoreError {
  return new StoreError('no-record', `Expected "${name}" in the store ${url}, found nothing. Submit the topic again.`);
}

/** Reads many records; `null` for those that are not there. */
export function readRecords<T>(objects: ObjectStore, names: readonly string[]): Promise<(T | null)[]> {
  return mapLimited(names, READ_AT_ONCE, (name) => readRecord<T>(objects, name));
}

/** Reads many records that earlier tasks must have left. */
export function requireRecords<T>(objects: ObjectStore, names: readonly string[]): Promise<T[]> {
  return mapLimited(names, READ_AT_ONCE, (name) => requireRecord<T>(objects, name));
}

export async function writeRecord(objects: ObjectStore, name: string, record: unknown): Promise<void> {
  await objects.write(name, `${JSON.stringify(record)}\n`);
}

/** The topic as it was submitted. */
export async function readHead(objects: ObjectStore, topic: string, signal?: AbortSignal): Promise<Head> {
  const parsed = headSchema.safeParse(await requireRecord(objects, namesOf(topic).head, signal));
  if (parsed.success) return parsed.data;
  throw badRecord(namesOf(topic).head, objects);
}
