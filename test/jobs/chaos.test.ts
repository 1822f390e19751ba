import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { random } from '../../src/base/index.js';
import { namesOf, openObjects, TASK_KINDS, type TaskKind } from '../../src/jobs/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { atRandom, startFaultProxy, type FaultProxy } from '../fixtures/fault-proxy.js';
import { makeBroken, makeVideo } from '../fixtures/make.js';
import { redisProgram } from '../fixtures/redis.js';
import { startS3, type S3 } from '../fixtures/s3.js';
import { contents } from '../fixtures/contents.js';
import { kindOf, openTestFleet, until, type Line, type TestFleet, type TestWorker } from './fleet.case.js';

const SEED = 20170718;
const VIDEOS = 7;
const OPTIONS = ['--length', '30%', '--concept', '4s'];
/**
 * In each stage a worker is killed at its task: within so many milliseconds, or as soon as what the task makes stands in the
 * store, and before anybody is told.
 */
const KILLED_AT: Readonly<Record<TaskKind, number | ((names: ReturnType<typeof namesOf>) => string)>> = {
  extract: 1500,
  gather: 300,
  roster: ({ roster }) => roster,
  moment: ({ moment }) => moment(0, 0),
  summarise: 1500,
  concept: 1500,
  export: 500,
};
/** Stages of many tasks: where a worker was done before it was killed, another one is. The others must be hit at once. */
const MANY: readonly TaskKind[] = ['extract', 'summarise'];
/** A machine whose clock is an hour ahead. */
const AHEAD = `--import=data:text/javascript,${encodeURIComponent(
  'const now = Date.now; Date.now = () => now() + 3600e3; globalThis.Date = class extends Date { constructor(...given) { super(...(given.length ? given : [Date.now()])); } };',
)}`;

const server = redisProgram();
let fleet: TestFleet;
let s3: S3;
let proxy: FaultProxy;

beforeAll(async () => {
  if (server === null) return;
  fleet = await openTestFleet(server);
  s3 = await startS3();
  proxy = await startFaultProxy(s3.endpoint, atRandom(0.06, SEED));
  const folder = join(fleet.home, 'topic');
  const ffmpeg = (await locateFfmpeg()).path;
  await mkdir(folder);
  for (let i = 0; i < VIDEOS; i++) {
    await makeVideo(ffmpeg, join(folder, `v${i}.mp4`), { frameCount: 100 + 8 * i, cuts: [33 + i, 66 + 2 * i], firstNumber: 40 * i }); // prettier-ignore
  }
  await makeBroken('no-moov', { folder, ffmpeg });
  await spoil(join(folder, 'v6.mp4'), join(folder, 'spoilt.mp4'));
});
afterAll(async () => {
  await fleet?.close();
  await proxy?.close();
  await s3?.close();
});

