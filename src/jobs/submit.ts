import { basename, resolve } from 'node:path';

import { mapLimited, UsageError } from '../base/index.js';
import { parsePictures } from '../render/index.js';
import { budgetsOf, resultOptions, optionsSchema, type Options } from '../options/index.js';
import {
  type Run,
  admitVideos,
  collectInputs,
  COMPARED_VIDEOS,
  othersWanted,
  skip,
  skippedInOrder,
  tryTools,
  type Video,
} from '../pipeline/index.js';
import { hashFile, keyOf } from '../storage/index.js';
import { checkRanges, resolveWishes, type SummaryDocument } from '../summary/index.js';
import { CHUNK, chunksOf, type TaskContext } from './tasks.js';
import { engineHere } from './engine.js';
import { fileName, namesOf, videoName, writeRecord, type Head, type SubmittedVideo } from './records.js';
import { objectWorkspace } from './open-topic.js';

/** A submitted topic: its id and name, how many videos it has, and the inputs that had to be left out. */
export type Submitted = {
  readonly topicId: string;
  readonly topic: string;
  readonly videos: number;
  readonly skipped: SummaryDocument['skipped'];
};

/**
 * Opens and hashes the videos as a run does, uploads those the store lacks, and writes down what was asked for. The id of a
 * topic is a hash of everything that decides its result, so the same topic submitted twice has the same id.
 */
export async function submitTopic(
  given: readonly string[],
  options: Options,
  context: TaskContext,
  { inPlace = false }: { readonly inPlace?: boolean } = {},
): Promise<Submitted> {
  refuseOptions(options);
  const run = runOf(options, context);
  const { topic, inputs, unreadable } = await collectInputs(given, { ...options, out: options.out ?? context.scratch });
  const wishes = resolveWishes(options, inputs.map(({ name }) => name)); // prettier-ignore
  const extractor = await tryTools(run);
  for (const folder of unreadable) skip(run, folder.name, 'unreadable', folder.message);
  const videos = await admitVideos(inputs, run);
  checkRanges(wishes, new Map(videos.map(({ name, info }) => [name, info.durationHint])));
  refuseTooMany(options, videos.length);
  const shots = options.shots === undefined ? null : await uploadShots(options.shots, context);
  const written = (kind: keyof typeof wishes) => wishes[kind].map(({ wish, video }) => ({ written: wish.written, video })); // prettier-ignore
  const head: Head = {
    schema: 'job.1',
    topic,
    options: lasting(options),
    engine: await engineHere(),
    extractor: `${extractor.name} ${extractor.version}`,
    videos: videos.length,
    shots,
    wishes: { pin: written('pin'), veto: written('veto'), sequence: written('sequence'), topicSequence: written('topicSequence') }, // prettier-ignore
    notes: run.notes.toSorted(),
    // Files are opened at the same time, and the id must not depend on which came first.
    skipped: skippedInOrder(run),
  };
  const topicId = keyOf({ ...head, videos: videos.map(({ id, name, sha256 }) => [id, name, sha256]) });
  if (!inPlace) await uploadVideos(videos, run, context);
  const submitted = videos.map((video) => asSubmitted(video, inPlace));
  const names = namesOf(topicId);
  for (let chunk = 0; chunk < chunksOf(videos.length); chunk++) {
    // Workers may be reading these; a second submission from elsewhere must not change the paths.
    if ((await context.objects.head(names.inputs(chunk))) !== null) continue;
    await writeRecord(context.objects, names.inputs(chunk), submitted.slice(chunk * CHUNK, (chunk + 1) * CHUNK));
  }
  await writeRecord(context.objects, names.head, head);
  return { topicId, topic: head.topic, videos: head.videos, skipped: head.skipped };
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

async function uploadVideos(videos: readonly Video[], run: Run, { objects, signal }: TaskContext): Promise<void> {
  run.emit({ type: 'stage-started', stage: 'upload', total: videos.length });
  const total = videos.reduce((sum, { bytes }) => sum + bytes, 0);
  let sent = 0;
  await mapLimited(videos, run.jobs, async ({ name, path, sha256, bytes }) => {
    const stored = videoName(sha256);
    const isThere = (await objects.head(stored, signal)) !== null;
    if (!isThere && (await objects.upload(stored, path, signal)).sha256 !== sha256) {
      await objects.remove(stored);
      throw new UsageError(
        'source-changed',
        `Expected "${name}" to stay the same while it was uploaded, found that it changed. Submit the topic again.`,
      );
    }
    sent += bytes;
    run.emit({ type: 'item-done', stage: 'upload', item: name, cached: isThere });
    run.emit({ type: 'progress', stage: 'upload', fraction: total > 0 ? sent / total : 1, item: name, frames: 0 });
  });
  run.emit({ type: 'stage-done', stage: 'upload' });
}

function asSubmitted({ id, name, sha256, bytes, info: { path, ...info } }: Video, inPlace: boolean): SubmittedVideo {
  return { id, name, sha256, bytes, info, ...(inPlace ? { path: resolve(path) } : {}) };
}
