import { z } from 'zod';

import { mapLimited, StoreError } from '../base/index.js';
import { type EvidenceTerm, EVIDENCE_TERMS } from '../topic/index.js';
import type { VideoInfo } from '../media/index.js';
import { optionsSchema } from '../options/index.js';
import {
  infoSchema,
  type Run,
  type Extent,
  type OutlinedVideo,
  type RankedVideo,
  type Related,
  type RenderedVideo,
} from '../pipeline/index.js';
import type { ObjectStore } from '../storage/index.js';
import { type Concept, type Shown, type Support, parseWish, summaryDocument } from '../summary/index.js';
import type { Engine } from './engine.js';

/**
 * Schemas of the records of a topic. A store may be writable by others: a record that does not match is refused before any
 * size, count or file name in it is used.
 */

/** The most videos of a topic. Larger counts in a record are refused: they would exhaust the memory. */
const MAX_VIDEOS = 1_000_000;

/** One step of a path, on every system. */
const stepSchema = z.string().regex(/^(?!\.)[^/\\:\p{Cc}]+$/u);
/** A relative path that stays in its folder: no scheme, no root, no `..`. */
const wayInside = z.string().regex(/^(?!\.)[^/\\:\p{Cc}]+(?:\/(?!\.)[^/\\:\p{Cc}]+)*$/u);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const index = z.int().nonnegative();
const word = z.string().nullable();

const { notes, skipped, model, concept } = summaryDocument.shape;
const { standing, belonging, solver, shots } = summaryDocument.shape.videos.element.shape;
const said = { notes, skipped };
/** Infinity is `null` in JSON. */
const certificate = solver.extend({ residual: solver.shape.residual.nullable() });

const given = z.object({
  ...{ id: stepSchema, name: z.string().min(1), bytes: z.int().nonnegative() },
  ...{ sha256: sha256.optional(), etag: z.string().optional(), source: z.string().optional() },
});
const admitted = given.extend({ sha256, info: infoSchema });

const extent = z.object({ seconds: z.number().nonnegative(), longestTake: z.number().nonnegative() });
const extracted = z.object({
  ...said,
  input: admitted.nullable(),
  video: z.object({ extractor: model, readWhole: word, extent }).nullable(),
});
const ownBudget = z.object({ kind: z.literal('seconds'), seconds: z.number().positive() });

const member = z.object({
  ...{ input: index.max(MAX_VIDEOS), id: stepSchema, name: z.string().min(1), extractor: model },
  ...{ weight: z.number().min(0).max(1), special: z.array(z.number().nonnegative()).nullable(), standing, belonging },
  remarks: z.array(z.object({ code: z.enum(['stray', 'double']), message: z.string() })).optional(),
  budget: ownBudget.nullable().optional(),
});

const numbers = z.array(z.number());
const ranked = z.object({
  ...said,
  ranking: z
    .object({
      ...{
        order: z.array(index),
        places: z.array(index),
        views: z.array(index),
        scores: numbers,
        own: numbers,
        shared: numbers,
      },
      evidence: z.object({ total: numbers, terms: z.partialRecord(z.enum(EVIDENCE_TERMS), numbers) }).nullable(),
      solver: certificate,
      shown: z.array(z.object({ shot: index, shown: shots.element.shape.shown.unwrap() })),
      support: z.array(z.object({ shot: index, by: z.array(z.object({ video: z.string(), share: z.number(), shot: index })) })), // prettier-ignore
    })
    .nullable(),
  made: z.object({ film: wayInside.nullable(), storyboard: wayInside.nullable(), pictures: z.array(wayInside) }),
});

const filmed = z.object({
  ...said,
  concept: concept
    .unwrap()
    .extend({ solver: certificate, film: wayInside.nullable(), storyboard: wayInside.nullable() })
    .nullable(),
});

