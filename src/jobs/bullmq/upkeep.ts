import type { Queue } from 'bullmq';

import { isOfOneVideo, type JobData } from './plant.js';
import type { Topics } from './topics.js';

/** Index of the last job that is looked at in one go. */
const LAST = 99;

/** Ends waits that are over by the clock of Redis, so that a machine with a wrong clock holds no task back. */
export async function promoteDue(queues: Iterable<Queue<JobData>>, now: number): Promise<void> {
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
