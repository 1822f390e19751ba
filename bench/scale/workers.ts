import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { probe } from '../../src/media/index.js';
import { withRedis } from './redis.js';

export type Throughput = {
  readonly workers: number;
  readonly seconds: number;
  /** Of all workers with all they started. */
  readonly cpuSeconds: number;
  /** In the store, once the topic is done. */
  readonly stored: Readonly<Record<string, number>>;
  /** Of the record and the report of the topic. */
  readonly recordBytes: number;
  readonly reportBytes: number;
};

const cli = resolve(import.meta.dirname, '../../dist/cli/main.js');

/** Seconds of video in a folder. */
export async function footage(folder: string): Promise<{ videos: number; seconds: number }> {
  let [videos, seconds] = [0, 0];
  for (const name of (await readdir(folder)).sort()) {
    const info = await probe(join(folder, name)).catch(() => null);
    if (!info) continue;
    videos++;
    seconds += info.durationHint ?? 0;
  }
  return { videos, seconds };
}

/** A topic from submit to its end, by workers that have one core each. Linux. */
export async function measureWorkers(workers: number, folder: string): Promise<Throughput> {
  return withRedis(async (redis) => {
    const home = await mkdtemp(join(tmpdir(), 'throughline-scale-'));
    const store = join(home, 'store');
    const env = { ...process.env, THROUGHLINE_REDIS: redis, THROUGHLINE_STORE: store };
    const before = await childrenSeconds();
    const pool = Array.from({ length: workers }, (_, core) => {
      const args = [
        '-c',
        String(core),
        process.execPath,
        cli,
        'worker',
        '--jobs',
        '1',
        '--scratch',
        join(home, `${core}`),
      ];
      return spawn('taskset', args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    });
    try {
      await Promise.all(pool.map(isReady));
      const began = performance.now();
      await run(
        spawn(process.execPath, [cli, 'submit', folder, '--wait', '--quiet'], {
          env,
          stdio: ['ignore', 'ignore', 'inherit'],
        }),
      );
      const seconds = (performance.now() - began) / 1000;
      for (const child of pool) child.kill('SIGTERM');
      await Promise.all(pool.map((child) => new Promise((gone) => child.once('exit', gone))));
      const stored = await sizes(store);
      return { workers, seconds, cpuSeconds: (await childrenSeconds()) - before, ...stored };
    } finally {
      for (const child of pool) child.kill('SIGKILL');
      await rm(home, { recursive: true, force: true });
    }
  });
}

/** A worker says in its log when it has begun. */
function isReady(worker: ChildProcess): Promise<void> {
  return new Promise((ready, fail) => {
    worker.stderr!.on('data', (text: Buffer) => text.includes('"event":"worker-started"') && ready());
    worker.once('exit', (code) => fail(new Error(`a worker ended with ${code}`)));
  });
}

function run(child: ChildProcess): Promise<void> {
  return new Promise((done, fail) => {
    child.once('exit', (code) => (code === 0 ? done() : fail(new Error(`submit ended with ${code}`))));
  });
}

async function sizes(store: string): Promise<Pick<Throughput, 'stored' | 'recordBytes' | 'reportBytes'>> {
  const stored: Record<string, number> = {};
  let [recordBytes, reportBytes] = [0, 0];
  for (const entry of await readdir(store, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('.throughline-store')) continue;
    const path = join(entry.parentPath, entry.name);
    const { size } = await stat(path);
    const [top, , below = ''] = path.slice(store.length + 1).split('/');
    const kind = top === 'topics' ? below.replace(/[-.].*$/, '') : top!;
    stored[kind] = (stored[kind] ?? 0) + size;
    if (entry.name === 'summary.json') recordBytes = size;
    if (entry.name === 'report.html') reportBytes = size;
  }
  return { stored, recordBytes, reportBytes };
}

/** CPU seconds of this process's children that have ended, theirs included. */
async function childrenSeconds(): Promise<number> {
  const fields = (await readFile('/proc/self/stat', 'utf8')).split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
