import { messageOf, ThroughlineError, type Listener } from '../base/index.js';
import { jsonReporter, lineReporter, quietReporter, terminalReporter, type Reporter } from './reporters.js';

/** Exit codes by meaning. */
export const EXIT = { done: 0, nothingDone: 1, usage: 2, someSkipped: 3, interrupted: 130 } as const;

/** Flags that decide how a command reports progress. */
export type OutputOptions = { json?: boolean; quiet?: boolean };

/** Does work, shows its events as the flags ask, and stops it on Ctrl-C. `finish` prints the result and returns the exit code. */
export async function withReporter<T>(
  { json, quiet }: OutputOptions,
  work: (onEvent: Listener, signal: AbortSignal) => Promise<T>,
  finish: (result: T, isShown: boolean) => number,
): Promise<number> {
  const reporter = chooseReporter({ json, quiet });
  const stop = new AbortController();
  const interrupt = (): void => {
    // A second Ctrl-C ends the process at once.
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const result = await work(reporter.onEvent, stop.signal);
    reporter.end();
    return finish(result, !json && !quiet);
  } catch (error) {
    reporter.end();
    if (json) {
      const code = error instanceof ThroughlineError ? error.code : 'fault';
      process.stdout.write(`${JSON.stringify({ type: 'failed', code, message: messageOf(error) })}\n`);
    }
    throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function chooseReporter({ json, quiet }: OutputOptions): Reporter {
  if (json) return jsonReporter(process.stdout);
  if (quiet) return quietReporter(process.stderr);
  return process.stderr.isTTY ? terminalReporter(process.stderr) : lineReporter(process.stderr);
}
