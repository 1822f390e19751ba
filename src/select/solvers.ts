import type { Worker } from 'node:worker_threads';

import { CancelledError, type Matrix, NumericError, sharedZeros, startWorker, type TallMatrix } from '../base/index.js';
import type { Problem } from '../topic/index.js';
import { createSelector, type MethodChoice } from './methods.js';
import type { Ranking } from './types.js';

/** `problem` is `null` if the thread holds it already; with `hold`, the thread keeps it under that number. */
export type ToWorker = { index: number; problem: Problem<TallMatrix> | null; hold?: number; choice: MethodChoice };
/** The answer of a thread. */
export type FromWorker =
  { index: number; ranking: Ranking } | { index: number; failure: { code: string; message: string } };

/** How problems are solved: by `solveAll`, or by threads that stay (`openSolvers`). */
export type Solve = typeof solveAll;

/**
 * Ranks many problems with one method, on `workers` threads (0 = in this one). Problems are taken one at a time as threads
 * become free, so an iterable may make them lazily. Every problem is solved by one thread from its own numbers alone:
 * the answers have the order of the problems and are the same bytes for any number of workers.
 */
export async function solveAll(
  problems: Iterable<Problem<TallMatrix>>,
  choice: MethodChoice = { method: 'cvs' },
  {
    workers = 0,
    signal,
    onSolved,
  }: { workers?: number; signal?: AbortSignal | undefined; onSolved?: (index: number) => void } = {},
): Promise<Ranking[]> {
  if (signal?.aborted) throw new CancelledError();
  if (workers === 0) return solveHere(problems, choice, signal, onSolved);
  const queue = problems[Symbol.iterator]();
  const rankings: Ranking[] = [];
  const share = sharing();
  let drawn = 0;
  const threads: Worker[] = [];
  const serve = async (): Promise<void> => {
    let worker: Worker | null = null;
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const index = drawn++;
      worker ??= startWorker(import.meta.url, './solve-worker');
      if (!threads.includes(worker)) threads.push(worker);
      const answer = await ask(worker, { index, problem: share(next.value), choice }, signal);
      if ('failure' in answer) throw new NumericError(answer.failure.code, answer.failure.message);
      rankings[index] = answer.ranking;
      onSolved?.(index);
    }
  };
  try {
    await Promise.all(Array.from({ length: workers }, serve));
  } finally {
    await Promise.all(threads.map((worker) => worker.terminate()));
  }
  return rankings;
}

async function solveHere(
  problems: Iterable<Problem<TallMatrix>>,
  choice: MethodChoice,
  signal?: AbortSignal,
  onSolved?: (index: number) => void,
): Promise<Ranking[]> {
  const rankings: Ranking[] = [];
  for (const problem of problems) {
    // A turn of the event loop between problems lets the caller's signal through.
    await new Promise(setImmediate);
    if (signal?.aborted) throw new CancelledError();
    rankings.push(createSelector(choice).select(problem));
    onSolved?.(rankings.length - 1);
  }
  return rankings;
}

/** Sends a task to a thread and waits for its answer; the thread must have no other task. */
function ask(worker: Worker, task: ToWorker, signal?: AbortSignal): Promise<FromWorker> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => settle(() => reject(new CancelledError()));
    const fail = (error: Error): void => settle(() => reject(error));
    const exit = (code: number): void =>
      settle(() =>
        reject(new NumericError('solver-thread-died', `A solver thread ended with code ${code}. Try fewer workers.`)),
      );
    const done = (answer: FromWorker): void => settle(() => resolve(answer));
    const settle = (finish: () => void): void => {
      worker.off('message', done).off('error', fail).off('exit', exit);
      signal?.removeEventListener('abort', cancel);
      finish();
    };
    worker.on('message', done).on('error', fail).on('exit', exit);
    if (signal?.aborted) return cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    worker.postMessage(task);
  });
}

/** Puts each topic's moment and shots into shared memory once, so that threads read them instead of copying them. */
function sharing(): (problem: Problem<TallMatrix>) => Problem<TallMatrix> {
  const shared = new WeakMap<Matrix, Matrix>();
  const shareMatrix = (matrix: Matrix): Matrix => {
    const known = shared.get(matrix);
    if (known !== undefined) return known;
    if (matrix.data.buffer instanceof SharedArrayBuffer) return matrix;
    const copy = sharedZeros(matrix.rows, matrix.cols);
    copy.data.set(matrix.data);
    shared.set(matrix, copy);
    return copy;
  };
  // Threads read a file through the same descriptor.
  const shareShots = (shots: TallMatrix): TallMatrix => ('data' in shots ? shareMatrix(shots) : shots);
  return ({ context, neighbors, ...problem }) => ({
    ...problem,
    context: context && { ...context, matrix: shareMatrix(context.matrix) },
    ...(neighbors ? { neighbors: neighbors.map((one) => ({ ...one, features: shareShots(one.features) })) } : {}),
  });
}

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
