import type { Worker } from 'node:worker_threads';

import { CancelledError, startWorker, ThroughlineError, type RunEvent } from '../base/index.js';
import type { CallHooks, Engine } from './engine.js';

export type ToEngine =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly given: unknown }
  | { readonly kind: 'abort'; readonly id: number };

export type FromEngine = { readonly id: number } & (
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly code: string | null; readonly message: string }
);

/** The engine in its own thread, which starts with the first call. Must be closed. */
export type EngineClient = {
  /** Calls a function of the engine. Aborting rejects once the engine has stopped that work. */
  call<K extends keyof Engine>(
    name: K,
    given: Parameters<Engine[K]>[0],
    hooks?: Partial<CallHooks>,
  ): Promise<Awaited<ReturnType<Engine[K]>>>;
  close(): Promise<void>;
};

type Call = { settle(result: unknown): void; fail(error: Error): void; onEvent?: CallHooks['onEvent'] | undefined };

export function openEngine(): EngineClient {
  const calls = new Map<number, Call>();
  const running = new Set<Promise<unknown>>();
  let count = 0;
  const failAll = (error: Error): void => {
    for (const { fail } of calls.values()) fail(error);
    calls.clear();
  };
  const start = (): Worker => {
    const started = startWorker(import.meta.url, './engine-worker');
    started.on('message', (message: FromEngine) => {
      const call = calls.get(message.id);
      if (message.kind === 'event') return call?.onEvent?.(message.event);
      calls.delete(message.id);
      if (message.kind === 'done') call?.settle(message.result);
      else call?.fail(errorOf(message));
    });
    started.on('error', failAll);
    started.on('exit', () => failAll(new ThroughlineError('engine-stopped', 'The studio was stopped.')));
    return started;
  };
  let worker: Worker | null = null;
  let isClosed = false;
  const post = (message: ToEngine): void => {
    // A call that was on its way when the engine closed must not start the thread again.
    if (worker !== null || !isClosed) (worker ??= start()).postMessage(message);
  };
  const call: EngineClient['call'] = async (name, given, { signal, onEvent } = {}) => {
    if (isClosed && worker === null) throw new CancelledError();
    const id = count++;
    const abort = (): void => post({ kind: 'abort', id });
    const result = new Promise((settle, fail) => {
      calls.set(id, { settle, fail, onEvent });
      post({ kind: 'call', id, name, given });
    });
    running.add(result);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    try {
      return (await result) as never;
    } finally {
      running.delete(result);
      signal?.removeEventListener('abort', abort);
    }
  };
  return {
    call,
    async close() {
      isClosed = true;
      const ended = worker;
      if (!ended) return;
      // Whatever is under way ends its programs before the thread ends.
      for (const id of calls.keys()) post({ kind: 'abort', id });
      await Promise.allSettled(running);
      await call('close', undefined as never).catch(() => undefined);
      worker = null;
      await ended.terminate();
    },
  };
}

/** An error of the engine, as the server knows it. */
function errorOf({ code, message }: Extract<FromEngine, { kind: 'failed' }>): Error {
  if (code === null) return new Error(message);
  return code === 'cancelled' ? new CancelledError() : new ThroughlineError(code, message);
}
