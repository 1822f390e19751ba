import { endWithParent, messageOf, ThroughlineError } from '../base/index.js';
import { summarizeTopic, type OptionsInput } from '../index.js';
import type { FromRun, ToRun } from './engines.js';

// This process summarises one topic. It and all it started end with the service, however that ends.
endWithParent();

const stop = new AbortController();
process.on('message', (message: ToRun) => (message.type === 'abort' ? stop.abort() : void work(message)));

async function work({ path, options }: ToRun & { type: 'run' }): Promise<void> {
  const send = (message: FromRun): void => void process.send?.(message);
  let shown = '';
  try {
    const { document } = await summarizeTopic(path, options as OptionsInput, {
      signal: stop.signal,
      onEvent(event) {
        if (event.type !== 'progress') return;
        const { stage, fraction } = event;
        const next = `${stage} ${Math.floor(100 * fraction)}`;
        if (next !== shown) send({ type: 'progress', stage, fraction });
        shown = next;
      },
    });
    send({ type: 'done', skipped: document.skipped });
  } catch (error) {
    const code = error instanceof ThroughlineError ? error.code : null;
    send({ type: 'failed', code, message: messageOf(error) });
  }
}