/** A video whose index is whole and whose pictures are not: only decoding tells. */
async function spoil(from: string, to: string): Promise<void> {
  const file = await readFile(from);
  const start = file.indexOf('mdat') + 4;
  await writeFile(to, file.fill(0, start, start + file.readUInt32BE(start - 8) - 8));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.skipIf(server === null)('a fleet in trouble', () => {
  it('gives the bytes of one machine', { timeout: 420_000 }, async () => {
    const alone = await fleet.run(['summarize', 'topic', ...OPTIONS, '--out', 'alone']);
    expect(alone.code).toBe(3);
    const expected = await contents(join(fleet.home, 'alone'));

    Object.assign(process.env, s3.env);
    const store = await openObjects(`s3://${s3.bucket}/chaos`);
    fleet.env = { ...fleet.env, ...s3.env, AWS_ENDPOINT_URL_S3: proxy.endpoint, THROUGHLINE_STORE: `s3://${s3.bucket}/chaos` }; // prettier-ignore
    const draw = random(SEED);
    const kills: { kind: TaskKind; worker: TestWorker; task: string; begins: number; isOver: boolean }[] = [];
    const workers: TestWorker[] = [];
    const began = (kind: TaskKind): Line[] =>
      workers.flatMap(({ lines }) => lines).filter((line) => line.event === 'task-started' && kindOf(line) === kind);
    const beginsOf = (wanted: string, but?: TestWorker): number =>
      workers.filter((worker) => worker !== but).flatMap(({ lines }) => lines)
        .filter(({ event, task }) => event === 'task-started' && task === wanted).length; // prettier-ignore
    const isDoneBy = ({ lines }: TestWorker, wanted: string): boolean =>
      lines.some(({ event, task }) => event === 'task-done' && task === wanted);
    /** Kills a worker in the middle of its task, and has another one take its place. */
    const killAt = async (kind: TaskKind, { topic, task }: Line, worker: TestWorker): Promise<void> => {
      const misses = kills.filter((kill) => kill.kind === kind).length;
      const kill = { kind, worker, task: task!, begins: beginsOf(task!, worker), isOver: false };
      kills.push(kill);
      // A worker that is stopped hears nothing of what the process of its task does meanwhile.
      if (!MANY.includes(kind)) worker.child.kill('SIGSTOP');
      workers.push(fleet.worker(['--jobs', '2'], { onLine }));
      const when = KILLED_AT[kind];
      if (typeof when === 'number') await sleep((draw.next() * when) / 2 ** misses);
      else await until(async () => (await store.head(when(namesOf(topic!)))) !== null);
      worker.child.kill('SIGKILL');
      await worker.ended;
      kill.isOver = true;
    };
    let asleep: { readonly worker: TestWorker; readonly task: string; readonly begins: number } | null = null;
    /**
     * The first to begin a stage is killed while it is at it, until one was not done before that. One worker falls asleep at
     * its task while the process of the task works on, so that another one is given the same.
     */
    const onLine = (line: Line, worker: TestWorker): void => {
      const kind = kindOf(line) as TaskKind;
      if (line.event !== 'task-started' || kills.some((kill) => kill.worker === worker)) return;
      const before = kills.filter((kill) => kill.kind === kind);
      if (before.some(({ isOver }) => !isOver)) return;
      if (before.every((kill) => isDoneBy(kill.worker, kill.task))) return void killAt(kind, line, worker);
      if (kind !== 'summarise' || asleep !== null) return;
      asleep = { worker, task: line.task!, begins: beginsOf(line.task!) };
      worker.child.kill('SIGSTOP');
    };
    const outdated = fleet.worker(['--jobs', '2'], { entry: await fleet.program.asVersion('0.0.1') });
    const early = fleet.worker(['--jobs', '1'], {
      env: { NODE_OPTIONS: AHEAD },
      // It lives long enough to show that it can work.
      onLine: (line, worker) => worker.lines.some(({ event }) => event === 'task-done') && onLine(line, worker),
    });
    workers.push(fleet.worker(['--jobs', '2'], { onLine }), early);
    await until(() => early.lines.some(({ event }) => event === 'worker-started'));

    const submitted = await fleet.run(['submit', 'topic', ...OPTIONS]);
    // What cannot be used is found by those who open it.
    expect(submitted).toMatchObject({ code: 0, stdout: expect.stringContaining('submitted') as string });
    const topic = /Topic (\w+)/.exec(submitted.stdout)![1]!;

    // In the middle of it: the same topic once more, by someone who waits for it; Redis dies and comes back.
    await until(() => began('extract').length > 2);
    let isShown = false;
    const waiting = fleet.run(['submit', 'topic', ...OPTIONS, '--wait'], () => (isShown = true));
    await until(() => isShown && began('extract').length > 4);
    await fleet.redis.kill();
    await sleep(500);
    await fleet.redis.start();
    await until(() => asleep !== null && beginsOf(asleep.task) > asleep.begins);
    asleep!.worker.child.kill('SIGCONT');

    const { code, stdout, stderr } = await waiting;
    expect(code, stderr).toBe(3);
    expect(stdout).toContain(topic);
    // In every stage one died at its task, which another one began again.
    const hits = kills.filter(({ worker, task, begins }) => !isDoneBy(worker, task) && beginsOf(task, worker) > begins);
    expect(TASK_KINDS.filter((kind) => !hits.some((hit) => hit.kind === kind))).toEqual([]);
    expect((await fleet.run(['fetch', topic, '--out', 'many'])).code).toBe(0);
    expect(await contents(join(fleet.home, 'many'))).toEqual(expected);

    // Nothing of the dead goes on.
    const orphans = kills.flatMap(({ worker: { lines } }) =>
      lines.flatMap(({ pid }) => (pid === undefined ? [] : [pid])),
    );
    await until(() => !orphans.some(isAlive));

    // The worker of another release said why it stood by; the one with the wrong clock did its share.
    expect(outdated.lines.filter(({ event }) => event === 'task-started')).toEqual([]);
    expect(outdated.lines.find(({ event }) => event === 'other-engine')).toMatchObject({ topic, message: expect.stringContaining('0.0.1') as string }); // prettier-ignore
    expect(early.lines.some(({ event }) => event === 'task-done')).toBe(true);
    expect(Object.values(proxy.done).reduce((sum, count) => sum + count)).toBeGreaterThan(5);
  });
});
