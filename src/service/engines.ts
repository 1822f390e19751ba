import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { CancelledError, killGroup, startProcess, ThroughlineError } from '../base/index.js';
import { fetchResults, loadQueues, openObjects, submitTopic } from '../jobs/index.js';
import { checkOptions, type OptionsInput } from '../options/index.js';
import { parseSummary, type SummaryDocument } from '../summary/index.js';
import type { Engine } from './topics.js';
import { makeTurns } from './turns.js';

/** Messages to the process of a run, and from it; an error without a code is a fault. */
export type ToRun =
  | { readonly type: 'run'; readonly path: string; readonly options: Record<string, unknown> }
  | { readonly type: 'abort' };
export type FromRun =
  | { readonly type: 'progress'; readonly stage: string; readonly fraction: number }
  | { readonly type: 'done'; readonly skipped: SummaryDocument['skipped'] }
  | { readonly type: 'failed'; readonly code: string | null; readonly message: string };

/** A run that was asked to stop gets this long. */
const STOP_MS = 10_000;
const AGAIN_MS = 1_000;
/** A run of an earlier service that was killed ends within seconds. */
const MAX_TRIES = 30;

/** Summarises topics on this machine, each in a process of its own that gets no keys. */
export function localEngine({ cache, jobs }: { cache?: string | undefined; jobs?: number | undefined }): Engine {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:AWS_|THROUGHLINE_(?:REDIS|STORE)$)/.test(name))); // prettier-ignore
  const own = { ...(cache === undefined ? {} : { cache }), ...(jobs === undefined ? {} : { jobs }) };

  const runOnce = async (order: ToRun & { type: 'run' }, signal: AbortSignal, onProgress: Parameters<Engine['run']>[1]['onProgress']) => {
    if (signal.aborted) throw new CancelledError();
    const child = startProcess(import.meta.url, './run-process', { detached: true, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const ended = once(child, 'exit').catch(() => undefined);
    const stop = (): void => {
      child.send({ type: 'abort' } satisfies ToRun, () => undefined);
      setTimeout(() => killGroup(child), STOP_MS).unref();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      const result = new Promise<FromRun & { type: 'done' | 'failed' }>((settle, fail) => {
        child.on('message', (message: FromRun) => (message.type === 'progress' ? onProgress({ stage: message.stage, fraction: message.fraction }) : settle(message)));
        child.once('error', fail);
        child.once('exit', (code, killer) => fail(new ThroughlineError('run-lost', `Expected the process of the topic to finish, found that it ended early (${killer ?? code}), perhaps for lack of memory. Submit fewer videos, or try again.`)));
      });
      child.send(order, () => undefined);
      return await result;
    } finally {
      signal.removeEventListener('abort', stop);
      killGroup(child);
      await ended;
    }
  }; // prettier-ignore

  return {
    slots: 2,
    async run({ record, path, out }, { signal, onProgress }) {
      for (let tries = 1; ; tries++) {
        const order = { type: 'run', path, options: { ...record.options, ...own, out } } as const;
        const result = await runOnce(order, signal, onProgress);
        if (result.type === 'done') return result.skipped;
        if (result.code === 'out-in-use' && tries < MAX_TRIES) await sleep(AGAIN_MS, undefined, { signal });
        else throw result.code === null ? new Error(result.message) : new ThroughlineError(result.code, result.message);
      }
    },
    checkReady: async () => undefined,
    queues: async () => [],
    close: async () => undefined,
  };
}

const PRIORITY = 100;

/** Queues topics to the workers of a fleet, and fetches their results. */
export async function fleetEngine(at: Record<'redis' | 'store' | 'prefix' | 'scratch', string>): Promise<Engine> {
  const { openFleet, isVague } = await loadQueues();
  const fleet = await openFleet(at.redis, at.prefix);
  const objects = await openObjects(at.store);
  const turns = makeTurns();
  return {
    slots: 8,
    async run({ record, path, out }, { signal, onProgress, onQueued, mayStop }) {
      const context: Parameters<typeof submitTopic>[2] = {
        ...{ objects, scratch: at.scratch, jobs: 4, signal },
        emit: (event) => event.type === 'progress' && onProgress({ stage: event.stage, fraction: event.fraction }),
      };
      const submitted = await submitTopic([path], checkOptions(record.options as OptionsInput), context);
      const { topicId: id, topic: name } = submitted;
      // Nobody cancels it between joining it and saying so.
      const how = await turns.take(id, async () => {
        const found = await fleet.enqueue({ id, name, priority: PRIORITY }, context);
        const wasOurs = record.fleet?.id === id && record.fleet.isOurs;
        await onQueued({ id, isOurs: found === 'queued' || wasOurs });
        return found;
      });
      if (how !== 'done') {
        const row = await watch(id).catch(async (error: unknown) => {
          if (signal.aborted && signal.reason !== 'stopped') await turns.take(id, async () => mayStop(id) && fleet.cancel(id)).catch(() => undefined); // prettier-ignore
          throw error;
        });
        if (row.state !== 'done') throw new ThroughlineError(`topic-${row.state}`, row.reason ?? 'Expected the fleet to finish the topic, found that somebody cancelled it there. Submit it again.'); // prettier-ignore
      }
      await fetchResults(id, out, context);
      return parseSummary(await readFile(join(out, 'summary.json'), 'utf8'), 'summary.json').skipped;

      async function watch(topic: string): ReturnType<typeof fleet.watch> {
        for (;;) {
          try {
            return await fleet.watch(
              topic,
              ({ progress }) => {
                const sum = (of: 'done' | 'total'): number => progress.reduce((before, each) => before + each[of], 0);
                const [done, total] = [sum('done'), sum('total')];
                const stage = progress.findLast((each) => each.done > 0)?.kind ?? 'queued';
                onProgress({ stage, fraction: total === 0 ? 0 : done / total });
              },
              signal,
            );
          } catch (error) {
            // Redis is away; the workers wait for it, too.
            if (signal.aborted || !isVague(error)) throw error;
            await sleep(AGAIN_MS);
          }
        }
      }
    },
    async checkReady() {
      await Promise.all([fleet.isAbandoned('ready'), objects.head('ready')]);
    },
    queues: async () => (await fleet.status({ states: [] })).queues,
    close: async () => fleet.close(),
  };
}
