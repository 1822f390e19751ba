import { UsageError } from '../base/index.js';

/**
 * Runs one call at a time. Of the calls that come in between, only the newest waits: a slider asks faster than it can be
 * answered, and only its last position matters. The others are rejected as `superseded`.
 */
export function latestOnly<A, T>(task: (given: A) => Promise<T>): (given: A) => Promise<T> {
  let running: Promise<unknown> | null = null;
  let newest = 0;
  return async (given) => {
    const turn = ++newest;
    while (running !== null) {
      await running;
      if (turn !== newest) throw new UsageError('superseded', 'A newer request has replaced this one.');
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
