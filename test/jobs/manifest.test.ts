import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type RunEvent, type SummaryDocument } from 'throughline-video';
import { fetchResults, keepPart, namesOf, openObjects, runHere, runTask, submitAll } from '../../src/jobs/index.js';
import type { Submitted, TaskContext } from '../../src/jobs/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { optionsSchema } from '../../src/options/index.js';
import { openBucket, type ObjectStore } from '../../src/storage/index.js';
import { makeVideo } from '../fixtures/make.js';
import { startProgram } from '../fixtures/program.js';
import { redisProgram } from '../fixtures/redis.js';
import { startS3, type S3 } from '../fixtures/s3.js';
import { openTestFleet, until, type TestFleet } from './fleet.case.js';
import { contentsOf } from './topic.js';

const FILMS = ['a.mp4', 'b.mp4', 'same as a.mp4', 'sub/c.mp4', 'text.mp4'];
const wanted: OptionsInput = { features: 'shallow', length: '50%', pictures: 'none', recursive: true };
const bare: OptionsInput = { ...wanted, films: false };

let home: string;
let s3: S3;
const before = { ...process.env };
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-manifest-'));
  await mkdir(at('films', 'sub'), { recursive: true });
  const ffmpeg = (await locateFfmpeg()).path;
  for (const [i, name] of ['a', 'b', 'sub/c'].entries()) {
    await makeVideo(ffmpeg, at('films', `${name}.mp4`), { frameCount: 70 + i, cuts: [35 + i], firstNumber: 50 * i });
  }
  await copyFile(at('films', 'a.mp4'), at('films', 'same as a.mp4'));
  await writeFile(at('films', 'text.mp4'), 'no video');
  s3 = await startS3();
  Object.assign(process.env, s3.env);
  const objects = await openObjects(`s3://${s3.bucket}/archive`);
  for (const name of FILMS) await objects.upload(`films/${name}`, at('films', name));
});
afterAll(async () => {
  process.env = before;
  await s3?.close();
  await rm(home, { recursive: true, force: true });
});

let events: RunEvent[] = [];
beforeEach(() => void (events = []));

async function deskOn(store: string, more: Partial<TaskContext> = {}): Promise<TaskContext> {
  const objects = await openObjects(store.includes('://') ? store : at(store));
  return { objects, scratch: at('scratch'), jobs: 2, emit: (event) => events.push(event), ...more };
}

async function submit(
  asked: Partial<Parameters<typeof submitAll>[0]>,
  context: TaskContext,
  options = bare,
  inPlace = false,
) {
  // prettier-ignore
  const submitted: Submitted[] = [];
  const add = async (topic: Submitted): Promise<void> => void submitted.push(topic);
  await submitAll({ videos: [], ...asked }, optionsSchema.parse(options), context, { inPlace }, add);
  return submitted.sort((one, other) => (one.topic < other.topic ? -1 : 1));
}

/** The results of a topic whose tasks are all done here. */
async function results({ topicId }: Submitted, context: TaskContext, folder: string): Promise<Record<string, string>> {
  await runHere(topicId, context);
  await fetchResults(topicId, at(folder), context);
  return contentsOf(at(folder));
}

async function onOneMachine(inputs: string[], out: string, options = bare): Promise<Record<string, string>> {
  await summarizeTopic(inputs, { ...options, out: at(out), cache: at('cache') });
  return contentsOf(at(out));
}

async function skippedIn(folder: string): Promise<SummaryDocument['skipped']> {
  return (JSON.parse(await readFile(at(folder, 'summary.json'), 'utf8')) as SummaryDocument).skipped;
}

/** Lines about the films in the bucket. */
async function linesOfBucket() {
  const lines: { source: string; size: number; etag: string; topic?: string; sha256?: string }[] = [];
  for await (const { key, bytes, etag } of (await openBucket(s3.bucket)).list('archive/films/', true)) {
    lines.push({ source: `s3://${s3.bucket}/${key}`, size: bytes, etag });
  }
  return lines;
}

