import { copyFile, cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { bringBack, fetchResults, openObjects, runHere, runTask, submitTopic, taskId, treeAfter } from '../../src/jobs/index.js'; // prettier-ignore
import type { TaskContext, Phase, TaskTree } from '../../src/jobs/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { optionsSchema } from '../../src/options/index.js';
import { makeVideo } from '../fixtures/make.js';
import { contentsOf } from './topic.js';

const NAMES = ['a.mp4', 'b.mp4', 'c.mp4'];
const options = optionsSchema.parse({ features: 'shallow', length: '50%', pictures: 'none' });

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-again-'));
  await mkdir(at('topic'));
  const ffmpeg = (await locateFfmpeg()).path;
  for (const [i, name] of NAMES.entries()) {
    await makeVideo(ffmpeg, at('topic', name), { frameCount: 70 + i, cuts: [35 + i], firstNumber: 50 * i });
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function deskOn(store: string): Promise<TaskContext> {
  return { objects: await openObjects(at(store)), scratch: at('scratch'), jobs: 2, emit: () => undefined };
}

/** All tasks of a topic; `lost` were given up. */
async function runWithout(topic: string, lost: readonly string[], context: TaskContext): Promise<void> {
  const failures = Object.fromEntries(lost.map((id) => [id, 'its process ended.']));
  const doTree = async ({ task, children }: TaskTree): Promise<Phase | undefined> => {
    for (const child of children) await doTree(child);
    return lost.includes(taskId(task)) ? undefined : (await runTask(task, { ...context, failures })).next;
  };
  for (let phase: Phase | undefined = 'submit'; phase !== undefined;) {
    phase = await doTree(await treeAfter(topic, phase, context));
  }
}

async function resultsOf(topic: string, context: TaskContext, folder: string): Promise<Record<string, string>> {
  await fetchResults(topic, at(folder), context);
  return contentsOf(at(folder));
}

describe('a topic submitted again', () => {
  it('is the same topic, wherever the files were that are now in the store', async () => {
    const context = await deskOn('elsewhere');
    const { topicId } = await submitTopic([at('topic')], options, context);
    await mkdir(at('laptop', 'topic'), { recursive: true });
    for (const name of NAMES) await copyFile(at('topic', name), at('laptop', 'topic', name));
    expect((await submitTopic([at('laptop', 'topic')], options, context)).topicId).toBe(topicId);
    await rm(at('laptop'), { recursive: true });
    await expect(runTask({ topic: topicId, kind: 'extract', place: 0 }, context)).resolves.toEqual({ done: 'now' });
  });

  it('reads videos in place where they are, or fails until they are back', async () => {
    const context = await deskOn('moved');
    await mkdir(at('mount', 'topic'), { recursive: true });
    for (const name of NAMES) await cp(at('topic', name), at('mount', 'topic', name), { preserveTimestamps: true });
    const [here, there] = await Promise.all(
      [at('topic'), at('mount', 'topic')].map((folder) => submitTopic([folder], options, context, { inPlace: true })),
    );
    expect(here!.topicId).not.toBe(there!.topicId);
    await rename(at('mount'), at('away'));
    const task = { topic: there!.topicId, kind: 'extract', place: 0 } as const;
    await expect(runTask(task, context)).rejects.toMatchObject({ code: 'unreadable' });
    await rename(at('away'), at('mount'));
    await expect(runTask(task, context)).resolves.toEqual({ done: 'now' });
  });
});

describe('videos that were left out', () => {
  it('come back, and all is as if they had never been missing', async () => {
    const whole = await deskOn('whole');
    const { topicId: topic } = await submitTopic([at('topic')], options, whole);
    await runHere(topic, whole);
    const expected = await resultsOf(topic, whole, 'whole-out');
    await expect(bringBack(topic, whole)).rejects.toMatchObject({ code: 'nothing-left-out' });

    const lost = [{ kind: 'extract', place: 1 }, { kind: 'summarise', place: 0 }] as const; // prettier-ignore
    for (const which of [lost.slice(1), lost]) {
      const name = `without-${which.map(({ kind }) => kind).join('-')}`;
      const context = await deskOn(name);
      await submitTopic([at('topic')], options, context);
      await runWithout(topic, which.map((task) => taskId({ topic, ...task })), context); // prettier-ignore
      expect(await resultsOf(topic, context, `${name}-out`)).not.toEqual(expected);
      expect(await bringBack(topic, context)).toBe(which.length);
      await expect(fetchResults(topic, at(name), context)).rejects.toMatchObject({ code: 'not-done' });
      await runHere(topic, context);
      expect(await resultsOf(topic, context, `${name}-again`)).toEqual(expected);
    }
  });
});
