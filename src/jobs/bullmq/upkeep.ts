import type { Queue } from 'bullmq';

import type { Log } from './log.js';
import { isOfOneVideo, type JobData } from './plant.js';
import type { Processor } from './processor.js';
import type { Topics } from './topics.js';

/** Index of the last job that is looked at in one go. */
const LAST = 99;

type UpkeepTools = {
  readonly name: string;
  readonly engine: { readonly words: string; readonly key: string };
  readonly topics: Topics;
  readonly queues: readonly Queue<JobData>[];
  readonly processor: Pick<Processor, 'activeCount' | 'activeTopics'>;
  /** Stops the tasks of a topic. */
  endTopic(id: string): void;
  readonly log: Log;
};

/** What a worker does every few seconds besides its tasks. */
export function makeUpkeep({ name, engine, topics, queues, processor, endTopic, log }: UpkeepTools) {
  const warned = new Set<string>();
  return async (): Promise<void> => {
    const active = processor.activeCount();
    await topics.sayAlive({ name, engine: engine.words, engineKey: engine.key, active });
    await promoteDue(queues, await topics.now());
    await failStranded(queues, topics);
    // The message that a topic was cancelled is sent once; a worker without Redis misses it.
    for (const id of processor.activeTopics()) if ((await topics.state(id)) === 'cancelled') endTopic(id);
    for (const row of await topics.ofOtherEngines(engine.key)) {
      if (warned.has(row.id)) continue;
      warned.add(row.id);
      const message = `Topic ${row.id} needs workers with ${row.engine}; this worker has ${engine.words} and skips it. Start a worker with that engine, or submit the topic again from a machine with this one.`;
      log('warn', { event: 'other-engine', message, topic: row.id });
    }
  };
}

/** Ends waits that are over by the clock of Redis, so that a machine with a wrong clock holds no task back. */
async function promoteDue(queues: Iterable<Queue<JobData>>, now: number): Promise<void> {
  for (const queue of queues) {
    const due = (await queue.getDelayed(0, LAST)).filter(({ data }) => data.due !== undefined && data.due <= now);
    // Another worker may have been faster.
    await Promise.all(due.map((job) => job.promote().catch(() => undefined)));
  }
}

/** Fails topics whose task was given up by a worker that was killed before it could say so. They would wait for ever. */
export async function failStranded(queues: Iterable<Queue<JobData>>, topics: Topics): Promise<void> {
  for (const queue of queues) {
    for (const job of await queue.getFailed(0, LAST)) {
      const { task } = job.data;
      if (!isOfOneVideo(task)) await topics.fail(task, job.failedReason, queue.toKey(job.id!));
    }
  }
}
