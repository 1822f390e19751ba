import { parentPort } from 'node:worker_threads';
import { messageOf, ThroughlineError } from '../base/index.js';
import { createSelector } from './methods.js';
import type { FromWorker, ToWorker } from './solve-all.js';

/** One thread of `solveAll`: ranks the problems it is sent, one at a time, in the order they come. */
parentPort!.on('message', ({ index, problem, choice }: ToWorker) => {
  let answer: FromWorker;
  try {
    answer = { index, ranking: createSelector(choice).select(problem) };
  } catch (error) {
    answer = {
      index,
      failure: { code: error instanceof ThroughlineError ? error.code : 'failed', message: messageOf(error) },
    };
  }
  parentPort!.postMessage(answer);
});
