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
export function ask(worker: Worker, task: ToWorker, signal?: AbortSignal): Promise<FromWorker> {
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
export function sharing(): (problem: Problem<TallMatrix>) => Problem<TallMatrix> {
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
