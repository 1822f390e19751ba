import { CancelledError, endWithParent } from '../../base/index.js';
import { openObjects } from '../../storage/index.js';
import { runTask } from '../run-task.js';
import type { FromTask, ToTask } from './task-processes.js';
import { failureOf } from './processor.js';

// Programs that a task starts read untrusted files, so they do not inherit the keys of the store; this process still has them.
process.env = withHidden(
  process.env,
  /^AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|CONTAINER_AUTHORIZATION_TOKEN)$/,
);

// This process does one task at a time. It and all it started end with their worker, however that ends.
endWithParent();

let stop = new AbortController();
process.on('message', (message: ToTask) => {
  if (message.type === 'abort') stop.abort();
  else void work(message);
});

async function work({ task, store, ...order }: ToTask & { type: 'run' }): Promise<void> {
  stop = new AbortController();
  const emit = (message: FromTask): void => void process.send?.(message);
  try {
    const objects = await openObjects(store);
    const context = { ...order, objects, signal: stop.signal, emit: () => undefined };
    emit({ type: 'done', result: await runTask(task, context) });
  } catch (error) {
    emit(error instanceof CancelledError ? { type: 'cancelled' } : { type: 'failed', failure: failureOf(error) });
  }
}

/** The same variables, but the hidden ones are not enumerable: readable by name, not copied to child processes. */
function withHidden(variables: NodeJS.ProcessEnv, hidden: RegExp): NodeJS.ProcessEnv {
  const facts = Object.entries(variables).map(([name, value]) => {
    return [name, { value, enumerable: !hidden.test(name), writable: true, configurable: true }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(facts)) as NodeJS.ProcessEnv;
}
