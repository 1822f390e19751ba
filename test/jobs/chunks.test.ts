import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { OptionsInput } from 'throughline-video';
import { openTestFolder, smallVgg } from '../../src/features/small-networks.case.js';
import { CHUNK } from '../../src/jobs/tasks.js';
import { fetchResults, namesOf, runHere, submitTopic, type Head, type TaskContext } from '../../src/jobs/index.js';
import { writeRecord } from '../../src/jobs/records.js';
import { optionsSchema } from '../../src/options/index.js';
import { analyseTopic, summarizeAnalysed } from '../../src/pipeline/pipeline.js';
import type { Run } from '../../src/pipeline/run.js';
import { localWorkspace, openObjectCache, openObjects } from '../../src/storage/index.js';
import { parseBudget, parseSummary, type SummaryDocument } from '../../src/summary/index.js';
import { contentsOf, makeTinyTopic } from './topic.js';

/** More than stand in one chunk, so that records are read from two and the moment is a tree. */
const VIDEOS = 70;
/** Vectors of six numbers: that of many videos is added up, not how they look, is what matters here. */
const asked = { features: 'vgg', length: '50%', films: false, pictures: 'none' } as const;

let home: string;
let context: TaskContext;
let analysed: Awaited<ReturnType<typeof analyseTopic>>;
let topicId: string;
let models: Awaited<ReturnType<typeof openTestFolder>>;
const at = (...parts: string[]): string => join(home, ...parts);

/** A run on one machine. Each video is looked at once for all of this file: what is found is kept in the store. */
function runOf(out: string, given: OptionsInput, comparedVideos: number): Run {
  const options = optionsSchema.parse(given);
  return {
    ...{ options, jobs: 2, out: at(out), emit: () => undefined, signal: undefined, skipped: [], notes: [] },
    ...{ budget: parseBudget(options.length), conceptBudget: options.concept ? parseBudget(options.concept) : null },
    workspace: localWorkspace(openObjectCache(context.objects, at('scratch-one'))),
    comparedVideos,
  };
}

async function onOneMachine(out: string, given: OptionsInput, comparedVideos: number): Promise<void> {
  const run = runOf(out, given, comparedVideos);
  await run.workspace.openFolder(run.out);
  await summarizeAnalysed({ ...analysed, topic: run.options.topic ?? analysed.topic }, run);
}

async function inTasks(out: string, topic: string, comparedVideos: number): Promise<Record<string, string>> {
  const mine = { ...context, comparedVideos };
  await runHere(topic, mine);
  await fetchResults(topic, at(out), mine);
  return contentsOf(at(out));
}

/** The topic submitted under other options, without opening and hashing all videos again. */
async function submitAgain(id: string, options: OptionsInput): Promise<string> {
  const [known, other] = [namesOf(topicId), namesOf(id)];
  const read = async (name: string): Promise<Buffer> => (await context.objects.read(name))!;
  const head = JSON.parse(String(await read(known.head))) as Head;
  for (const chunk of [0, 1]) await context.objects.write(other.inputs(chunk), await read(known.inputs(chunk)));
  const wanted = { ...head, topic: options.topic ?? head.topic, options: { ...head.options, ...options } };
  await writeRecord(context.objects, other.head, wanted);
  return id;
}

async function summaryIn(folder: string): Promise<SummaryDocument> {
  return parseSummary(await readFile(at(folder, 'summary.json'), 'utf8'));
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-chunks-'));
  models = await openTestFolder();
  const { onnx, sidecar } = smallVgg();
  await models.write('vgg16', onnx, sidecar);
  await makeTinyTopic(at('topic'), VIDEOS);
  context = { objects: await openObjects(at('store')), scratch: at('scratch'), jobs: 2, emit: () => undefined };
  analysed = await analyseTopic([at('topic')], runOf('looked at', asked, VIDEOS));
  topicId = (await submitTopic([at('topic')], optionsSchema.parse(asked), context, { inPlace: true })).topicId;
}, 600_000);
afterAll(async () => {
  await models?.close();
  await rm(home, { recursive: true, force: true });
});

describe('a topic of more videos than one chunk holds', () => {
  it('comes to the same bytes in tasks as on one machine', { timeout: 600_000 }, async () => {
    await onOneMachine('one', asked, VIDEOS);
    expect(await inTasks('many', topicId, VIDEOS)).toEqual(await contentsOf(at('one')));

    const { videos, skipped } = await summaryIn('many');
    expect([videos.length, skipped.length]).toEqual([VIDEOS, 0]);
    // Videos of either chunk stand behind shots of others.
    const behind = new Set(videos.flatMap(({ shots }) => shots.flatMap((shot) => shot.support.map((s) => s.video))));
    const stands = videos.map(({ id }) => behind.has(id));
    expect([stands.slice(0, CHUNK).includes(true), stands.slice(CHUNK).includes(true)]).toEqual([true, true]);
    const names = namesOf(topicId);
    for (const node of [names.moment(0, 0), names.moment(0, 1), names.moment(1, 0)])
      expect(await context.objects.head(node), node).not.toBeNull();
  });

  it('does so where there are too many to be compared', { timeout: 600_000 }, async () => {
    const options = { ...asked, topic: 'Too many' };
    await onOneMachine('one alone', options, VIDEOS - 1);
    const topic = await submitAgain('too-many', options);
    expect(await inTasks('many alone', topic, VIDEOS - 1)).toEqual(await contentsOf(at('one alone')));

    const { videos, notes } = await summaryIn('many alone');
    expect(videos.every(({ shots }) => shots.every(({ support }) => support.length === 0))).toBe(true);
    expect(videos.some(({ shots }) => shots.some(({ shared }) => shared > 0))).toBe(true);
    expect(notes.join('\n')).toContain(`more than the ${VIDEOS - 1} that are compared with each other`);
    expect(notes.join('\n')).toContain(
      `more than the ${VIDEOS - 1} up to which the supporters of a shot are worked out`,
    );
  });
});
