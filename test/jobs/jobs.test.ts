import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type RunEvent, type SummaryDocument } from 'throughline-video';
import { random } from '../../src/base/index.js';
import { fetchResults, namesOf, runHere, runTask, submitTopic, taskId, treeAfter } from '../../src/jobs/index.js';
import type { Phase, Task, TaskContext, TaskKind, TaskTree } from '../../src/jobs/index.js';
import { optionsSchema } from '../../src/options/index.js';
import { openObjects } from '../../src/storage/index.js';
import { startS3, type S3 } from '../fixtures/s3.js';
import { contentsOf, makeTroubledTopic } from './topic.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);

/** Everything a run can make, and wishes of every kind. */
const wanted: OptionsInput = {
  ...{ features: 'shallow', length: '25%', concept: '6s', pictures: 'storyboard,sheet,stills', preview: 'webp' },
  ...{ pin: ['anna.mp4#2', 'finn.mp4@0:01-0:02', 'text.mp4#1'], veto: ['cora.mp4#1'] },
  ...{ sequence: ['anna.mp4#3', 'anna.mp4#2'], topicSequence: ['anna.mp4#2'] },
};
/** What is decided, without making films. */
const bare: OptionsInput = { features: 'shallow', length: '25%', films: false, pictures: 'none' };

async function deskOn(store: string, more: Partial<TaskContext> = {}): Promise<TaskContext> {
  const objects = await openObjects(store.includes('://') ? store : at(store));
  return { objects, scratch: at('scratch'), jobs: 2, emit: () => undefined, ...more };
}

async function submit(options: OptionsInput, context: TaskContext, inPlace = false, folder = 'topic'): Promise<string> {
  return (await submitTopic([at(folder)], optionsSchema.parse(options), context, { inPlace })).topicId;
}

/** The files of a run on one machine, by content. */
async function onOneMachine(out: string, options: OptionsInput): Promise<Record<string, string>> {
  await summarizeTopic(at('topic'), { ...options, out: at(out), cache: at('cache') });
  return contentsOf(at(out));
}

async function fetched(topic: string, folder: string, context: TaskContext): Promise<Record<string, string>> {
  await fetchResults(topic, at(folder), context);
  return contentsOf(at(folder));
}

async function summaryIn(folder: string): Promise<SummaryDocument> {
  return JSON.parse(await readFile(at(folder, 'summary.json'), 'utf8')) as SummaryDocument;
}

function allOf(tree: TaskTree): TaskTree[] {
  return [tree, ...tree.children.flatMap(allOf)];
}

/** Every task of a topic, in an order drawn from those permitted; `work` does one. */
async function inAnyOrder(
  topic: string,
  context: TaskContext,
  seed: number,
  work: (task: Task) => Promise<Phase | undefined>,
) {
  const { next: draw } = random(seed);
  let phase: Phase | undefined = 'submit';
  while (phase !== undefined) {
    const open: TaskTree[] = allOf(await treeAfter(topic, phase, context));
    const done = new Set<string>();
    phase = undefined;
    while (open.length > 0) {
      const ready = open.filter(({ children }) => children.every(({ task }) => done.has(taskId(task))));
      const [tree]: TaskTree[] = open.splice(open.indexOf(ready[Math.floor(draw() * ready.length)]!), 1);
      phase = (await work(tree!.task)) ?? phase;
      done.add(taskId(tree!.task));
    }
  }
}

/** Tasks that decode or encode. */
const LONG: readonly TaskKind[] = ['extract', 'summarise', 'concept'];

