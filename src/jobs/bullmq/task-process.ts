import { Worker } from 'node:worker_threads';

import { CancelledError } from '../../base/index.js';
import { openObjects } from '../../store/index.js';
import { runTask } from '../run-task.js';
import type { FromTask, ToTask } from './crew.js';
import { failureOf } from './retry.js';

// Programs that a task starts read untrusted files: the keys of the store can be asked for here, and are not handed on.
process.env = withHidden(
  process.env,
  /^AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|CONTAINER_AUTHORIZATION_TOKEN)$/,
);

/** The process of one task at a time. It and all it started end with the worker that started it, however that ends. */
const endAll = (): void => void process.kill(-process.pid, 'SIGKILL');
process.once('disconnect', endAll);
// A loop that is kept busy hears of nothing; a thread of its own sees that the parent is another one now.
new Worker(`setInterval(() => process.ppid === ${process.ppid} || process.kill(-process.pid, 'SIGKILL'), 1000)`, {
  eval: true,
}).unref();

let stop = new AbortController();
process.on('message', (message: ToTask) => {
  if (message.type === 'abort') stop.abort();
  else void work(message);
});

async function work({ task, store, ...order }: ToTask & { type: 'run' }): Promise<void> {
  stop = new AbortController();
  const tell = (message: FromTask): void => void process.send?.(message);
  try {
    const objects = await openObjects(store);
    const desk = { ...order, objects, signal: stop.signal, tell: () => undefined };
    tell({ type: 'done', result: await runTask(task, desk) });
  } catch (error) {
    tell(error instanceof CancelledError ? { type: 'cancelled' } : { type: 'failed', failure: failureOf(error) });
  }
}

/** The same variables, some of which can be read by their names and do not show where all are copied. */
function withHidden(variables: NodeJS.ProcessEnv, hidden: RegExp): NodeJS.ProcessEnv {
  const facts = Object.entries(variables).map(([name, value]) => {
    return [name, { value, enumerable: !hidden.test(name), writable: true, configurable: true }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(facts)) as NodeJS.ProcessEnv;
}
