import { type ChildProcess, execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { CancelledError, killGroup, residentBytes, startProcess } from '../../base/index.js';
import type { Task, TaskResult } from '../tasks.js';
import type { Failure } from './processor.js';

/** Messages from a worker to the process of a task. */
export type ToTask =
  | {
      readonly type: 'run';
      readonly task: Task;
      readonly store: string;
      readonly buckets?: readonly string[] | undefined;
      readonly scratch: string;
      readonly jobs: number;
      /** Why tasks that this one depends on were given up, by `taskId`. */
      readonly failures: Readonly<Record<string, string>>;
      readonly triesLeft: number;
    }
  | { readonly type: 'abort' };

type TaskOrder = Omit<ToTask & { type: 'run' }, 'type'>;

/** Messages from that process. */
export type FromTask =
  | { readonly type: 'done'; readonly result: TaskResult }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'cancelled' };

/** Thrown when a task failed. */
export class TaskFailure extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** Limits of one task: memory, including all processes it starts, and time. */
export type Limits = { readonly memoryBytes: number; readonly timeMs: number };

/** Processes that do one task at a time each. A process whose task failed is not used again. Must be closed. */
export type TaskPool = {
  /** `onStart` is called with the id of the process that does the task. */
  run(wanted: TaskOrder, signal: AbortSignal, onStart: (pid: number) => void): Promise<TaskResult>;
  /** Measures the bytes of memory that the processes of all tasks use. */
  memory(): Promise<number>;
  close(): void;
};

/** Time that a process gets to stop by itself before it is killed. */
const STOP_MS = 5_000;
/** How often the memory of tasks is measured, while there are any. */
const LOOK_MS = 200;
/** A process without a task ends after this time: it holds memory. */
const IDLE_MS = 60_000;

export function openTaskPool({ memoryBytes, timeMs }: Limits): TaskPool {
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  const busy = new Map<ChildProcess, { tooLarge: (bytes: number) => void }>();
  const groupMemory = openMemoryMeter();

  let look: NodeJS.Timeout | null = null;
  const watchMemory = async (): Promise<void> => {
    const sums = await measure();
    for (const [child, { tooLarge }] of busy) {
      const bytes = sums.get(child.pid ?? 0) ?? 0;
      if (bytes > memoryBytes) tooLarge(bytes);
    }
  };
  let underWay: Promise<Map<number, number>> | null = null;
  const measure = (): Promise<Map<number, number>> => {
    const all = [...idle.keys(), ...busy.keys()];
    underWay ??= groupMemory(all.map(({ pid }) => pid ?? 0))
      .catch(() => new Map<number, number>())
      .finally(() => (underWay = null));
    return underWay;
  };
  const begin = (child: ChildProcess, tooLarge: (bytes: number) => void): void => {
    busy.set(child, { tooLarge });
    look ??= setInterval(() => void watchMemory(), LOOK_MS);
  };
  const finish = (child: ChildProcess): void => {
    busy.delete(child);
    if (busy.size > 0 || look === null) return;
    clearInterval(look);
    look = null;
  };
  const takeIdle = (): ChildProcess | null => {
    const [child, timer] = [...idle].at(-1) ?? [];
    if (!child) return null;
    clearTimeout(timer);
    idle.delete(child);
    return child;
  };
  const keepIdle = (child: ChildProcess): void => {
    idle.set(
      child,
      setTimeout(() => idle.delete(child) && killGroup(child), IDLE_MS),
    );
    // It may end by itself; then it is only forgotten.
    child.once('exit', () => {
      clearTimeout(idle.get(child));
      idle.delete(child);
    });
  };

  const run: TaskPool['run'] = (wanted, signal, onStart) =>
    new Promise<TaskResult>((settle, fail) => {
      if (signal.aborted) return fail(new CancelledError());
      const child = takeIdle() ?? startChild(memoryBytes);
      let why: Failure | 'cancelled' | null = null;
      let isOver = false;

      const end = (outcome: () => void): void => {
        isOver = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        child.removeAllListeners();
        finish(child);
        outcome();
      };
      const stop = (reason: typeof why): void => {
        if (why !== null) return;
        why = reason;
        child.send({ type: 'abort' } satisfies ToTask, () => undefined);
        // By then the process may have finished this task and be doing another one.
        void sleep(STOP_MS, undefined, { ref: false }).then(() => isOver || killGroup(child));
      };
      const cancel = (): void => stop('cancelled');
      const failWith = (failure: Failure | 'cancelled'): void =>
        fail(failure === 'cancelled' ? new CancelledError() : new TaskFailure(failure));
      const timer = setTimeout(() => {
        stop({ kind: 'crash', message: `it took longer than ${Math.round(timeMs / 1000)} s (--time-limit)` });
      }, timeMs);

      begin(child, (bytes) => {
        why ??= { kind: 'crash', message: tooLargeSentence(bytes, memoryBytes) };
        killGroup(child);
      });
      signal.addEventListener('abort', cancel, { once: true });
      child.on('message', (message: FromTask) => {
        end(() => {
          if (message.type === 'done') {
            keepIdle(child);
            settle(message.result);
          } else {
            killGroup(child);
            failWith(why ?? (message.type === 'failed' ? message.failure : 'cancelled'));
          }
        });
      });
      child.on('error', (error: NodeJS.ErrnoException) => {
        // A process that never started sends no 'exit'. Most likely this machine has too many; another may not.
        if (child.pid !== undefined || isOver) return;
        const message = `its process could not be started (${error.code ?? error.message})`;
        end(() => failWith(why ?? { kind: 'machine', message }));
      });
      child.once('exit', (code, killer) => {
        end(() => {
          killGroup(child);
          failWith(why ?? { kind: 'crash', message: crashSentence(code, killer, memoryBytes) });
        });
      });
      // Not started: 'error' follows. Where files cannot be opened there is not even a channel to send on.
      if (child.pid === undefined) return;
      onStart(child.pid);
      child.send({ type: 'run', ...wanted } satisfies ToTask, () => undefined);
    });

  return {
    run,
    memory: async () => [...(await measure()).values()].reduce((sum, bytes) => sum + bytes, 0),
    close() {
      clearInterval(look ?? undefined);
      for (const timer of idle.values()) clearTimeout(timer);
      for (const child of [...idle.keys(), ...busy.keys()]) killGroup(child);
    },
  };
}