async function writeManifest(lines: readonly unknown[], file = at('list.jsonl')): Promise<string> {
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  return file;
}

async function namesIn(objects: ObjectStore, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const name of objects.list(prefix)) names.push(name);
  return names;
}

describe('videos in a bucket', () => {
  it('come to the bytes of one machine; each is fetched once per task, none copied, none read to be submitted', async () => {
    const context = await deskOn(`s3://${s3.bucket}/store`);
    const folder = `s3://${s3.bucket}/archive/films`;
    const sent = (name: string): number => s3.sent.get(`archive/films/${name}`) ?? 0;
    const earlier = FILMS.map(sent);
    const [topic] = await submit({ videos: [folder] }, context, wanted);
    expect(FILMS.map(sent)).toEqual(earlier);
    expect(topic).toMatchObject({ topic: 'films', videos: FILMS.length, skipped: [] });
    expect(await results(topic!, context, 'from bucket')).toEqual(await onOneMachine([at('films')], 'one', wanted));
    expect((await skippedIn('from bucket')).map(({ path, code }) => [path, code])).toEqual([
      ['same as a.mp4', 'duplicate'],
      ['text.mp4', 'not-video'],
    ]);
    expect(await namesIn(context.objects, 'videos/')).toEqual([]);
    const sizes = await Promise.all(FILMS.map(async (name) => (await stat(at('films', name))).size));
    // Once by the extract task, and once by that which makes the film, if there is one.
    const times = FILMS.map((name, i) => (sent(name) - earlier[i]!) / sizes[i]!);
    expect(times).toEqual([2, 2, 1, 2, 1]);
    expect(await readdir(at('scratch'))).toEqual([]);
  });

  it('are left out if they are gone, are other ones now, or other than the manifest says', async () => {
    const objects = await openObjects(`s3://${s3.bucket}/moving`);
    for (const name of ['a.mp4', 'b.mp4', 'gone.mp4']) await objects.upload(name, at('films', 'a.mp4'));
    await objects.upload('c.mp4', at('films', 'sub/c.mp4'));
    const lines: Record<string, unknown>[] = [];
    for await (const { key, bytes: size, etag } of (await openBucket(s3.bucket)).list('moving/', true)) {
      lines.push({ source: `s3://${s3.bucket}/${key}`, size, etag, ...(key.endsWith('a.mp4') ? { sha256: 'f'.repeat(64) } : {}) }); // prettier-ignore
    }
    const context = await deskOn('moved', { buckets: [s3.bucket] });
    const [topic] = await submit({ manifest: await writeManifest(lines) }, context);
    await objects.upload('b.mp4', at('films', 'b.mp4'));
    await objects.remove('gone.mp4');
    const doubtful = runTask({ topic: topic!.topicId, kind: 'extract', place: 3 }, { ...context, triesLeft: 1 });
    await expect(doubtful).rejects.toMatchObject({ code: 'source-gone' });
    await results(topic!, context, 'moved-out');
    const skipped = await skippedIn('moved-out');
    expect(skipped.map(({ path, code }) => [path, code])).toEqual([
      ['moving/a.mp4', 'source-changed'],
      ['moving/b.mp4', 'source-changed'],
      ['moving/gone.mp4', 'source-gone'],
    ]);
    for (const { message } of skipped) expect(message).toMatch(/^Expected .*, found .*\. Restore it/);
  });

  it('must be in a bucket that was allowed, for those who submit and for those who work', async () => {
    const context = await deskOn('strict');
    const folder = `s3://${s3.bucket}/archive/films`;
    const refused = { name: 'UsageError', code: 'bucket-not-allowed' };
    await expect(submit({ videos: [folder] }, context)).rejects.toMatchObject(refused);
    const [topic] = await submit({ videos: [folder] }, { ...context, buckets: [s3.bucket] });
    const task = { topic: topic!.topicId, kind: 'extract', place: 0 } as const;
    const earlier = s3.sent.get('archive/films/a.mp4');
    await expect(runTask(task, context)).rejects.toMatchObject(refused);
    expect(s3.sent.get('archive/films/a.mp4')).toBe(earlier);
    await expect(runTask(task, { ...context, buckets: [s3.bucket] })).resolves.toEqual({ done: 'now' });
  });
});

