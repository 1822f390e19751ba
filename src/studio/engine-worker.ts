import { parentPort } from 'node:worker_threads';

import { messageOf, ThroughlineError } from '../base/index.js';
import { createEngine, type CallHooks } from './engine.js';
import type { FromEngine, ToEngine } from './engine-client.js';

const port = parentPort!;
const engine = createEngine() as Record<string, (given: never, hooks: CallHooks) => Promise<unknown>>;
const calls = new Map<number, AbortController>();
const send = (message: FromEngine): void => port.postMessage(message);

port.on('message', (message: ToEngine) => {
  if (message.kind === 'abort') return calls.get(message.id)?.abort();
  const { id, name, given } = message;
  const stop = new AbortController();
  calls.set(id, stop);
  const onEvent: CallHooks['onEvent'] = (event) => send({ kind: 'event', id, event });
  engine[name]!(given as never, { signal: stop.signal, onEvent })
    .then(
      (result) => send({ kind: 'done', id, result }),
      (error: unknown) => {
        const code = error instanceof ThroughlineError ? error.code : null;
        send({ kind: 'failed', id, code, message: messageOf(error) });
      },
    )
    .finally(() => calls.delete(id));
});
