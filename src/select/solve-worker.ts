import { parentPort } from 'node:worker_threads';
import { messageOf, ThroughlineError } from '../base/index.js';
import { cvs } from './cvs.js';
import type { FromWorker, ToWorker } from './solve-all.js';

/** One thread of `solveAll`: ranks the problems it is sent, one at a time, in the order they come. */
parentPort!.on('message', ({ index, problem, knobs }: ToWorker) => {
  let answer: FromWorker;
  try {
    answer = { index, ranking: cvs(knobs).select(problem) };
  } catch (error) {
    answer = {
      index,
      failure: { code: error instanceof ThroughlineError ? error.code : 'failed', message: messageOf(error) },
    };
  }
  parentPort!.postMessage(answer);
});