/** By name, as `namesOf` gives it. */
const SCHEMAS: readonly (readonly [RegExp, z.ZodType])[] = [
  [/\/inputs\/\d+\.json$/, z.array(given)],
  [/^parts\//, z.array(given.omit({ id: true }).extend({ topic: z.string().min(1) }))],
  [/\/extracted\/\d+\.json$/, extracted],
  [/\/extracted-\d+\.json$/, z.array(extracted)],
  [
    /\/roster\.json$/,
    z.object({ ...said, count: z.int().positive().max(MAX_VIDEOS), inBackground: z.array(z.string()) }),
  ],
  [/\/roster-\d+\.json$/, z.array(member)],
  [/\/rankings\/\d+\.json$/, ranked],
  [/\/rankings-\d+\.json$/, z.array(ranked)],
  [/\/concept\.json$/, filmed],
];

/** Whether what was read under a name is a record of the kind that the name says. */
function isRecord(name: string, record: unknown): boolean {
  const schema = SCHEMAS.find(([pattern]) => pattern.test(name))?.[1];
  return schema ? schema.safeParse(record).success : typeof record === 'object' && record !== null;
}

/** Name of an uploaded video in the store. */
export const videoName = (sha256: string): string => `videos/${sha256}`;
/** Name of another uploaded file, such as a shot list. */
export const fileName = (sha256: string): string => `files/${sha256}`;
/** Beginning of the names of the parts of a submission. */
export const partsOf = (name: string): string => `parts/${name}/`;
/** Names of everything in the store that belongs to a topic. */
export const namesOf = (topic: string) => {
  const home = `topics/${topic}`;
  const single = { extract: 'extracted', summarise: 'rankings' } as const;
  return {
    head: `${home}/head.json`,
    inputs: (chunk: number) => `${home}/inputs/${chunk}.json`,
    one: (of: keyof typeof single, at: number) => `${home}/${single[of]}/${at}.json`,
    gathered: (of: keyof typeof single, chunk: number) => `${home}/${single[of]}-${chunk}.json`,
    roster: `${home}/roster.json`,
    rosterChunk: (chunk: number) => `${home}/roster-${chunk}.json`,
    moment: (level: number, node: number) => `${home}/moments/${level}-${node}`,
    concept: `${home}/concept.json`,
    done: `${home}/done.json`,
    out: `${home}/out`,
  };
};

/** Notes and skipped inputs of a task; they end up in the record of the topic. */
export type TaskMessages = { readonly notes: readonly string[]; readonly skipped: Run['skipped'] };

const written = z.string().refine((text) => parseWish(text) !== null);
const wishSchema = z.array(z.object({ written, video: z.string() }));

const headSchema = z.object({
  schema: z.literal('job.1'),
  topic: z.string(),
  options: optionsSchema,
  engine: z.custom<Engine>((value) => typeof value === 'object' && value !== null),
  /** Name and version of the extractor. */
  extractor: z.string(),
  /** Number of videos. */
  videos: z.int().positive().max(MAX_VIDEOS),
  /** The shot list, if one was given. */
  shots: z.object({ sha256: z.string(), name: stepSchema }).nullable(),
  /** Wishes, each with its video. */
  wishes: z.object({ pin: wishSchema, veto: wishSchema, sequence: wishSchema, topicSequence: wishSchema }),
  notes: z.array(z.string()),
  skipped: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
});

/** A topic as it was submitted (`head.json`). */
export type Head = z.infer<typeof headSchema>;

/** A video as it was submitted, unopened. Without a `source` it is in the store, under its SHA-256. */
export type GivenVideo = {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256?: string | undefined;
  /** What tells the version that was submitted from others at its source. */
  readonly etag?: string | undefined;
  /** An address `s3://bucket/key`, or a path that all machines see. */
  readonly source?: string | undefined;
};

/** A video of a part of a submission, with the name of its topic. */
export type PartVideo = Omit<GivenVideo, 'id'> & { readonly topic: string };

/** A video that was opened: what is in it. */
export type AdmittedVideo = GivenVideo & { readonly sha256: string; readonly info: Omit<VideoInfo, 'path'> };

/**
 * The record of an extract task, besides the analysis itself. `input` is `null` if the video could not be opened, `video` if
 * it had to be left out.
 */
export type Extracted = TaskMessages & {
  readonly input: AdmittedVideo | null;
  readonly video: {
    readonly extractor: OutlinedVideo['extractor'];
    readonly readWhole: string | null;
    readonly extent: Extent;
  } | null;
};

/** A video of the topic, its weight and its standing. */
export type Member = Related & {
  readonly input: number;
  readonly id: string;
  readonly name: string;
  readonly extractor: OutlinedVideo['extractor'];
  readonly weight: number;
  /** Its own weights of the other videos, if they differ from the common ones. */
  readonly special: readonly number[] | null;
};

/** Number of videos in the topic; the `Member`s themselves are stored in chunks. */
export type Roster = TaskMessages & {
  readonly count: number;
  /** The hashes of those that the embedded background has rows of. */
  readonly inBackground: readonly string[];
};

/** One video ranked, cut and rendered; `ranking` is `null` if that failed. */
export type Ranked = TaskMessages & {
  readonly ranking: {
    readonly order: readonly number[];
    readonly places: readonly number[];
    readonly scores: readonly number[];
    readonly own: readonly number[];
    readonly shared: readonly number[];
    /** The view that each shot shows. */
    readonly views: readonly number[];
    readonly evidence: {
      readonly total: readonly number[];
      readonly terms: Readonly<Partial<Record<EvidenceTerm, readonly number[]>>>;
    } | null;
    readonly solver: RankedVideo['solver'];
    /** Which other videos support each chosen shot. */
    readonly support: readonly { readonly shot: number; readonly by: readonly Support[] }[];
    /** Who else shows each chosen shot; empty if nobody looked. */
    readonly shown: readonly { readonly shot: number; readonly shown: Shown }[];
  } | null;
  readonly made: Pick<RenderedVideo, 'film' | 'storyboard' | 'pictures'>;
};

/** The film of the topic; `concept` is `null` if there is none. */
export type Filmed = TaskMessages & { readonly concept: Concept | null };

/** Objects read concurrently: a bucket has a high latency, but serves many requests at once. */
export const READ_AT_ONCE = 16;

/** Reads a record; `null` if it does not exist. */
export async function readRecord<T>(objects: ObjectStore, name: string, signal?: AbortSignal): Promise<T | null> {
  const bytes = await objects.read(name, undefined, signal);
  if (bytes === null) return null;
  try {
    const record: unknown = JSON.parse(bytes.toString('utf8'));
    if (isRecord(name, record)) return record as T;
  } catch {
    // Damaged: the same error as for a record of another kind.
  }
  throw badRecord(name, objects);
}

function badRecord(name: string, { url }: ObjectStore): StoreError {
  return new StoreError(
    'bad-record',
    `Expected a record that this version can read as "${name}" in the store ${url}, found something else. Submit the topic again.`,
  );
}

/** Reads a record that an earlier task must have written. */
export async function requireRecord<T>(objects: ObjectStore, name: string, signal?: AbortSignal): Promise<T> {
  const record = await readRecord<T>(objects, name, signal);
  if (record === null) throw lacking(name, objects);
  return record;
}

/** The error for something that must be in the store and is not. */
export function lacking(name: string, { url }: ObjectStore): StoreError {
  return new StoreError('no-record', `Expected "${name}" in the store ${url}, found nothing. Submit the topic again.`);
}

/** Reads many records; `null` for those that do not exist. */
export function readRecords<T>(objects: ObjectStore, names: readonly string[]): Promise<(T | null)[]> {
  return mapLimited(names, READ_AT_ONCE, (name) => readRecord<T>(objects, name));
}

/** Reads many records that earlier tasks must have written. */
export function requireRecords<T>(objects: ObjectStore, names: readonly string[]): Promise<T[]> {
  return mapLimited(names, READ_AT_ONCE, (name) => requireRecord<T>(objects, name));
}

/** Writes a record as one line of JSON. */
export async function writeRecord(objects: ObjectStore, name: string, record: unknown): Promise<void> {
  await objects.write(name, `${JSON.stringify(record)}\n`);
}

/** Reads what was submitted as a topic. */
export async function readHead(objects: ObjectStore, topic: string, signal?: AbortSignal): Promise<Head> {
  const parsed = headSchema.safeParse(await requireRecord(objects, namesOf(topic).head, signal));
  if (parsed.success) return parsed.data;
  throw badRecord(namesOf(topic).head, objects);
}
