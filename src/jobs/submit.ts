import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, resolve } from 'node:path';

import { CancelledError, mapLimited, MediaError, StoreError, ThroughlineError, UsageError } from '../base/index.js';
import { probe } from '../media/index.js';
import { parsePictures } from '../render/index.js';
import { budgetsOf, resultOptions, optionsSchema, type Options } from '../options/index.js';
import {
  type Run,
  collectInputs,
  COMPARED_VIDEOS,
  keepGoing,
  othersWanted,
  requireSome,
  skip,
  skippedInOrder,
  tryTools,
  WHOLE_RUN,
  withIds,
} from '../pipeline/index.js';
import { hashFile, keyOf } from '../storage/index.js';
import { resolveWishes, type SummaryDocument } from '../summary/index.js';
import { CHUNK, chunksOf, type TaskContext } from './tasks.js';
import { engineHere } from './engine.js';
import { listBucket, readManifest, type WantedTopics, type WantedVideo } from './manifest.js';
import {
  fileName,
  namesOf,
  partsOf,
  READ_AT_ONCE,
  requireRecords,
  videoName,
  writeRecord,
  type GivenVideo,
  type Head,
  type PartVideo,
} from './records.js';
import { objectWorkspace, versionOf } from './open-topic.js';

/** A submitted topic: its id and name, how many videos it has, and the inputs that had to be left out. */
export type Submitted = {
  readonly topicId: string;
  readonly topic: string;
  readonly videos: number;
  readonly skipped: SummaryDocument['skipped'];
};

/** Where a submission finds its videos. */
type Asked = {
  /** Folders, files, and addresses `s3://bucket/prefix`: the videos of one topic. */
  readonly videos: readonly string[];
  /** A file that names videos of any number of topics. */
  readonly manifest?: string | undefined;
  /** Folders that files of the manifest may be in. */
  readonly folders?: readonly string[] | undefined;
  /** The name under which parts of a submission were kept. */
  readonly parts?: string | undefined;
};

/** `inPlace` copies nothing into the store: all machines see the files at the same paths. */
type SubmitHow = { readonly inPlace?: boolean };

/** Topics written to the store at the same time. */
const TOPICS_AT_ONCE = 8;
/** Videos in one object of a part. */
const PART_VIDEOS = 10_000;

/**
 * Writes down which videos a topic has and what was asked for; they are opened by the workers. Files of this machine are
 * copied into the store first. The id of a topic is a hash of all that, so the same topic submitted twice has the same id,
 * and an interrupted call goes on when repeated.
 */
export async function submitTopic(
  given: readonly string[],
  options: Options,
  context: TaskContext,
  how: { readonly inPlace?: boolean } = {},
): Promise<Submitted> {
  refuseOptions(options);
  const found = await findVideos(given, options, context);
  return (await prepare(options, context))(found, how);
}

/**
 * Submits every topic of a manifest, of kept parts, or one topic of folders and addresses. `onTopic` is called with each as
 * soon as it is in the store. Bad lines, and topics that cannot be submitted, are reported as skipped; the others go on.
 */
export async function submitAll(
  asked: Asked,
  options: Options,
  context: TaskContext,
  how: SubmitHow,
  onTopic: (submitted: Submitted) => Promise<void>,
): Promise<void> {
  refuseOptions(options);
  const topics = await findTopics(asked, options, context);
  const submit = await prepare(options, context);
  await mapLimited(topics, TOPICS_AT_ONCE, async (found) => {
    try {
      await onTopic(await submit(found, how));
    } catch (error) {
      if (topics.length === 1 || !(error instanceof ThroughlineError) || isForAll(error)) throw error;
      context.emit({ type: 'skipped', item: found.topic, code: error.code, message: `Topic "${found.topic}": ${error.message}` }); // prettier-ignore
    }
  });
}

