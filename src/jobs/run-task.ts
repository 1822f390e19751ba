import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { mapLimited, ThroughlineError } from '../base/index.js';
import {
  placesOf,
  rootLevel,
  treeAfter,
  taskId,
  type TaskContext,
  type Phase,
  type Task,
  type TaskResult,
  type TaskTree,
} from './tasks.js';
import { extractVideo, makeRoster, exportTopic, makeConcept, addMoment, summariseVideo } from './steps.js';
import { openTopic, rosterOf, type OpenTopic } from './open-topic.js';
import {
  lacking,
  readRecord,
  readRecords,
  requireRecord,
  writeRecord,
  type Extracted,
  type Ranked,
  type TaskMessages,
} from './records.js';

/**
 * Does one task, unless it was done before. Results appear whole or not at all and are the same on every machine, so a task
 * may be done twice, even at the same time. Errors that may pass (store, network, a decoder that was ended while there are
 * `triesLeft`) are thrown and worth another try; a `UsageError` is not.
 */
export async function runTask(task: Task, context: TaskContext): Promise<TaskResult> {
  await mkdir(context.scratch, { recursive: true });
  const scratch = await mkdtemp(join(context.scratch, 'task-'));
  try {
    const topic = await openTopic(task.topic, context, scratch);
    return await doUnlessDone(task, topic, context).finally(topic.run.workspace.close);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function doUnlessDone(task: Task, topic: OpenTopic, context: TaskContext): Promise<TaskResult> {
  const { names, objects } = topic;
  const once = async <T>(name: string, make: () => Promise<T>): Promise<{ done: TaskResult['done']; record: T }> => {
    const before = await readRecord<T>(objects, name);
    if (before !== null) return { done: 'before', record: before };
    const record = await make();
    await writeRecord(objects, name, record);
    return { done: 'now', record };
  };
  const onceOrAgain = <T extends TaskMessages>(name: string, make: () => Promise<T>) =>
    once(name, async () => requireSteady(await make(), context));
  switch (task.kind) {
    case 'extract': {
      const { done, record } = await onceOrAgain(names.one('extract', task.place), () =>
        extractVideo(task.place, topic),
      );
      return { done, ...(record.video === null ? reasonIn(record) : {}) };
    }
    case 'gather':
      return doneOf(await once(names.gathered(task.of, task.chunk), () => gather(task, topic, context)));
    case 'roster':
      return { ...doneOf(await once(names.roster, () => makeRoster(topic))), next: 'roster' };
    case 'moment': {
      const name = names.moment(task.level, task.node);
      const isThere = (await objects.head(name)) !== null;
      if (!isThere) await objects.write(name, await addMoment(task, topic));
      const isRoot = task.level === rootLevel((await rosterOf(topic)).count);
      return { done: isThere ? 'before' : 'now', ...(isRoot ? { next: 'moment' } : {}) };
    }
    case 'summarise':
      return doneOf(await onceOrAgain(names.one('summarise', task.place), () => summariseVideo(task.place, topic)));
    case 'concept':
      return doneOf(await onceOrAgain(names.concept, () => makeConcept(topic)));
    case 'export':
      return doneOf(await once(names.done, () => exportTopic(topic)));
  }
}

/** Error codes that may be the fault of the machine rather than of the video: a program was ended, a file was out of reach. */
export const UNSTEADY: ReadonlySet<string> = new Set(
  'decoder-died past-limit network-failed network-closed solver-thread-died encode-failed film-incomplete source-gone source-changed not-found unreadable'.split(
    ' ',
  ),
);

/** Throws if a video would be left out for something the machine may have caused and there are tries left. */
function requireSteady<T extends TaskMessages>(record: T, { triesLeft = 0 }: TaskContext): T {
  const doubtful = triesLeft > 0 ? record.skipped.find(({ code }) => UNSTEADY.has(code)) : undefined;
  if (doubtful) throw new ThroughlineError(doubtful.code, doubtful.message);
  return record;
}

function doneOf({ done }: { done: TaskResult['done'] }): TaskResult {
  return { done };
}

function reasonIn({ skipped: [first] }: TaskMessages): Pick<TaskResult, 'skipped'> {
  return first ? { skipped: { code: first.code, message: first.message } } : {};
}

/** Puts the records of one chunk of videos together. Videos whose tasks were given up are left out, with the reason. */
async function gather(
  { topic: id, of, chunk }: Task & { kind: 'gather' },
  topic: OpenTopic,
  { failures = {} }: TaskContext,
) {
  const { names, objects, head } = topic;
  const count = of === 'extract' ? head.videos : (await rosterOf(topic)).count;
  const places = placesOf(chunk, count);
  const found = await readRecords<Extracted | Ranked>(objects, places.map((index) => names.one(of, index))); // prettier-ignore
  const videos = await requireRecord<readonly { name: string }[]>(objects, (of === 'extract' ? names.inputs : names.rosterChunk)(chunk)); // prettier-ignore
  return found.map((record, at) => {
    const reason = failures[taskId({ topic: id, kind: of, place: places[at]! })];
    if (record !== null) return record;
    if (reason !== undefined) return givenUp(of, videos[at]!.name, reason);
    throw lacking(names.one(of, places[at]!), objects);
  });
}

function givenUp(of: 'extract' | 'summarise', name: string, reason: string): Extracted | Ranked {
  const message = `"${name}" was left out because its task was given up: ${reason}`;
  const said = { notes: [], skipped: [{ path: name, code: 'given-up', message }] };
  if (of === 'extract') return { input: null, video: null, ...said };
  return { ranking: null, made: { film: null, storyboard: null, pictures: [] }, ...said };
}

/** Does all tasks of a topic in this process, `context.jobs` at the same time. */
export async function runHere(topic: string, context: TaskContext): Promise<void> {
  const one = { ...context, jobs: 1 };
  const doTree = async ({ task, children }: TaskTree): Promise<TaskResult> => {
    await mapLimited(children, context.jobs, doTree);
    return runTask(task, one);
  };
  for (let phase: Phase | undefined = 'submit'; phase !== undefined;) {
    phase = (await doTree(await treeAfter(topic, phase, context))).next;
  }
}
