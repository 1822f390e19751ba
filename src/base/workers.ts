import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

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
export function startProcess(callerUrl: string, module: string): ChildProcess {
  const isSource = callerUrl.endsWith('.ts');
  const entry = fileURLToPath(new URL(`${module}${isSource ? '.ts' : '.js'}`, callerUrl));
  const execArgv = isSource ? ['--import', import.meta.resolve('tsx')] : [];
  return fork(entry, [], { execArgv, serialization: 'advanced', stdio: ['pipe', 'ignore', 'inherit', 'ipc'] });
}