/** Keeps videos under a name, for a later call that asks for its parts. Returns how many they are. */
export async function keepPart(
  name: string,
  asked: Asked,
  options: Options,
  context: TaskContext,
  how: SubmitHow,
): Promise<number> {
  const run = runOf(options, context);
  const kept: PartVideo[] = [];
  for (const { topic, videos } of await findTopics(asked, options, context)) {
    for (const { id: _id, ...video } of await settle(withIds(videos), run, context, how))
      kept.push({ topic, ...video });
  }
  for (let at = 0; at < kept.length; at += PART_VIDEOS) {
    const some = kept.slice(at, at + PART_VIDEOS);
    await writeRecord(context.objects, `${partsOf(name)}${keyOf(some)}.json`, some);
  }
  return requireSome(kept, run).length;
}

type Found = {
  readonly topic: string;
  /** Whether a manifest named the topic, as `--topic` does, and not a folder. */
  readonly isNamed?: boolean;
  readonly videos: readonly WantedVideo[];
  readonly unreadable?: readonly { readonly name: string; readonly message: string }[];
};

async function findTopics(asked: Asked, options: Options, context: TaskContext): Promise<Found[]> {
  const { videos, manifest, parts, folders } = asked;
  const found: Found[] = [];
  let badLines = 0;
  if (manifest !== undefined) {
    const onBad = (message: string): void =>
      context.emit({ type: 'skipped', item: `line ${++badLines}`, code: 'bad-line', message });
    const topics = await readManifest(manifest, options.topic, { ...context, folders }, onBad);
    for (const [topic, named] of topics) found.push({ topic, isNamed: true, videos: named });
  }
  if (parts !== undefined) {
    for (const [topic, kept] of await readParts(parts, context)) found.push({ topic, isNamed: true, videos: kept });
  }
  if (videos.length > 0 || (manifest ?? parts) === undefined) found.push(await findVideos(videos, options, context));
  if (found.length > 0) return found;
  throw new UsageError('no-videos', `Expected videos in "${manifest ?? parts}", found none${badLines > 0 ? ` in ${badLines} lines that can be used` : ''}. Correct it, or check the name.`); // prettier-ignore
}

/** Every part that was kept under a name. One that was kept twice counts once. */
async function readParts(name: string, { objects }: TaskContext): Promise<WantedTopics> {
  const names: string[] = [];
  for await (const part of objects.list(partsOf(name))) names.push(part);
  const kept = (await requireRecords<PartVideo[]>(objects, names.sort())).flat();
  const topics: WantedTopics = new Map();
  for (const { topic, ...video } of new Map(kept.map((each) => [JSON.stringify(each), each])).values()) {
    const videos = topics.get(topic) ?? [];
    videos.push(video);
    topics.set(topic, videos);
  }
  return topics;
}

/** The videos of one topic, named by folders and files of this machine and by addresses in buckets. */
async function findVideos(given: readonly string[], options: Options, context: TaskContext): Promise<Found> {
  const addresses = given.filter((each) => each.startsWith('s3://'));
  const paths = given.filter((each) => !addresses.includes(each));
  const listed = await mapLimited(addresses, 1, (address) => listBucket(address, options.recursive, context));
  const inBuckets = listed.flatMap(({ videos }) => videos);
  if (paths.length === 0 && listed.length > 0) return { topic: options.topic ?? listed[0]!.topic, videos: inBuckets };
  const out = options.out ?? context.scratch;
  const { topic, inputs, unreadable } = await collectInputs(paths, { ...options, out });
  const files = inputs.map(({ name, path }) => ({ name, path: resolve(path), bytes: 0 }));
  return { topic, videos: [...files, ...inBuckets], unreadable };
}

