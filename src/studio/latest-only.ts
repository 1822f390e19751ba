import { UsageError } from '../base/index.js';

/**
 * One at a time, and of those that come meanwhile only the newest waits: a slider asks faster than it can be answered, and
 * nobody looks at what it passed. Those passed over are refused as `superseded`.
 */
export function latestOnly<A, T>(task: (given: A) => Promise<T>): (given: A) => Promise<T> {
  let running: Promise<unknown> | null = null;
  let newest = 0;
  return async (given) => {
    const turn = ++newest;
    while (running !== null) {
      await running;
      if (turn !== newest) throw new UsageError('superseded', 'Something newer was asked for meanwhile.');
    }
    const started = task(given);
    running = started.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await started;
    } finally {
      running = null;
    }
  };
}
