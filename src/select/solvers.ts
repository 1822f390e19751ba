import type { Worker } from 'node:worker_threads';
import { CancelledError, NumericError, startWorker, type TallMatrix } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { ask, sharing, type FromWorker, type Solve } from './solve-all.js';
import type { Ranking } from './types.js';

/** Threads that stay. Must be closed. */
export type Solvers = { readonly solve: Solve; close(): Promise<void> };

type Thread = {
  worker: Worker | null;
  last: Promise<unknown>;
  /** What the thread keeps, by place in the list of problems. */
  readonly held: Map<number, string>;
};

/**
 * Opens threads for problems that are asked about again and again, as under a slider: each keeps its problems, and for cvs
 * what all balances of own and shared have in common. It keeps one problem per place in the list, the latest: however many
 * lists it is asked about, it holds no more than the longest of them. Answers are those of `solveAll`, to the byte.
 */
export function openSolvers(count: number): Solvers {
  const threads = Array.from({ length: count }, (): Thread => ({
    worker: null,
    last: Promise.resolve(),
    held: new Map(),
  }));
  const share = sharing();
  const [numbers, seen] = [new WeakMap<object, number>(), new WeakSet<object>()];
  let spent = 0;
  const numberOf = (thing: object): number => {
    const known = numbers.get(thing) ?? ++spent;
    numbers.set(thing, known);
    return known;
  };
  /** Problems that agree in this are the same. */
  const stateOf = (problem: Problem<TallMatrix>) => {
    const { features, context, ownWeight, evidence, neighbors = [], pinned = [], vetoed = [] } = problem;
    return JSON.stringify([
      numberOf(features),
      context && numberOf(context.matrix),
      ownWeight,
      evidence && numberOf(evidence),
      neighbors.map((one) => numberOf(one.features)),
      pinned,
      vetoed,
    ]);
  };
  const askThread = async (
    thread: Thread,
    problem: Problem<TallMatrix>,
    rest: Omit<Parameters<typeof ask>[1], 'problem' | 'hold'>,
    signal?: AbortSignal,
  ): Promise<FromWorker> => {
    if (signal?.aborted) throw new CancelledError();
    thread.worker ??= startWorker(import.meta.url, './solve-worker');
    thread.worker.ref();
    // Shots seen once may never be seen again, as those pooled for a film; from the second time on they are kept.
    const isKept = seen.has(problem.features);
    seen.add(problem.features);
    const [place, state] = [rest.index, stateOf(problem)];
    const isThere = thread.held.get(place) === state;
    if (isKept) thread.held.set(place, state);
    try {
      return await ask(thread.worker, {
        ...rest,
        problem: isThere ? null : share(problem),
        ...(isKept ? { hold: place } : {}),
      });
    } catch (error) {
      // A thread that died is started again.
      void thread.worker.terminate();
      thread.worker = null;
      thread.held.clear();
      throw error;
    } finally {
      thread.worker?.unref();
    }
  };
  return {
    async solve(problems, choice = { method: 'cvs' }, { signal, onSolved } = {}) {
      const all = [...problems];
      const rankings: Ranking[] = [];
      const serve = async (thread: Thread, lane: number): Promise<void> => {
        for (let index = lane; index < all.length; index += count) {
          const turn = thread.last.then(() => askThread(thread, all[index]!, { index, choice }, signal));
          thread.last = turn.catch(() => undefined);
          const answer = await turn;
          if ('failure' in answer) throw new NumericError(answer.failure.code, answer.failure.message);
          rankings[index] = answer.ranking;
          onSolved?.(index);
        }
      };
      await Promise.all(threads.map(serve));
      return rankings;
    },
    async close() {
      // What is under way is still answered.
      await Promise.all(threads.map(({ last }) => last));
      await Promise.all(threads.map(({ worker }) => worker?.terminate()));
    },
  };
}