/** Starts a process that leads its own group, so that it can be killed together with everything it started. */
function startChild(memoryBytes: number): ChildProcess {
  return startProcess(import.meta.url, './task-process', {
    detached: true,
    env: environment(),
    execArgv: [`--max-old-space-size=${Math.max(64, Math.floor(memoryBytes / 1e6))}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** Tasks do not use the queues, so they do not get the address with its password. */
function environment(): NodeJS.ProcessEnv {
  const { THROUGHLINE_REDIS: _, ...rest } = process.env;
  return rest;
}

function tooLargeSentence(bytes: number, limit: number): string {
  const [used, most] = [bytes, limit].map((size) => Math.round(size / 1e6));
  return `it used ${used} MB of memory, more than ${most} MB (--memory-limit)`;
}

function crashSentence(code: number | null, killer: NodeJS.Signals | null, memoryBytes: number): string {
  // V8 aborts when its heap is full.
  const isHeap = killer === 'SIGABRT' || code === 134;
  const most = isHeap
    ? `, as it does when it needs more than ${Math.round(memoryBytes / 1e6)} MB (--memory-limit)`
    : '';
  return `its process ended unexpectedly (${killer ?? `code ${code}`})${most}`;
}

/**
 * Measures the memory of process groups: the process of a task with the decoders and encoders it started. Remembers the
 * processes of others, so that a host with thousands of them costs a list of their numbers, not a file each.
 */
function openMemoryMeter(): (groups: readonly number[]) => Promise<Map<number, number>> {
  let strangers = new Map<string, number>();
  const fromProc = async function* (wanted: ReadonlyMap<number, unknown>): AsyncIterable<Member> {
    const others = new Map<string, number>();
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      const looks = strangers.get(pid) ?? 0;
      // Twice: a process of a task that began during the first look may not have been looked for.
      if (looks === 2) {
        others.set(pid, looks);
        continue;
      }
      // The name of a program may contain spaces and brackets; plain fields follow its last bracket.
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [, , group] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      if (group !== undefined && wanted.has(group)) yield { group, bytes: await residentBytes(pid) };
      else others.set(pid, looks + 1);
    }
    strangers = others;
  };
  return async (groups) => {
    const sums = new Map(groups.map((group) => [group, 0]));
    if (groups.length === 0) return sums;
    for await (const { group, bytes } of process.platform === 'linux' ? fromProc(sums) : fromPs()) {
      const sum = sums.get(group);
      if (sum !== undefined) sums.set(group, sum + bytes);
    }
    return sums;
  };
}

type Member = { readonly group: number; readonly bytes: number };

async function* fromPs(): AsyncIterable<Member> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pgid=,rss=']);
  for (const line of stdout.split('\n')) {
    const [group, kilobytes] = line.trim().split(/\s+/).map(Number);
    if (group && kilobytes) yield { group, bytes: kilobytes * 1024 };
  }
}
