import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { locateFfmpeg } from '../../src/media/index.js';
import { makeVideo } from '../fixtures/make.js';
import { redisProgram } from '../fixtures/redis.js';
import { kindOf, openTestFleet, PASSWORD, until, type Line, type TestFleet, type TestWorker } from './fleet.case.js';

const VIDEOS = ['a', 'b', 'c'];
const QUICK = ['--no-films', '--pictures', 'none'];

const server = redisProgram();
let fleet: TestFleet;
let workers: TestWorker[] = [];

beforeAll(async () => {
  if (server === null) return;
  fleet = await openTestFleet(server);
  const ffmpeg = (await locateFfmpeg()).path;
  await mkdir(join(fleet.home, 'topic'));
  for (const [i, name] of VIDEOS.entries()) {
    await makeVideo(ffmpeg, join(fleet.home, 'topic', `${name}.mp4`), { frameCount: 70 + i, cuts: [35 + i], firstNumber: 50 * i }); // prettier-ignore
  }
});
afterEach(async () => {
  for (const { child } of workers) child.kill('SIGTERM');
  await Promise.all(workers.map(({ ended }) => ended));
  workers = [];
});
afterAll(async () => {
  await fleet?.close();
});

/** A worker that ends with the test. */
function work(args: readonly string[], onLine?: (line: Line, worker: TestWorker) => void, env = {}): TestWorker {
  const worker = fleet.worker(['--grace', '0', ...args], { env, ...(onLine ? { onLine } : {}) });
  workers.push(worker);
  return worker;
}

/** Submits the three videos under a seed of their own, so that each test has a topic and nothing is known of it. */
async function submit(seed: number, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await fleet.run(['submit', 'topic', '--method', 'random', '--seed', String(seed), ...QUICK, ...args]); // prettier-ignore
  const topic = /Topic (\w+)/.exec(stdout)?.[1];
  if (topic === undefined) throw new Error(`No topic was submitted:\n${stdout}${stderr}`);
  return topic;
}