describe('a manifest', () => {
  it('brings several topics, each as on one machine; bad lines are reported, the others go on', async () => {
    const inBucket = await linesOfBucket();
    const lines = [
      ...inBucket.map((line) => ({ ...line, topic: 'bucket' })),
      { source: 'films/../../etc/passwd' },
      { source: 'films/b.mp4', topic: 'disk' },
      { source: 'https://example.org/film.mp4', topic: 'disk' },
      { source: 'films/sub/c.mp4', topic: 'disk' },
      { source: 'films/text.mp4', topic: 'nothing' },
    ];
    const context = await deskOn(`s3://${s3.bucket}/store`);
    const topics = await submit({ manifest: await writeManifest(lines) }, context);
    expect(topics.map(({ topic, videos }) => [topic, videos])).toEqual([['bucket', 5], ['disk', 2], ['nothing', 1]]); // prettier-ignore
    const said = events.flatMap((event) => (event.type === 'skipped' ? [event.message.slice(0, 24)] : []));
    expect(said).toEqual(['Line 6 of "list.jsonl": ', 'Line 8 of "list.jsonl": ']);

    const [fromBucket, fromDisk, nothing] = topics;
    await cp(at('films'), at('alone', 'archive', 'films'), { recursive: true });
    const one = await onOneMachine([at('alone')], 'one bucket', { ...bare, topic: 'bucket' });
    expect(await results(fromBucket!, context, 'many bucket')).toEqual(one);
    await mkdir(at('pair', 'films', 'sub'), { recursive: true });
    for (const name of ['b.mp4', 'sub/c.mp4']) await copyFile(at('films', name), at('pair', 'films', name));
    const pair = await onOneMachine([at('pair')], 'one disk', { ...bare, topic: 'disk' });
    expect(await results(fromDisk!, context, 'many disk')).toEqual(pair);
    await expect(runHere(nothing!.topicId, context)).rejects.toMatchObject({ code: 'nothing-done' });
  });

  it('reads nothing of a file in the store whose hash it gives, and refuses another hash', async () => {
    const context = await deskOn('hashed');
    const { sha256 } = await context.objects.upload('somewhere', at('films', 'a.mp4'));
    const line = { source: 'films/a.mp4', sha256 };
    const [first] = await submit({ manifest: await writeManifest([line]) }, context);
    expect(events).toContainEqual(expect.objectContaining({ type: 'item-done', stage: 'upload', cached: false }));
    expect(await submit({ manifest: await writeManifest([line]) }, context)).toEqual([first]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'item-done', stage: 'upload', cached: true }));
    const wrong = submit({ manifest: await writeManifest([{ ...line, sha256: '0'.repeat(64) }]) }, context);
    await expect(wrong).rejects.toMatchObject({ code: 'nothing-done', message: expect.stringContaining('"films/a.mp4" to have the SHA-256') as string }); // prettier-ignore
  });
});