let one: Record<string, string>;
let topicId: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-jobs-'));
  await makeTroubledTopic(at('topic'));
  one = await onOneMachine('one', wanted);
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('a topic done in tasks', () => {
  it('comes to the same bytes as on one machine, every file of it', async () => {
    const context = await deskOn('store');
    topicId = await submit(wanted, context);
    await runHere(topicId, context);
    const many = await fetched(topicId, 'many', context);
    expect(await summaryIn('many')).toEqual(await summaryIn('one'));
    expect(many).toEqual(one);
    expect(await readdir(at('scratch'))).toEqual([]);
    const { skipped, notes } = await summaryIn('many');
    expect(skipped.map(({ path, code }) => [path, code])).toEqual([
      ['text.mp4', 'not-video'],
      ['z same.mp4', 'duplicate'],
    ]);
    for (const said of ['"text.mp4" was left out, so the wish', '"truncated.mp4" ', 'shows the same as "cora.mp4"'])
      expect(notes.join('\n')).toContain(said);
  });

  it('is done once: submitted and done again, nothing is uploaded, looked at or made', async () => {
    const reported: RunEvent[] = [];
    const context = await deskOn('store', { emit: (event) => reported.push(event) });
    expect(await submit(wanted, context)).toBe(topicId);
    const results: string[] = [];
    await inAnyOrder(topicId, context, 1, async (task) => {
      const { done, next } = await runTask(task, context);
      results.push(done);
      return next;
    });
    expect(new Set(results)).toEqual(new Set(['before']));
    const made = reported.filter((event) => event.type === 'item-done' && !event.cached);
    expect(made).toEqual([]);
  });

  it('is the same in a bucket', async () => {
    const s3: S3 = await startS3();
    const before = { ...process.env };
    Object.assign(process.env, s3.env);
    try {
      const context = await deskOn(`s3://${s3.bucket}/archive`);
      expect(await submit(wanted, context)).toBe(topicId);
      await runHere(topicId, context);
      expect(await fetched(topicId, 'from-s3', context)).toEqual(one);
      expect(await readdir(at('scratch'))).toEqual([]);
    } finally {
      process.env = before;
      await s3.close();
    }
  });

  it('is the same in any order, with two workers at every task at the same time', async () => {
    const context = await deskOn('twice');
    await submit(wanted, context);
    await inAnyOrder(topicId, context, 7, async (task) => {
      const [first] = await Promise.all([runTask(task, context), runTask(task, context)]);
      return first.next;
    });
    expect(await fetched(topicId, 'twice-out', context)).toEqual(one);
    const home = (store: string): string => at(store, 'topics', topicId);
    expect(await contentsOf(home('twice'))).toEqual(await contentsOf(home('store')));
  });

  it('is the same after every task was stopped in the middle, and nothing half is left', async () => {
    const context = await deskOn('stopped');
    await submit(wanted, context);
    const { next: draw } = random(3);
    const stopped = new Set<TaskKind>();
    await inAnyOrder(topicId, context, 5, async (task) => {
      const stop = new AbortController();
      const later = 60 * draw();
      let timer: NodeJS.Timeout | undefined;
      const stopSoon = (): void => void (timer ??= setTimeout(() => stop.abort(), later));
      // What takes time tells what it does, and is stopped when it has begun to; what is short, as it comes.
      if (!LONG.includes(task.kind)) stopSoon();
      await runTask(task, { ...context, signal: stop.signal, emit: stopSoon }).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'cancelled' });
        stopped.add(task.kind);
      });
      clearTimeout(timer);
      expect(await readdir(at('scratch'))).toEqual([]);
      return (await runTask(task, context)).next;
    });
    for (const kind of LONG) expect(stopped, kind).toContain(kind);
    expect(await fetched(topicId, 'stopped-out', context)).toEqual(one);
  });
});

