import type { Queue } from 'bullmq';

import { isOfOneVideo, type JobData } from './plant.js';
import type { Topics } from './topics.js';

/** Failed jobs that are looked at, the latest first. */
const LATEST = 99;

/** Waits end by the clock of Redis: a machine whose own clock is wrong must not hold a task back. */
export async function promoteDue(queues: Iterable<Queue<JobData>>, now: number): Promise<void> {
  for (const queue of queues) {
    const due = (await queue.getDelayed(0, 99)).filter(({ data }) => data.due !== undefined && data.due <= now);
    // Another worker may have been first.
    await Promise.all(due.map((job) => job.promote().catch(() => undefined)));
  }
}

/** A worker that was killed between giving a task up and saying so leaves a topic that would wait for ever. */
export async function failStranded(queues: Iterable<Queue<JobData>>, topics: Topics): Promise<void> {
  for (const queue of queues) {
    for (const job of await queue.getFailed(0, LATEST)) {
      const { task } = job.data;
      if (!isOfOneVideo(task)) await topics.fail(task, job.failedReason, queue.toKey(job.id!));
    }
  }
}
