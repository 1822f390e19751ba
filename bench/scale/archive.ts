import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openFleet } from '../../src/jobs/bullmq/index.js';
import { BudgetedWorker, openBudget } from '../../src/jobs/bullmq/budget.js';
import { thisEngine } from '../../src/jobs/bullmq/fleet.js';
import { openMetrics } from '../../src/jobs/bullmq/metrics.js';
import { makeProcessor } from '../../src/jobs/bullmq/processor.js';
import { openBackoffs, queueName, type JobData } from '../../src/jobs/bullmq/queues.js';
import { keysOf, openLastingRedis, openRedis } from '../../src/jobs/bullmq/redis.js';
import type { TaskPool } from '../../src/jobs/bullmq/task-processes.js';
import { Topics } from '../../src/jobs/bullmq/topics.js';
import { namesOf, submitAll, TASK_KINDS, type TaskContext, type TaskResult } from '../../src/jobs/index.js';
import { optionsSchema } from '../../src/options/index.js';
import { withRedis } from './redis.js';
import { calls, figure } from './topics.js';

/** Videos of a topic. */
export const PER_TOPIC = 3;
/** Tasks that are done at the same time. */
const PLACES = 16;

export type Archive = {
  readonly topics: number;
  readonly videos: number;
  /** From the call to submit to the start of the first extract task. */
  readonly firstTaskS: number;
  /** From the same moment until every topic is queued. */
  readonly submitS: number;
  /** Redis, when all topics wait. */
  readonly waitingBytes: number;
  /** Commands to Redis from submit to the end, those of its scripts included. */
  readonly calls: number;
  /** CPU of Redis, and of the process that submits and takes the tasks, from submit to the end. */
  readonly redisS: number;
  readonly fleetS: number;
  /** From when all topics wait to the end of the last. */
  readonly workS: number;
};

/** An archive from its manifest to its end: real queue and real Redis; tasks do nothing, records are kept in memory. */
export async function measureArchive(topics: number): Promise<Archive> {
  const home = await mkdtemp(join(tmpdir(), 'throughline-archive-'));
  const manifest = join(home, 'list.jsonl');
  await writeFile(manifest, linesOf(topics));
  return withRedis(async (url) => {
    const redis = await openRedis(url);
    const prefix = keysOf('throughline');
    const fleet = await openFleet(url, 'throughline');
    const objects = memoryStore('s3://archive');
    const context: TaskContext = { objects, scratch: home, jobs: 4, emit: () => undefined };
    const began = performance.now();
    const since = (): number => (performance.now() - began) / 1000;
    const used = process.cpuUsage();
    const workers = await startWorkers(url, prefix, context);
    await redis.config('RESETSTAT');
    const cpuBefore = await redisCpu(redis);
    let [firstTaskS, done] = [0, 0];
    const start = since();
    const finished = new Promise<void>((end) => {
      workers.onTask = (kind) => {
        // From then on topics are only queued, so that the two are not measured together.
        if (firstTaskS === 0 && kind === 'extract') {
          firstTaskS = since() - start;
          workers.pause();
        }
        if (kind === 'export' && ++done === topics) end();
      };
    });
    const options = optionsSchema.parse({ features: 'shallow', films: false });
    await submitAll({ videos: [], manifest }, options, context, {}, async ({ topicId: id, topic: name }) => {
      await fleet.enqueue({ id, name, priority: 100 }, context);
    });
    const submitS = since() - start;
    const waitingBytes = await figure(redis, 'memory', 'used_memory');
    workers.resume();
    await finished;
    while ((await fleet.status({ limit: 1 })).counts.done < topics);
    const workS = since() - start - submitS;
    const cpu = process.cpuUsage(used);
    const found = {
      ...{ topics, videos: topics * PER_TOPIC, firstTaskS, submitS, waitingBytes, workS },
      ...{ calls: await calls(redis), redisS: (await redisCpu(redis)) - cpuBefore, fleetS: (cpu.user + cpu.system) / 1e6 }, // prettier-ignore
    };
    await workers.close();
    fleet.close();
    redis.disconnect();
    return found;
  }).finally(() => rm(home, { recursive: true, force: true }));
}

/** Videos of all topics in turns, as in an archive that is not sorted. */
function linesOf(topics: number): string {
  const lines: string[] = [];
  for (let video = 0; video < PER_TOPIC; video++) {
    for (let topic = 0; topic < topics; topic++) {
      lines.push(JSON.stringify({ source: `s3://archive/${topic}/${video}.mp4`, size: 1e8, etag: `${topic}-${video}`, topic: `topic ${topic}` })); // prettier-ignore
    }
  }
  return lines.join('\n');
}

async function startWorkers(url: string, prefix: string, context: TaskContext) {
  const redis = openLastingRedis(url).on('error', () => undefined);
  const { key: engineKey } = await thisEngine();
  const budget = openBudget(PLACES);
  const { process } = makeProcessor({
    topics: new Topics(redis, prefix),
    pool: simulatedTasks(context, (kind) => self.onTask(kind)),
    ground: { redis, prefix, engineKey },
    store: '',
    context,
    jobs: PLACES,
    backoffs: openBackoffs({ pause: () => undefined, resume: () => undefined }),
    log: () => undefined,
    metrics: openMetrics('bench'),
  });
  const workers = TASK_KINDS.map(
    (kind) =>
      new BudgetedWorker<JobData, TaskResult>(queueName(kind, engineKey), process, {
        ...{ connection: redis, prefix, concurrency: PLACES, autorun: false },
      }),
  );
  for (const [rank, worker] of workers.entries()) {
    worker.on('error', (error) => console.error(error));
    void worker.runWithin(budget, rank);
  }
  const self = {
    onTask: (_kind: string): void => undefined,
    pause: (): void => workers.forEach((worker) => void worker.pause(true)),
    resume: (): void => workers.forEach((worker) => void worker.resume()),
    async close(): Promise<void> {
      budget.close();
      await Promise.all(workers.map((worker) => worker.close(true)));
      redis.disconnect();
    },
  };
  return self;
}

/** Tasks that take no time. The roster of a topic is its videos. */
function simulatedTasks({ objects }: TaskContext, onTask: (kind: string) => void): TaskPool {
  return {
    async run({ task }) {
      onTask(task.kind);
      if (task.kind === 'roster') {
        const roster = { notes: [], skipped: [], count: PER_TOPIC, inBackground: [] };
        await objects.write(namesOf(task.topic).roster, JSON.stringify(roster));
      }
      if (task.kind === 'roster' || task.kind === 'moment') return { done: 'now', next: task.kind };
      return { done: 'now' };
    },
    memory: async () => 0,
    close: () => undefined,
  };
}

/** The records of topics, in memory: what a store costs is not measured. */
function memoryStore(url: string): TaskContext['objects'] {
  const kept = new Map<string, Buffer>();
  const absent = (): never => {
    throw new Error('The simulated store has records only.');
  };
  const facts = (bytes: Buffer) => ({ sha256: '', bytes: bytes.length });
  return {
    url,
    head: async (name) => (kept.has(name) ? facts(kept.get(name)!) : null),
    read: async (name) => kept.get(name) ?? null,
    write: async (name, bytes) => facts(kept.set(name, Buffer.from(bytes)).get(name)!),
    localPath: () => null,
    remove: async (name) => void kept.delete(name),
    ...{ upload: absent, download: absent, list: absent, entries: absent },
  };
}

async function redisCpu(redis: Parameters<typeof figure>[0]): Promise<number> {
  return (await figure(redis, 'cpu', 'used_cpu_user')) + (await figure(redis, 'cpu', 'used_cpu_sys'));
}