/** Finds out what all topics of a submission share. What it gives writes one topic into the store. */
async function prepare(options: Options, context: TaskContext) {
  const { objects } = context;
  const shared = runOf(options, context);
  const extractor = await tryTools(shared);
  const engine = await engineHere();
  let shots: Promise<Head['shots']> | undefined;

  return async ({ topic, isNamed, videos, unreadable = [] }: Found, how: SubmitHow): Promise<Submitted> => {
    const run: Run = { ...shared, skipped: [], notes: [...shared.notes] };
    for (const folder of unreadable) skip(run, folder.name, 'unreadable', folder.message);
    const named = withIds(videos);
    const wishes = resolveWishes(options, named.map(({ name }) => name)); // prettier-ignore
    refuseTooMany(options, named.length);
    const given = requireSome(await settle(named, run, context, how), run);
    const written = (kind: keyof typeof wishes) => wishes[kind].map(({ wish, video }) => ({ written: wish.written, video })); // prettier-ignore
    const head: Head = {
      schema: 'job.1',
      topic,
      options: lasting(isNamed ? { ...options, topic } : options),
      engine,
      extractor: `${extractor.name} ${extractor.version}`,
      videos: given.length,
      shots: await (shots ??=
        options.shots === undefined ? Promise.resolve(null) : uploadShots(options.shots, context)),
      wishes: { pin: written('pin'), veto: written('veto'), sequence: written('sequence'), topicSequence: written('topicSequence') }, // prettier-ignore
      notes: run.notes.toSorted(),
      // Files are opened at the same time, and the id must not depend on which came first.
      skipped: skippedInOrder(run),
    };
    const topicId = keyOf({ ...head, videos: given });
    const names = namesOf(topicId);
    const chunks = Array.from({ length: chunksOf(given.length) }, (_, chunk) => chunk);
    const writeOnce = async (name: string, record: unknown): Promise<void> => {
      if ((await objects.head(name)) === null) await writeRecord(objects, name, record);
    };
    await mapLimited(chunks, READ_AT_ONCE, (chunk) =>
      writeOnce(names.inputs(chunk), given.slice(chunk * CHUNK, (chunk + 1) * CHUNK)),
    );
    await writeOnce(names.head, head);
    return { topicId, topic, videos: head.videos, skipped: head.skipped };
  };
}

/** Where workers find each video: files of this machine are copied into the store, unless workers see them too. */
async function settle(
  named: readonly (WantedVideo & { readonly id: string })[],
  run: Run,
  { objects, signal }: TaskContext,
  { inPlace = false }: SubmitHow,
): Promise<GivenVideo[]> {
  const isCopied = !inPlace && named.some(({ path }) => path !== undefined);
  if (isCopied) run.emit({ type: 'stage-started', stage: 'upload', total: named.length });
  let done = 0;
  const settled = await mapLimited(named, run.jobs, async ({ path, ...video }) =>
    path === undefined
      ? video
      : keepGoing(run, { id: video.id, name: video.name, path }, async () => {
          if (inPlace) {
            const version = await access(path, constants.R_OK).then(() => versionOf(path), () => null); // prettier-ignore
            return version ? { ...video, ...version, source: path } : refuse(path);
          }
          const found = await copy(path, video);
          run.emit({ type: 'item-done', stage: 'upload', item: video.name, cached: found.wasThere });
          run.emit({ type: 'progress', stage: 'upload', fraction: ++done / named.length, item: video.name, frames: 0 });
          return { ...video, sha256: found.sha256, bytes: found.bytes };
        }),
  );
  if (isCopied) run.emit({ type: 'stage-done', stage: 'upload' });
  // Facts in a fixed order: the id of the topic is a hash of them.
  return settled.flatMap((video) => (video ? [givenVideo(video)] : []));

  async function copy(path: string, { name, sha256: said }: Omit<WantedVideo, 'path'>) {
    // If its hash was given, nothing is read of a file that is in the store.
    const known = said === undefined ? null : await objects.head(videoName(said), signal);
    if (known) return { sha256: said!, bytes: known.bytes, wasThere: true };
    const content = await hashFile(path, signal).catch((error: unknown) => refuse(path, error));
    const { sha256, bytes } = content;
    if (said !== undefined && said !== sha256) throw otherContent(name, 'to have the SHA-256 that the manifest gives');
    const wasThere = (await objects.head(videoName(sha256), signal)) !== null;
    if (!wasThere && (await objects.upload(videoName(sha256), path, signal, content)).sha256 !== sha256) {
      await objects.remove(videoName(sha256));
      throw otherContent(name, 'to stay the same while it was uploaded');
    }
    return { sha256, bytes, wasThere };
  }

  /** Throws what a run on one machine says about a file that cannot be read. */
  async function refuse(path: string, error: unknown = new Error(`Could not read "${path}".`)): Promise<never> {
    await probe(path, signal);
    throw error;
  }
}