describe('options', () => {
  it.each<[string, OptionsInput]>([
    ['whitened vectors', { whiten: 6 }],
    ['a method that compares shots', { method: 'cosum', concept: '3 shots' }],
    ['a method that looks at the video alone', { method: 'kmeans' }],
    ['nearer videos counting more', { neighbors: 'similar' }],
    ['motion and sound', { blocks: 'motion,sound' }],
    ['key pictures only', { fast: true }],
    ['strays left out', { dropStrays: true }],
    ['videos not compared', { relate: false, topic: 'Another name' }],
  ])('have the same effect as on one machine: %s', async (name, options) => {
    const context = await deskOn('options');
    const [alone, many] = [`${name} one`, `${name} many`];
    await onOneMachine(alone, { ...bare, ...options });
    const topic = await submit({ ...bare, ...options }, context);
    await runHere(topic, context);
    await fetchResults(topic, at(many), context);
    expect(await summaryIn(many)).toEqual(await summaryIn(alone));
    expect(await contentsOf(at(many))).toEqual(await contentsOf(at(alone)));
  });

  it.each([true, false])('share a length among short videos as on one machine; compared: %s', async (relate) => {
    const context = await deskOn('options');
    const [alone, many, options] = [`short one ${relate}`, `short many ${relate}`, { ...bare, length: '10%', relate }];
    await onOneMachine(alone, options);
    const topic = await submit(options, context);
    await runHere(topic, context);
    await fetchResults(topic, at(many), context);
    const document = await summaryIn(many);
    expect(document).toEqual(await summaryIn(alone));
    const without = document.videos.filter(({ clips }) => clips.length === 0).length;
    expect(without).toBeGreaterThan(0);
    expect(document.notes.join('\n')).toContain(`No film of their own: ${without} of ${document.videos.length} videos`);
  });

  it.each(['music', 'background', 'vectors'] as const)(
    'that name a file of this machine are refused: %s',
    async (name) => {
      const submitted = submit({ ...bare, [name]: 'a.bin' }, await deskOn('refused'));
      await expect(submitted).rejects.toThrow(`found --${name}, which names`);
    },
  );

  it('bring a shot list along; a video it does not speak of is left out by its own task, with the same words', async () => {
    const { videos } = await summaryIn('one');
    const rows = videos
      .filter(({ path }) => path !== 'bela.mp4')
      .flatMap(({ path, shots }) => shots.map(({ startFrame, endFrame }) => `${path},${startFrame},${endFrame}`));
    await writeFile(at('list.csv'), `video,start_frame,end_frame\n${rows.join('\n')}\n`);
    const options = { ...bare, shots: at('list.csv') };
    await onOneMachine('listed one', options);
    const context = await deskOn('options');
    const topic = await submit(options, context);
    const skipped: unknown[] = [];
    await inAnyOrder(topic, context, 2, async (task) => {
      const result = await runTask(task, context);
      if (result.skipped) skipped.push(result.skipped);
      return result.next;
    });
    await fetchResults(topic, at('listed many'), context);
    expect(await summaryIn('listed many')).toEqual(await summaryIn('listed one'));
    const left = (await summaryIn('listed many')).skipped.find(({ path }) => path === 'bela.mp4');
    expect(skipped).toContainEqual({ code: left!.code, message: left!.message });
  });

  it.each<[OptionsInput, string]>([
    [{ vectors: 'folder' }, '--vectors'],
    [{ features: 'onnx', model: './net.onnx' }, '--model'],
    [{ pictures: 'svg' }, 'svg'],
    [{ autoTopics: true }, 'one machine'],
    [{ fast: true, blocks: 'motion' }, '--fast'],
    [{ shots: 'nowhere.csv' }, 'shot list'],
    [{ pin: ['nobody.mp4#1'] }, 'none of that name'],
  ])('that name files of this machine, or cannot be meant, are refused before any work: %j', async (options, word) => {
    const context = await deskOn('refused');
    const refused = expect.stringContaining(word) as string;
    await expect(submit(options, context)).rejects.toMatchObject({ name: 'UsageError', message: refused });
    await expect(readdir(at('refused', 'videos'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('sources in place', () => {
  it('are read where they are, and must be the ones that were submitted', async () => {
    const context = await deskOn('in-place');
    const swap = (name: string): Promise<void> =>
      cp(at('topic', name), at('here', 'anna.mp4'), { preserveTimestamps: true });
    await mkdir(at('here'));
    await copyFile(at('topic', 'finn.mp4'), at('here', 'finn.mp4'));
    await swap('anna.mp4');
    const topic = await submit({ ...bare, films: true }, context, true, 'here');
    await expect(readdir(at('in-place', 'videos'))).rejects.toMatchObject({ code: 'ENOENT' });
    await swap('cora.mp4');
    const first = runTask({ topic, kind: 'extract', place: 0 }, context);
    await expect(first).rejects.toMatchObject({ code: 'source-changed' });
    await swap('anna.mp4');
    await runHere(topic, context);
    await fetchResults(topic, at('in-place many'), context);
    expect((await summaryIn('in-place many')).videos[0]).toMatchObject({ path: 'anna.mp4', film: 'anna.mp4' });
  });
});

describe('a task that failed for good', () => {
  it('costs its video, with the reason; without a reason the others wait for it', async () => {
    const context = await deskOn('given-up');
    const topic = await submit(bare, context);
    const poisoned = { topic, kind: 'extract', place: 1 } as const;
    const unsolved = { topic, kind: 'summarise', place: 2 } as const;
    const failed = [taskId(poisoned), taskId(unsolved)];
    const failures = { [failed[0]!]: 'it ended its worker 3 times.', [failed[1]!]: 'it took too long.' };
    await inAnyOrder(topic, context, 4, async (task) => {
      if (failed.includes(taskId(task))) return undefined;
      if (task.kind === 'gather') await expect(runTask(task, context)).rejects.toMatchObject({ code: 'no-record' });
      return (await runTask(task, { ...context, failures })).next;
    });
    await fetchResults(topic, at('given-up-out'), context);
    const { videos, skipped } = await summaryIn('given-up-out');
    const lost = skipped.filter(({ code }) => code === 'given-up');
    expect(lost.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^"bela.mp4" was left out.*it ended its worker 3 times\.$/),
      expect.stringMatching(/was left out.*it took too long\.$/),
    ]);
    for (const { path } of lost) expect(videos.map((video) => video.path)).not.toContain(path);
  });
});

describe('a store that lost analyses', () => {
  it('gets them again, by whoever needs them', async () => {
    const context = await deskOn('lossy');
    const topic = await submit({ ...bare, blocks: 'sound' }, context);
    await onOneMachine('whole', { ...bare, blocks: 'sound' });
    await inAnyOrder(topic, context, 6, async (task) => {
      if (['roster', 'concept', 'export'].includes(task.kind)) await rm(at('lossy', 'analyses'), { recursive: true });
      return (await runTask(task, context)).next;
    });
    expect(await fetched(topic, 'whole again', context)).toEqual(await contentsOf(at('whole')));
  });
});

describe('a worker', () => {
  it('of another engine refuses the topic', async () => {
    const context = await deskOn('store');
    const { head } = namesOf(topicId);
    const record = JSON.parse(String(await context.objects.read(head))) as { engine: object };
    const other = namesOf('other').head;
    await context.objects.write(
      other,
      JSON.stringify({ ...record, engine: { ...record.engine, decoder: 'ffmpeg 3' } }),
    );
    const refused = runTask({ topic: 'other', kind: 'roster' }, context);
    await expect(refused).rejects.toMatchObject({
      code: 'other-engine',
      message: expect.stringContaining('Expected decoder "ffmpeg 3"') as string,
    });
  });
});

describe('results', () => {
  it('are fetched when all is done, into a folder of ours', async () => {
    const context = await deskOn('unfinished');
    const topic = await submit(bare, context);
    await expect(fetchResults(topic, at('early'), context)).rejects.toMatchObject({ code: 'not-done' });
    const done = await deskOn('store');
    await expect(fetchResults(topicId, at('topic'), done)).rejects.toMatchObject({ code: 'out-not-empty' });
    const reported: RunEvent[] = [];
    await writeFile(at('many', 'summary.json'), '{}');
    await fetchResults(topicId, at('many'), { ...done, emit: (event) => reported.push(event) });
    expect(reported).toEqual([{ type: 'wrote', path: at('many', 'summary.json') }]);
    expect(await contentsOf(at('many'))).toEqual(one);
  });
});
