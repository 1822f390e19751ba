import { Worker, type Job } from 'bullmq';

/** Places for tasks of all kinds on one worker. A place that becomes free goes to the one of the highest rank who waits. */
export type Budget = {
  /** Waits for a place; `null` once the budget is closed. Every place must be given back by calling the function. */
  take(rank: number): Promise<(() => void) | null>;
  /** Nobody gets a place from now on. */
  close(): void;
};

export function openBudget(places: number): Budget {
  let free = places;
  let isClosed = false;
  const waiting: { readonly rank: number; readonly settle: (place: (() => void) | null) => void }[] = [];
  const grant = (): void => {
    while (free > 0 && waiting.length > 0) {
      const first = waiting.reduce((best, each, at) => (each.rank > waiting[best]!.rank ? at : best), 0);
      free--;
      waiting.splice(first, 1)[0]!.settle(once(() => void (free++, grant())));
    }
  };
  return {
    take: (rank) =>
      new Promise((settle) => {
        if (isClosed) return settle(null);
        waiting.push({ rank, settle });
        grant();
      }),
    close() {
      isClosed = true;
      for (const { settle } of waiting.splice(0)) settle(null);
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/**
 * A worker of BullMQ that takes a job only when it has a place in a budget that it shares with the workers of other queues.
 * Later kinds of tasks have a higher rank, so that topics under way are finished before others are begun.
 */
export class BudgetedWorker<Data, Result> extends Worker<Data, Result> {
  /** Nobody takes a job before `runWithin`. */
  private share: { readonly budget: Budget; readonly rank: number } | null = null;
  private readonly places = new Map<string, () => void>();

  /** Begins to take jobs. */
  async runWithin(budget: Budget, rank: number): Promise<void> {
    this.share = { budget, rank };
    await this.run();
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<Data, Result>> {
    const none = undefined as unknown as Job<Data, Result>;
    const place = (await this.share?.budget.take(this.share.rank)) ?? null;
    if (place === null) return none;
    let job: Job<Data, Result> | undefined;
    try {
      if (!this.isPaused() && !this.closing) job = await super.moveToActive(token, name);
    } finally {
      if (job === undefined) place();
    }
    if (job === undefined) return none;
    this.places.set(token, place);
    return job;
  }

  /** The next job is not fetched together with the end of this one: the place may be due to another kind. */
  override async processJob(job: Job<Data, Result>, token: string): Promise<void | Job<Data, Result>> {
    try {
      return await super.processJob(job, token, () => false);
    } finally {
      this.places.get(token)?.();
      this.places.delete(token);
    }
  }
}