function givenVideo({ id, name, bytes, sha256, etag, source }: GivenVideo): GivenVideo {
  return { id, name, bytes, sha256, etag, source };
}

function otherContent(name: string, expected: string): MediaError {
  return new MediaError('source-changed', `Expected "${name}" ${expected}, found that it changed. Submit it again when nothing writes to it.`); // prettier-ignore
}

/** Errors that every topic would meet. */
function isForAll(error: ThroughlineError): boolean {
  return error instanceof StoreError || error instanceof CancelledError || WHOLE_RUN.has(error.code);
}

function runOf(options: Options, { objects, scratch, jobs, emit, signal }: TaskContext): Run {
  return {
    ...{ options, jobs, emit, signal, skipped: [], notes: [], out: '' },
    ...budgetsOf(options),
    workspace: objectWorkspace(objects, scratch, signal),
  };
}

/** The options that decide the result. */
function lasting(options: Options): Options {
  const set = Object.entries(resultOptions(options)).filter(([, value]) => value !== null);
  return optionsSchema.parse(Object.fromEntries(set));
}

/** Refuses, before any work, what machines cannot do that do not share a disk. */
function refuseOptions(options: Options): void {
  const { model } = options;
  const refused: readonly (readonly [boolean, string])[] = [
    [options.autoTopics || options.groups !== undefined, 'Expected one topic, found --auto-topics or --groups, which divide videos on one machine. Run "throughline topics" first, then submit each topic.'], // prettier-ignore
    [options.background !== undefined, 'Expected options that work on every machine, found --background, which names a file of this one. Leave it out, or use "throughline summarize".'], // prettier-ignore
    [options.music !== undefined, 'Expected options that work on every machine, found --music, which names a file of this one. Leave it out, or use "throughline concept".'], // prettier-ignore
    [options.vectors !== undefined, 'Expected options that work on every machine, found --vectors, which names files of this one. Leave it out, or use "throughline summarize".'], // prettier-ignore
    [model !== undefined && /[/\\]|\.onnx$/i.test(model), `Expected the name of a network for --model, found "${model}", a file of this machine. Add the network to the models folder of every worker, and give its name.`], // prettier-ignore
    [parsePictures(options.pictures)!.has('svg'), 'Expected options that work on every machine, found --pictures svg, which links to the videos by their paths on this one. Leave out svg, or use "throughline summarize".'], // prettier-ignore
  ];
  for (const [isGiven, sentence] of refused) if (isGiven) throw new UsageError('not-for-many', sentence);
}

/** Refuses options that need all videos in memory at once if there are too many. */
function refuseTooMany(options: Options, count: number): void {
  if (count <= COMPARED_VIDEOS) return;
  const wrong = options.whiten !== undefined ? '--whiten' : othersWanted({ options }, count) === 'shots' ? `--method ${options.method}` : null; // prettier-ignore
  if (wrong === null) return;
  throw new UsageError(
    'too-many-videos',
    `Expected at most ${COMPARED_VIDEOS} videos with ${wrong}, which needs all of them at once; found ${count}. Leave it out, or submit smaller topics.`,
  );
}

async function uploadShots(path: string, { objects, signal }: TaskContext): Promise<NonNullable<Head['shots']>> {
  const { sha256 } = await hashFile(path, signal);
  await objects.upload(fileName(sha256), path, signal);
  // A worker that has another system must be able to write it under that name.
  return { sha256, name: basename(path).replace(/^\.|[\\:\p{Cc}]/gu, '_') };
}
