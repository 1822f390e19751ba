import { parentPort } from 'node:worker_threads';
import { messageOf, type TallMatrix, ThroughlineError } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { cvsAcross, cvsDefaults } from './cvs.js';
import { createSelector } from './methods.js';
import type { FromWorker, ToWorker } from './solvers.js';
import type { Ranking } from './types.js';

type Held = { readonly problem: Problem<TallMatrix>; across: { key: string; at: ReturnType<typeof cvsAcross> } | null };

/** Problems that are asked about again and again, by number. */
const held = new Map<number, Held>();

/** One thread of `solveAll` or `openSolvers`: ranks the problems it is sent, one at a time, in the order they come. */
parentPort!.on('message', (task: ToWorker) => {
  const { index } = task;
  let answer: FromWorker;
  try {
    answer = { index, ranking: rank(task) };
  } catch (error) {
    answer = {
      index,
      failure: { code: error instanceof ThroughlineError ? error.code : 'failed', message: messageOf(error) },
    };
  }
  parentPort!.postMessage(answer);
});

function rank({ problem, hold, choice }: ToWorker): Ranking {
  if (hold === undefined) return createSelector(choice).select(problem!);
  if (problem) held.set(hold, { problem, across: null });
  const known = held.get(hold)!;
  if (choice.method !== 'cvs') return createSelector(choice).select(known.problem);
  const { shared = cvsDefaults.shared, ...knobs } = choice.knobs ?? {};
  const key = JSON.stringify(knobs);
  if (known.across?.key !== key) known.across = { key, at: cvsAcross(known.problem, knobs) };
  return known.across.at(shared);
}
