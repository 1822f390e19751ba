import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { readFile } from 'node:fs/promises';

/**
 * Calls `work` for every item, in order, at most `limit` at a time. The results have the same order, so that nothing
 * depends on which finished first. The first failure stops new work and is thrown when the calls under way have settled.
 */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failure: { error: unknown } | null = null;
  const lane = async (): Promise<void> => {
    while (next < items.length && failure === null) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, lane));
  if (failure !== null) throw (failure as { error: unknown }).error;
  return results;
}

/** The results of `work` for the items, in order; at most `limit` are being made or waiting to be taken at a time. */
export async function* inOrder<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): AsyncGenerator<R> {
  const ahead: Promise<R>[] = [];
  try {
    for (let next = 0; next < items.length || ahead.length > 0;) {
      while (next < items.length && ahead.length < limit) {
        const made = work(items[next]!, next++);
        // A failure is thrown when its turn comes; until then it must not count as unhandled.
        made.catch(() => undefined);
        ahead.push(made);
      }
      yield await ahead.shift()!;
    }
  } finally {
    await Promise.allSettled(ahead);
  }
}

/**
 * Starts a worker thread from a module beside the caller: `startWorker(import.meta.url, './solve-worker')`.
 * In a build the module is JavaScript; in development it is TypeScript and runs through tsx.
 */
export function startWorker(callerUrl: string, module: string, options: WorkerOptions = {}): Worker {
  if (!callerUrl.endsWith('.ts')) return new Worker(new URL(`${module}.js`, callerUrl), options);
  const entry = JSON.stringify(new URL(`${module}.ts`, callerUrl).href);
  // tsx must be registered inside the thread; it is resolved from here, wherever the program runs.
  const boot = `import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))}).then(({ register }) => (register(), import(${entry})))`;
  return new Worker(boot, { ...options, eval: true });
}

/** Starts a process from a module beside the caller. Messages may carry typed arrays; large data go through its standard input. */
export function startProcess(callerUrl: string, module: string, options: ForkOptions = {}): ChildProcess {
  const isSource = callerUrl.endsWith('.ts');
  const entry = fileURLToPath(new URL(`${module}${isSource ? '.ts' : '.js'}`, callerUrl));
  const execArgv = [...(isSource ? ['--import', import.meta.resolve('tsx')] : []), ...(options.execArgv ?? [])];
  const usual: ForkOptions = { serialization: 'advanced', stdio: ['pipe', 'ignore', 'inherit', 'ipc'] };
  return fork(entry, [], { ...usual, ...options, execArgv });
}

/** Called in a process that leads its own group: it and all it started end with its parent, however that ends. */
export function endWithParent(): void {
  process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
  // A busy event loop gets no 'disconnect', so a thread checks whether the parent is still the same.
  new Worker(`setInterval(() => process.ppid === ${process.ppid} || process.kill(-process.pid, 'SIGKILL'), 1000)`, {
    eval: true,
  }).unref();
}

/** Ends a process that leads its own group, and all it started. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** Whether a process with this number runs on this machine, ours or not. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Bytes that a process has in memory, on Linux; 0 on other systems, and for a process that has ended. */
export async function residentBytes(pid: number | string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