describe('a topic in parts', () => {
  it('is the same, in whatever order and however often its parts were kept', async () => {
    const lines = (await linesOfBucket()).map((line) => ({ ...line, topic: 'films' }));
    const ids: string[] = [];
    for (const [store, parts] of [
      ['one way', [0, 1, 0]],
      ['another', [1, 0]],
    ] as const) {
      // prettier-ignore
      const context = await deskOn(store, { buckets: [s3.bucket] });
      const options = optionsSchema.parse(bare);
      for (const part of parts) {
        const manifest = await writeManifest(lines.filter((_, at) => at % 2 === part));
        const kept = await keepPart('archive', { videos: [], manifest }, options, context, {});
        expect(kept).toBe(part === 0 ? 3 : 2);
      }
      const [topic] = await submit({ parts: 'archive' }, context);
      expect(topic).toMatchObject({ topic: 'films', videos: 5 });
      ids.push(topic!.topicId);
      await expect(submit({ parts: 'other' }, context)).rejects.toMatchObject({ code: 'no-videos' });
    }
    const whole = await deskOn('whole', { buckets: [s3.bucket] });
    ids.push((await submit({ manifest: await writeManifest(lines) }, whole))[0]!.topicId);
    expect(new Set(ids).size).toBe(1);
  });
});

describe.skipIf(redisProgram() === null)('a fleet', { timeout: 300_000 }, () => {
  let fleet: TestFleet;
  beforeAll(async () => {
    const server = redisProgram();
    if (server !== null) fleet = await openTestFleet(server);
  });
  afterAll(() => fleet?.close());

  it('goes on with a submission that was killed in the middle; every topic is queued once', async () => {
    const count = 300;
    await cp(at('films'), join(fleet.home, 'films'), { recursive: true });
    const lines = Array.from({ length: count }, (_, i) => ({ source: 'films/a.mp4', topic: `topic ${i}` }));
    await writeManifest(lines, join(fleet.home, 'list.jsonl'));
    const command = ['submit', '--manifest', 'list.jsonl', '--features', 'shallow', '--no-films', '--pictures', 'none'];
    const { child, ended } = startProgram(fleet.program.entry, command, { env: fleet.env, cwd: fleet.home });
    const running = async (): Promise<number> => (await fleet.status()).counts.running;
    await until(async () => (await running()) > 0);
    child.kill('SIGKILL');
    expect((await ended).code).toBeNull();
    const there = await running();
    expect(there).toBeLessThan(count);

    const again = await fleet.run(command);
    expect(again).toMatchObject({ code: 0 });
    const [, queued, joined] = /(\d+) submitted, (\d+) already being worked on, 0 already done/.exec(again.stdout) ?? []; // prettier-ignore
    expect(Number(joined)).toBeGreaterThanOrEqual(there);
    expect(Number(queued) + Number(joined)).toBe(count);
    const { counts, queues } = await fleet.status();
    expect(counts).toMatchObject({ running: count, adding: 0 });
    const waiting = queues.map(({ kind, ready, blocked }) => [kind, ready, blocked]);
    expect(waiting.filter(([, ready, blocked]) => ready !== 0 || blocked !== 0)).toEqual([
      ['extract', count, 0],
      ['gather', 0, count],
      ['roster', 0, count],
    ]);
  });

  it('works on videos in a bucket, and tells where a line is bad', async () => {
    fleet.env = { ...fleet.env, ...s3.env, THROUGHLINE_BUCKETS: s3.bucket };
    const lines = [...(await linesOfBucket()).map((line) => ({ ...line, topic: 'bucket' })), { source: '/etc/passwd' }];
    await writeManifest(lines, join(fleet.home, 'bucket.jsonl'));
    const options = ['--features', 'shallow', '--length', '50%', '--no-films', '--pictures', 'none'];
    // Another fleet on this Redis: this one has hundreds of topics to do.
    const waiting = fleet.run(['submit', '--manifest', 'bucket.jsonl', ...options, '--prefix', 'bucket', '--wait']);
    fleet.worker(['--jobs', '2', '--prefix', 'bucket']);
    const { code, stdout, stderr } = await waiting;
    expect(stderr).toContain('skipped: Line 6 of "bucket.jsonl": Expected a file inside');
    expect(code).toBe(3);
    const topic = /Topic (\w+)/.exec(stdout)![1]!;
    const record = join(fleet.home, 'store', namesOf(topic).done);
    expect(JSON.parse(await readFile(record, 'utf8'))).toEqual({ videos: 3, skipped: 2 });
  });
});
