import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { openFleet, type FleetStatus } from '../../src/jobs/bullmq/index.js';
import { buildProgram, startProgram, type Ended, type Program } from '../fixtures/program.js';
import { startRedis, type TestRedis } from '../fixtures/redis.js';

/** A line of a worker's log. */
export type Line = {
  readonly event: string;
  readonly message: string;
  readonly topic?: string;
  readonly task?: string;
  readonly pid?: number;
};

/** A real worker process. */
export type TestWorker = {
  readonly child: ChildProcess;
  readonly lines: Line[];
  readonly ended: Promise<Ended>;
};

/** A password with letters that URLs, shells and patterns treat in their own ways. */
export const PASSWORD = 'g3heim!$&+ü%/@:';
const LOST_AFTER = '3';

/** A fleet of real processes: a program as installed, a Redis with a password, a folder for all files. */
export type TestFleet = {
  readonly program: Program;
  readonly redis: TestRedis;
  readonly home: string;
  /** Everything that any process said so far. */
  readonly said: () => string;
  env: NodeJS.ProcessEnv;
  worker(args?: readonly string[], how?: { entry?: string; env?: NodeJS.ProcessEnv; onLine?: (line: Line, worker: TestWorker) => void }): TestWorker; // prettier-ignore
  /** Runs a command; `onProgress` is told when it begins to show how a topic goes. */
  run(args: readonly string[], onProgress?: () => void): Promise<Ended>;
  status(): Promise<FleetStatus>;
  close(): Promise<void>;
};

export async function openTestFleet(redisServer: string): Promise<TestFleet> {
  const home = await mkdtemp(join(tmpdir(), 'throughline-fleet-'));
  const program = await buildProgram();
  const redis = await startRedis(redisServer, PASSWORD);
  await mkdir(join(home, 'store'));
  const workers: TestWorker[] = [];
  const heard: string[] = [];
  const fleet: TestFleet = {
    program,
    redis,
    home,
    said: () => heard.join('\n'),
    env: {
      THROUGHLINE_REDIS: redis.url,
      THROUGHLINE_STORE: join(home, 'store'),
      THROUGHLINE_CACHE: join(home, 'cache'),
    },
    worker(args = [], { entry = program.entry, env = {}, onLine } = {}) {
      const lines: Line[] = [];
      const command = ['worker', '--lost-after', LOST_AFTER, '--scratch', join(home, 'scratch'), ...args];
      const { child, ended } = startProgram(entry, command, {
        env: { ...fleet.env, ...env },
        onLine: (text) => {
          heard.push(text);
          if (!text.startsWith('{')) return;
          const line = JSON.parse(text) as Line;
          lines.push(line);
          onLine?.(line, worker);
        },
      });
      const worker = { child, ended, lines };
      workers.push(worker);
      return worker;
    },
    async run(args, onProgress) {
      const onLine = (line: string): void => void (line.startsWith('analysing') && onProgress?.());
      const ended = await startProgram(program.entry, args, { env: fleet.env, cwd: home, onLine }).ended;
      heard.push(ended.stdout, ended.stderr);
      return ended;
    },
    async status() {
      const watcher = await openFleet(redis.url, 'throughline');
      return watcher.status().finally(watcher.close);
    },
    async close() {
      for (const { child } of workers) child.kill('SIGKILL');
      await Promise.all(workers.map(({ ended }) => ended));
      await redis.close();
      await program.close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return fleet;
}

/** The kind of a log line's task. */
export function kindOf({ task = '', topic = '' }: Line): string {
  return task.slice(topic.length + 1).split('-')[0] ?? '';
}

/** Waits for something to become true, however long that takes; the test's own timeout ends it. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(50);
}