/** The process may have ended meanwhile. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has.
  }
}

const started = (worker: TestWorker, kind: string, topic?: string): Line[] =>
  worker.lines.filter((line) => line.event === 'task-started' && kindOf(line) === kind && (!topic || line.topic === topic)); // prettier-ignore

async function stateOf(topic: string): Promise<string | undefined> {
  return (await fleet.status()).topics.find(({ id }) => id === topic)?.state;
}

describe.skipIf(server === null)('a fleet', { timeout: 300_000 }, () => {
  it('gives running tasks back when it is told to stop, and another worker goes on', async () => {
    const topic = await submit(1);
    const first = work(['--jobs', '1'], (line, { child }) => line.event === 'task-started' && child.kill('SIGTERM'));
    expect((await first.ended).code).toBe(0);
    expect(first.lines.map(({ event }) => event)).toContain('task-given-back');
    const status = await fleet.status();
    expect(status.queues.find(({ kind }) => kind === 'extract')).toMatchObject({ ready: 3, active: 0 });
    expect(status.workers).toEqual([]);

    work(['--jobs', '2']);
    await until(async () => (await stateOf(topic)) === 'done');
    const again = await fleet.run(['submit', 'topic', '--method', 'random', '--seed', '1', ...QUICK, '--wait']);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(topic) as string });
  });

  it('pauses and resumes a kind, takes the more urgent topic first, one task at a time where told so', async () => {
    expect((await fleet.run(['jobs', 'pause', 'extract'])).code).toBe(0);
    const [later, sooner] = [await submit(2, '--priority', '50'), await submit(3, '--priority', '5')];
    expect((await fleet.run(['submit', 'topic', '--method', 'random', '--seed', '2', ...QUICK, '--priority', '7'])).stdout).toContain('Its priority stays 50.'); // prettier-ignore
    let [running, most] = [0, 0];
    const worker = work(['--jobs', '2', '--extract-jobs', '1'], (line) => {
      if (kindOf(line) !== 'extract') return;
      running += line.event === 'task-started' ? 1 : line.event === 'task-done' ? -1 : 0;
      most = Math.max(most, running);
    });
    await until(() => worker.lines.some(({ event }) => event === 'worker-started'));
    const paused = await fleet.run(['jobs', 'status']);
    expect(paused.stdout).toMatch(/extract +6 +0 .* paused/);
    expect(started(worker, 'extract')).toEqual([]);
    await fleet.run(['jobs', 'resume', 'extract']);
    await until(async () => (await stateOf(later)) === 'done' && (await stateOf(sooner)) === 'done');
    expect(started(worker, 'extract').map((line) => line.topic)).toEqual([sooner, sooner, sooner, later, later, later]);
    expect(most).toBe(1);
  });

  it('cancels a topic while it runs, keeps what was done, and goes on when told', async () => {
    // Nothing of these shots is known yet, and without the second kind of task the topic cannot come to its end.
    await fleet.run(['jobs', 'pause', 'gather']);
    const topic = await submit(4, '--max-shot', '90');
    const worker = work(['--jobs', '1']);
    await until(() => started(worker, 'extract', topic).length > 1);
    expect((await fleet.run(['jobs', 'cancel', topic.slice(0, 12)])).code).toBe(0);
    await fleet.run(['jobs', 'resume', 'gather']);
    const status = await fleet.status();
    expect(status.topics.find(({ id }) => id === topic)?.state).toBe('cancelled');
    for (const queue of status.queues) expect(queue).toMatchObject({ ready: 0, active: 0, delayed: 0, blocked: 0, failed: 0 }); // prettier-ignore
    expect((await fleet.run(['fetch', topic, '--out', 'nothing'])).code).toBe(2);
    expect((await fleet.run(['jobs', 'retry', topic])).code).toBe(0);
    await until(async () => (await stateOf(topic)) === 'done');
    for (const command of ['retry', 'cancel']) expect((await fleet.run(['jobs', command, topic])).code).toBe(2);
  });

  it('goes on without a video that takes its process down each time, and says why', async () => {
    // Nothing of these shots is known yet: a task that only looks up what is known may be over before it is killed.
    const unknown = ['--max-shot', '92'];
    const topic = await submit(5, ...unknown);
    let deaths = 0;
    work(['--jobs', '2'], (line) => {
      if (line.event !== 'task-started' || line.task !== `${topic}-extract-1`) return;
      if (++deaths <= 3) kill(line.pid!, 'SIGKILL');
    });
    const waited = await fleet.run(['submit', 'topic', '--method', 'random', '--seed', '5', ...QUICK, ...unknown, '--wait']); // prettier-ignore
    expect(waited.code).toBe(3);
    expect(deaths).toBe(3);
    await fleet.run(['fetch', topic, '--out', 'without-b']);
    const record = JSON.parse(await readFile(join(fleet.home, 'without-b', 'summary.json'), 'utf8')) as {
      videos: { path: string }[];
      skipped: { path: string; message: string }[];
    };
    expect(record.videos.map(({ path }) => path)).toEqual(['a.mp4', 'c.mp4']);
    expect(record.skipped).toEqual([expect.objectContaining({ path: 'b.mp4' })]);
    expect(record.skipped[0]!.message).toMatch(/its process ended unexpectedly \(SIGKILL\); given up after 3 tries/);

    expect((await fleet.run(['jobs', 'retry', topic])).stderr).toContain('add --left-out');
    expect(await fleet.run(['jobs', 'retry', '--left-out', topic])).toMatchObject({ code: 0 });
    await until(async () => (await stateOf(topic)) === 'done');
    expect((await fleet.status()).topics.find(({ id }) => id === topic)?.skipped).toEqual({});
    await fleet.run(['fetch', topic.slice(0, 12), '--out', 'with-b']);
    const whole = JSON.parse(await readFile(join(fleet.home, 'with-b', 'summary.json'), 'utf8')) as typeof record;
    expect(whole.videos.map(({ path }) => path)).toEqual(['a.mp4', 'b.mp4', 'c.mp4']);
    expect(whole.skipped).toEqual([]);
  });

  it('tries again where a decoder was ended from outside, and leaves a video out when that goes on', async () => {
    const [deaths, decoder, seen] = ['deaths', 'decoder.sh', 'seen'].map((name) => join(fleet.home, name));
    const real = (await locateFfmpeg()).path;
    // Ends as if it had been killed, as often as there are files to count it by.
    await writeFile(decoder!, `#!/bin/sh\nenv > ${seen}\ncase "$*" in *source-*) for n in 1 2 3 4 5 6 7 8 9; do rmdir ${deaths}/$n 2>/dev/null && kill -9 $$; done;; esac\nexec "${real}" "$@"\n`, { mode: 0o755 }); // prettier-ignore
    const dieNext = async (times: number): Promise<void> => {
      for (let n = 1; n <= times; n++) await mkdir(join(deaths!, String(n)), { recursive: true });
    };
    const worker = work(['--jobs', '1'], undefined, {
      FFMPEG_PATH: decoder,
      AWS_SECRET_ACCESS_KEY: 'key-of-the-store',
    });

    await dieNext(1);
    const once = ['--method', 'random', '--seed', '9', ...QUICK, '--max-shot', '93', '--wait'];
    expect(await fleet.run(['submit', 'topic', ...once])).toMatchObject({ code: 0 });
    const failed = worker.lines.filter(({ event }) => event === 'task-failed').map(({ message }) => message);
    expect(failed).toEqual([
      expect.stringMatching(/^extract-\d .*failed, next try in .* The decoder was stopped \(SIGKILL\)/),
    ]);

    // It reads files that nobody vouches for, and has no need of keys.
    expect(await readFile(seen!, 'utf8')).toContain('PATH=');
    expect(await readFile(seen!, 'utf8')).not.toMatch(/key-of-the-store|^THROUGHLINE_REDIS=/m);

    await dieNext(9);
    const always = ['--method', 'random', '--seed', '10', ...QUICK, '--max-shot', '94', '--wait'];
    const waited = await fleet.run(['submit', 'topic', ...always]);
    expect(waited.code).toBe(1);
    expect(waited.stderr).toMatch(/skipped: The decoder was stopped \(SIGKILL\) while reading "a\.mp4"/);
    expect(waited.stderr).toMatch(/failed: roster: None of the 3 files could be used/);
  });

  it('lets others work where one machine cannot, and leaves out nothing for it', async () => {
    const decoder = join(fleet.home, 'full.sh');
    const real = (await locateFfmpeg()).path;
    await writeFile(decoder, `#!/bin/sh\ncase "$*" in *-progress*) echo "No space left on device" >&2; exit 1;; esac\nexec "${real}" "$@"\n`, { mode: 0o755 }); // prettier-ignore
    // A time, not a share: every video has a film, however short it is.
    const wanted = ['topic', '--method', 'random', '--seed', '11', '--pictures', 'none', '--length', '1s'];
    const waited = fleet.run(['submit', ...wanted, '--wait']);
    const full = work(['--jobs', '1'], undefined, { FFMPEG_PATH: decoder });
    await until(() => full.lines.some(({ event }) => event === 'worker-rests'));
    const rest = full.lines.find(({ event }) => event === 'worker-rests')!;
    expect(rest.message).toMatch(
      /^This worker takes no summarise tasks for 5 s because they fail on this machine: The disk is full/,
    );
    expect(started(full, 'summarise')).toHaveLength(1);
    work(['--jobs', '2']);
    expect((await waited).code).toBe(0);
    expect(full.lines.filter(({ event }) => event === 'task-given-up')).toEqual([]);
  });

  it('ends tasks that need too much memory, and says why the topic failed', async () => {
    // Nothing of these shots is known yet: tasks that only look up what is known are over before anybody can look at them.
    const unknown = ['--max-shot', '91'];
    const topic = await submit(6, ...unknown);
    work(['--jobs', '1', '--memory-limit', '64']);
    const waited = await fleet.run(['submit', 'topic', '--method', 'random', '--seed', '6', ...QUICK, ...unknown, '--wait']); // prettier-ignore
    expect(waited.code).toBe(1);
    expect(waited.stderr).toMatch(
      /skipped: "a\.mp4" was left out: it used \d+ MB of memory, more than 64 MB \(--memory-limit\)/,
    );
    // The next task is small: it may be over before its memory is looked at. Then there is no video left to go on with.
    const why =
      'gather: it used .* more than 64 MB|roster: (?:it used .* more than 64 MB|None of the \\d+ files could be used)';
    expect(waited.stderr).toMatch(new RegExp(`Topic ${topic} failed: (?:${why})`));
  });

  it('ends tasks that take too long, even those that do not listen any more', async () => {
    const topic = await submit(8);
    const worker = work(['--jobs', '3', '--time-limit', '1'], (line) => {
      if (line.event === 'task-started' && kindOf(line) === 'extract') kill(line.pid!, 'SIGSTOP');
    });
    await until(async () => (await stateOf(topic)) === 'failed');
    const reasons = worker.lines.filter(({ event }) => event === 'task-given-up').map(({ message }) => message);
    expect(reasons[0]).toMatch(/^extract-\d of \w{8} was given up: it took longer than 1 s \(--time-limit\); given up after 3 tries$/); // prettier-ignore
  });

  it('begins no more tasks of a kind than the rate allows; serves health, readiness and metrics', async () => {
    const topic = await submit(7);
    const worker = work(['--jobs', '3', '--rate', 'extract=2/600s', '--metrics-port', '0']);
    await until(() => worker.lines.filter((line) => line.event === 'task-done').length === 2);
    const address = addressIn(worker);
    expect(await fetchText(`${address}/health`)).toMatchObject({ status: 200 });
    expect(await fetchText(`${address}/ready`)).toMatchObject({ status: 200 });
    await rename(fleet.env['THROUGHLINE_STORE']!, join(fleet.home, 'unmounted'));
    expect(await fetchText(`${address}/ready`)).toMatchObject({ status: 503 });
    await rename(join(fleet.home, 'unmounted'), fleet.env['THROUGHLINE_STORE']!);
    let text = '';
    // Memory is looked at now and then: not yet, perhaps, since the tasks began.
    await until(async () => /throughline_task_memory_bytes \d{8,}/.test((text = (await fetchText(`${address}/metrics`)).text))); // prettier-ignore
    expect(text).toContain('throughline_tasks_total{kind="extract",outcome="done"} 2');
    expect(text).toContain('throughline_queue_jobs{kind="extract",state="prioritized"} 1');
    expect(text).toMatch(/throughline_info\{version="[\d.]+",engine="throughline/);
    expect(text).not.toContain(PASSWORD);
    expect(started(worker, 'extract', topic)).toHaveLength(2);
    await fleet.run(['jobs', 'cancel', topic]);
  });

  it('is not ready while it drains: takes no task, and answers until the running one is done', async () => {
    const [decoder, gate] = [join(fleet.home, 'slow.sh'), join(fleet.home, 'gate')];
    const real = (await locateFfmpeg()).path;
    await writeFile(decoder, `#!/bin/sh\ncase "$*" in *source-*) while [ -e ${gate} ]; do sleep 0.1; done;; esac\nexec "${real}" "$@"\n`, { mode: 0o755 }); // prettier-ignore
    await writeFile(gate, '');
    // Nothing of these shots is known yet, so the task must decode.
    const topic = await submit(12, '--max-shot', '91');
    const args = ['--name', 'slow', '--grace', '240', '--jobs', '1', '--metrics-port', '0'];
    const worker = work(args, undefined, { FFMPEG_PATH: decoder });
    await until(() => started(worker, 'extract', topic).length === 1);
    const address = addressIn(worker);
    expect(await fetchText(`${address}/ready`)).toMatchObject({ status: 200 });

    worker.child.kill('SIGTERM');
    await until(() => worker.lines.some(({ event }) => event === 'worker-stopping'));
    expect(await fetchText(`${address}/ready`)).toEqual({ status: 503, text: 'not ready\n' });
    expect(await fetchText(`${address}/health`)).toMatchObject({ status: 200 });
    expect((await fetchText(`${address}/metrics`)).text).toContain('throughline_queue_jobs{kind="extract",state="active"} 1'); // prettier-ignore

    // It still counts as a worker: a place that was not renewed would be at most 22 s from its end by now.
    await sleep(8_000);
    expect(await fleet.redis.secondsLeft('{throughline}:fleet:worker:slow')).toBeGreaterThan(22);

    await rm(gate);
    expect((await worker.ended).code).toBe(0);
    expect((await fleet.status()).workers).toEqual([]);
    expect(started(worker, 'extract', topic)).toHaveLength(1);
    expect(worker.lines.filter(({ event }) => event === 'task-done')).toHaveLength(1);
    await fleet.run(['jobs', 'cancel', topic]);
  });

  it('ends with a sentence where it cannot start', async () => {
    const { code, stderr } = await fleet.worker(['--scratch', '/dev/null/x']).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^throughline: Expected a folder that can be written at "\/dev\/null\/x".* --scratch\.\n$/);
  });

  it('says in one sentence that Redis is away or refuses, and never a password', async () => {
    const gone = await fleet.run(['jobs', 'status', '--redis', 'redis://:hunter2@127.0.0.1:1']);
    expect(gone).toMatchObject({ code: 1, stdout: '' });
    expect(gone.stderr).toMatch(/^throughline: Expected Redis at redis:\/\/:\*\*\*@127\.0\.0\.1:1, found none: .*\n$/);
    const wrong = await fleet.run(['jobs', 'status', '--redis', fleet.redis.url.replace(/:[^:]*@/, ':hunter2@')]);
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('to accept the user and password') as string,
    });
    const odd = await fleet.run(['jobs', 'status', '--redis', 'http://:hunter2@host']);
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected redis://') as string });
    const worker = fleet.worker(['--redis', fleet.redis.url.replace(/:[^:]*@/, ':hunter2@')]);
    expect((await worker.ended).code).toBe(1);
    expect(fleet.said()).toContain('***');
    for (const secret of ['hunter2', PASSWORD, encodeURIComponent(PASSWORD)])
      expect(fleet.said()).not.toContain(secret);
  });
});

/** Where a worker serves its metrics. */
function addressIn({ lines }: TestWorker): string {
  return /http:\S+(?=\/metrics)/.exec(lines.find(({ event }) => event === 'metrics')!.message)![0];
}

function fetchText(url: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((settle, fail) => {
    get(url, { agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => settle({ status: answer.statusCode, text }));
    }).on('error', fail);
  });
}
